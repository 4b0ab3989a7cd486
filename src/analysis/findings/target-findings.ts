import type { RunRecord } from '#journal'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { EvaluatedLoad } from '../documents/evaluation.ts'
import { type Finding, finding } from '../documents/finding.ts'

/** Contenders that were sent nothing more. */
export function givenUpFindings({ givenUp = [] }: Pick<RunRecord, 'givenUp'>): readonly Finding[] {
  return givenUp.map(({ id, reason, hint }) =>
    finding('CONTENDER_GIVEN_UP', `${id} was given up ${reason.replace(/\.$/, '')}`, hint),
  )
}

/** What a rate limit did to a contender: waited out, it cost time; otherwise it cost requests. */
export function rateLimitFindings(
  { contender: { id }, rateLimit, failures }: ContenderEvaluation,
  { kind }: EvaluatedLoad,
): readonly Finding[] {
  const { refusedCount, waitedSeconds } = rateLimit
  const refused = failures
    .filter(({ label }) => label === 'RATE_LIMITED' || label === 'HTTP_429')
    .reduce((sum, { count }) => sum + count, 0)
  return [
    ...(refusedCount === 0
      ? []
      : [
          finding(
            'RATE_LIMIT_WAITED',
            `${id} refused ${refusedCount} ${refusedCount === 1 ? 'request' : 'requests'} for its rate limit, was waited for ` +
              `${waitedSeconds.toFixed(1)} s in all and sent them again: in no latency and no speed`,
          ),
        ]),
    ...(refused === 0
      ? []
      : [
          finding(
            'RATE_LIMIT_HIT',
            `${id} refused ${refused} ${refused === 1 ? 'request' : 'requests'} for its rate limit: ` +
              (kind === 'closed'
                ? 'the figures are of the requests between the refusals'
                : 'the load is more than it allows, and the figures are of what it let through'),
            kind === 'closed'
              ? 'wait as long as the server asks, outside of any latency: --rate-limit wait'
              : 'lower the load, or have the limit raised',
          ),
        ]),
  ]
}
