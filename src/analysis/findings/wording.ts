import type { RunRecord } from '#journal/run-record'
import { counted, shellWord } from '#prelude'
import type { CrossedAnswers } from '../requests/crossed-answers.ts'

/** Lists the first ten ids, and the number of the others. */
export function named(ids: readonly string[]): string {
  const rest = ids.length - 10
  return rest > 0 ? `${ids.slice(0, 10).join(', ')} and ${rest} more` : ids.join(', ')
}

/** Describes the crossed answers of one contender, for a run and for a capacity measurement. */
export function crossedText(
  { answerCount, withinSeconds, example }: CrossedAnswers,
  answered: number,
): string {
  // Rounded up, so that it is true for all answers.
  const within = Math.max(0.1, Math.ceil(withinSeconds * 10) / 10)
  return (
    `at least ${answerCount} of ${counted(answered, 'answer')} ${answerCount === 1 ? 'is' : 'are'} the text of another recording sent ` +
    `within ${within < 10 ? within : Math.ceil(within)} s: a fault of the server's concurrency, and of privacy. ` +
    `${example.utteranceId} was answered with the text of ${example.otherId}`
  )
}

/** Returns a command that checks the target of the run. */
export function doctorCommand({ config, target }: RunRecord): string {
  const settings = new Map(Object.entries(config ?? {}))
  const [named, keyFrom] = [settings.get('target'), settings.get('keyFrom')]
  if (target.kind === 'embedded' || typeof named !== 'string') return 'transcribench doctor'
  const key = typeof keyFrom === 'string' ? ` --key-from ${shellWord(keyFrom)}` : ''
  return `transcribench doctor ${shellWord(named)}${key}`
}
