import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const journalOutsidePlan = {
  code: 'JOURNAL_OUTSIDE_PLAN',
  severity: 'invalid',
  meaning:
    'The journal holds attempts for requests that the plan does not have. The two files do not belong together, ' +
    'or one of them was edited.',
  detect: ({ resolved: { strayAttemptCount } }) => {
    if (strayAttemptCount === 0) return []
    const what = `${counted(strayAttemptCount, 'attempt')} in the journal ${strayAttemptCount === 1 ? 'is' : 'are'}`
    return [{ message: `${what} not in the plan, and not scored`, advice: 'restore the run folder' }]
  },
} satisfies RunFinding
