import { describeFailure, meansNoSpeech } from '#contract'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** A contender that went on all the same; one that was given up has a separate finding. */
export const warmUpFailed = {
  code: 'WARM_UP_FAILED',
  severity: 'note',
  meaning:
    'Requests of the warm-up failed and those that were measured went on: they are in no figure, so that a server that fails ' +
    'when it is first asked would look as if it never did.',
  detect: ({ material: { record }, scored }) =>
    scored.flatMap(({ resolved: { contender, warmup } }) => {
      const failures = warmup.flatMap(({ outcome }) =>
        outcome.ok || meansNoSpeech(outcome.failure) ? [] : [describeFailure(outcome.failure)],
      )
      const isGivenUp = record.givenUp?.some(({ id }) => id === contender.id) === true
      const [first] = failures
      if (first === undefined || isGivenUp) return []
      return [
        {
          message: `${failures.length} of ${counted(warmup.length, 'warm-up request')} to ${contender.id} failed: ${first}`,
        },
      ]
    }),
} satisfies RunFinding
