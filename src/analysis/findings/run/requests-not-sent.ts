import { isGivenUp } from '../given-up.ts'
import type { RunFinding } from '../run-facts.ts'

export const requestsNotSent = {
  code: 'REQUESTS_NOT_SENT',
  severity: 'warning',
  meaning:
    'Some planned requests were never sent, or were dropped in flight, because the run ended before them.',
  detect: (facts) =>
    facts.contenders
      .filter(
        ({ contender: { id }, counts: { dropped, notSent } }) =>
          dropped + notSent > 0 && !isGivenUp(id, facts),
      )
      .map(({ contender: { id }, counts: { planned, dropped, notSent } }) => ({
        message:
          `${dropped + notSent} of ${planned} requests to ${id} were not carried out ` +
          `(${notSent} not sent, ${dropped} dropped in flight)`,
      })),
} satisfies RunFinding
