import { givenUpWhileOthersWereMeasured } from '../given-up.ts'
import type { RunFinding } from '../run-facts.ts'

export const coverageLow = {
  code: 'COVERAGE_LOW',
  severity: 'invalid',
  meaning:
    'Fewer than half of the requests that a contender was sent were answered and scored. The rest may well be the ' +
    'difficult half, so the rates of what remains say little. What was not sent before an interruption does not count: ' +
    'it is as good as chosen at random.',
  detect: (facts) =>
    facts.contenders
      .filter(
        ({ contender: { id }, counts: { answered, failed } }) =>
          answered > 0 && answered < failed && !givenUpWhileOthersWereMeasured(id, facts),
      )
      .map(({ contender: { id }, counts: { answered, failed } }) => ({
        message: `only ${answered} of ${answered + failed} requests to ${id} were answered`,
      })),
} satisfies RunFinding
