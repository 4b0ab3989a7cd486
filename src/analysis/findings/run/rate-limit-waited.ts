import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** A rate limit that was waited for took time; one that was not took requests (RATE_LIMIT_HIT). */
export const rateLimitWaited = {
  code: 'RATE_LIMIT_WAITED',
  severity: 'note',
  meaning:
    'A server refused requests for its rate limit. Nothing was sent to the contender until the time in Retry-After was ' +
    'over (a back-off of 1 s and more where the server names none), and the refused requests were sent again. The latency ' +
    'of such a request is that of its last sending; the pauses are in no latency and end the windows of the speed. This is ' +
    'so by default for what runs on another machine, under a closed load (rateLimit in the config).',
  detect: ({ contenders }) =>
    contenders
      .filter(({ rateLimit }) => rateLimit.refusedCount > 0)
      .map(({ contender: { id }, rateLimit: { refusedCount, waitedSeconds } }) => ({
        message:
          `${id} refused ${counted(refusedCount, 'request')} for its rate limit, was waited for ` +
          `${waitedSeconds.toFixed(1)} s in all and sent them again: in no latency and no speed`,
      })),
} satisfies RunFinding
