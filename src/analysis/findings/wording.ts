import type { RunRecord } from '#journal/run-record'
import { counted, shellWord } from '#prelude'
import type { CrossedAnswers } from '../requests/crossed-answers.ts'

/** The first ten ids, and how many more there are. */
export function named(ids: readonly string[]): string {
  const rest = ids.length - 10
  return rest > 0 ? `${ids.slice(0, 10).join(', ')} and ${rest} more` : ids.join(', ')
}

/** What the answers of one contender have to do with other recordings, for a run and a capacity. */
export function crossedText(
  { answerCount, withinSeconds, example }: CrossedAnswers,
  answered: number,
): string {
  // Rounded up, so that it holds for every one.
  const within = Math.max(0.1, Math.ceil(withinSeconds * 10) / 10)
  return (
    `at least ${answerCount} of ${counted(answered, 'answer')} ${answerCount === 1 ? 'is' : 'are'} the text of another recording sent ` +
    `within ${within < 10 ? within : Math.ceil(within)} s: a fault of the server's concurrency, and of privacy. ` +
    `${example.utteranceId} was answered with the text of ${example.otherId}`
  )
}

/** Asks the target of the run what it has. */
export function doctorCommand({ config, target }: RunRecord): string {
  const textOf = (key: string): string | null => {
    const value =
      typeof config === 'object' && config !== null
        ? Object.entries(config).find(([own]) => own === key)?.[1]
        : null
    return typeof value === 'string' ? value : null
  }
  const [named, keyFrom] = [textOf('target'), textOf('keyFrom')]
  if (target.kind === 'embedded' || named === null) return 'transcribench doctor'
  const key = keyFrom === null ? '' : ` --key-from ${shellWord(keyFrom)}`
  return `transcribench doctor ${shellWord(named)}${key}`
}

/** The command of a run with a closed load, as one with arrivals; in words where it is not known, or its load is in a config. */
export function openLoadCommand({ command, settingSources = {} }: RunRecord, rate: string): string {
  const isInFile = Object.entries(settingSources).some(
    ([key, from]) => key.startsWith('load') && from === 'file',
  )
  if (command.length === 0 || isInFile) return `the same with the load {rate: ${rate}, duration: 60s}`
  // A round of a load with a length is all of it.
  const isOfClosed = (word: string | undefined): boolean => word === '--concurrency' || word === '--rounds'
  const kept = command.filter(
    (word, place) => !/^--(concurrency|rounds)(=|$)/.test(word) && !isOfClosed(command[place - 1]),
  )
  return [...kept, '--rate', rate, '--duration', '60s'].map(shellWord).join(' ')
}

/** Sends what the run did not come to. */
export function resumeCommand({ resume, id }: RunRecord): string {
  return resume ?? `transcribench run --resume ${id}`
}
