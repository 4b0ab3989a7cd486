import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const requestsRetried = {
  code: 'REQUESTS_RETRIED',
  severity: 'note',
  meaning:
    'Some requests were sent again: because the config declares retries, or because the run was resumed and they had ' +
    'been dropped. A request counts as what its last attempt came to. Its latency is that of the whole, the waits ' +
    'between included; what the first attempts alone took is first-attempt (`transcribench explain first-attempt`).',
  detect: ({ contenders }) =>
    contenders
      .filter(({ sentAgain }) => sentAgain.requestCount > 0)
      .map(({ contender: { id }, sentAgain: { requestCount, answeredCount } }) => ({
        message:
          `${counted(requestCount, 'request')} to ${id} ${requestCount === 1 ? 'was' : 'were'} sent again, ` +
          `${answeredCount} of them answered then: latency is that of the whole, waits included`,
        advice: 'what the first attempts took: columns first_attempt of summary.csv',
      })),
} satisfies RunFinding
