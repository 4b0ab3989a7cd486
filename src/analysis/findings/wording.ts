import type { CrossedAnswers } from '../requests/crossed-answers.ts'

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

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
    `${answerCount} of ${counted(answered, 'answer')} ${answerCount === 1 ? 'is' : 'are'} the text of another recording sent ` +
    `within ${within < 10 ? within : Math.ceil(within)} s: a fault of the server's concurrency, and of privacy. ` +
    `${example.utteranceId} was answered with the text of ${example.otherId}`
  )
}
