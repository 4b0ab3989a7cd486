import { givenUpWhileOthersWereMeasured } from '../given-up.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const nothingScored = {
  code: 'NOTHING_SCORED',
  severity: 'invalid',
  meaning:
    'Not one request of a contender was answered, so it has no figures at all. A contender that was given up takes nothing ' +
    'from the figures of others: see CONTENDER_GIVEN_UP.',
  detect: (facts) =>
    facts.contenders
      .filter(
        ({ contender: { id }, counts }) =>
          counts.answered === 0 && !givenUpWhileOthersWereMeasured(id, facts),
      )
      .map(({ contender: { id }, counts: { planned } }) => ({
        message: `none of ${counted(planned, 'request')} to ${id} was answered`,
      })),
} satisfies RunFinding
