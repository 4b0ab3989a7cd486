import { z } from 'zod'
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
const namedTarget = z.object({ target: z.string().nullish(), keyFrom: z.string().nullish() })
const namedTargets = namedTarget.extend({
  contenders: z.array(namedTarget.extend({ id: z.string() })).catch([]),
})

/** Returns a command that checks the target of a contender, which may be another one than that of the run. */
export function doctorCommand({ config, target }: RunRecord, contenderId: string): string {
  const run = namedTargets.safeParse(config).data
  const own = run?.contenders.find(({ id }) => id === contenderId)
  const named = own?.target ?? (target.kind === 'embedded' ? null : run?.target)
  const keyFrom = own?.keyFrom ?? run?.keyFrom
  if (named == null || named === 'embedded') return 'transcribench doctor'
  return `transcribench doctor ${shellWord(named)}${keyFrom == null ? '' : ` --key-from ${shellWord(keyFrom)}`}`
}
