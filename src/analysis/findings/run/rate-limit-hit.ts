import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const rateLimitHit = {
  code: 'RATE_LIMIT_HIT',
  severity: 'warning',
  meaning:
    'A server refused requests for its rate limit, and they count as failures: because the load is not a closed one, ' +
    'because the contender runs on this machine, or because the config says so (rateLimit: fail). An open load sends at its ' +
    'moments: to wait there would be another load, so that such refusals are an answer to it. Under a closed load ' +
    '--rate-limit wait makes a pace of them.',
  detect: ({ contenders, load: { kind } }) =>
    contenders.flatMap(({ contender: { id }, failures }) => {
      const refusedCount = failures
        .filter(({ label }) => label === 'RATE_LIMITED' || label === 'HTTP_429')
        .reduce((sum, { count }) => sum + count, 0)
      if (refusedCount === 0) return []
      const what = `${id} refused ${counted(refusedCount, 'request')} for its rate limit`
      return kind === 'closed'
        ? [
            {
              message: `${what}: the figures are of the requests between the refusals`,
              advice: 'wait as long as the server asks, outside of any latency: --rate-limit wait',
            },
          ]
        : [
            {
              message: `${what}: the load is more than it allows, and the figures are of what it let through`,
              advice: 'lower the load, or have the limit raised',
            },
          ]
    }),
} satisfies RunFinding
