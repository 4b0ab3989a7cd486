import type { RunRecord } from '#journal/run-record'
import { counted } from '#prelude'
import { failureHints, failureText } from '../../figures/failure-groups.ts'
import { givenUpWhileOthersWereMeasured, isGivenUp, type RunFinding } from '../run-facts.ts'
import { doctorCommand } from '../wording.ts'

export const requestsFailed = {
  code: 'REQUESTS_FAILED',
  severity: 'warning',
  detect: ({ contenders }) =>
    contenders
      .filter(({ counts }) => counts.failed > 0)
      .map(({ contender: { id }, counts: { failed, planned }, failures }) => ({
        message: `${failed} of ${planned} requests to ${id} failed (counted, not scored): ${failures.map(failureText).join('; ')}`,
        advice: [...failureHints(failures), 'which ones: column failure of utterances.csv'].join('; '),
      })),
} satisfies RunFinding

export const requestsNotSent = {
  code: 'REQUESTS_NOT_SENT',
  severity: 'warning',
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

const words: Readonly<Record<string, string>> = {
  closedConnection: 'met a connection that the server had closed since the request before',
  redirect: 'were redirected',
  timestamps: 'were refused for the times that they asked for',
  format: 'were refused for the format that they asked for',
}

/** What the client sent once more by itself, so that it is in no figure but here. */
export const requestsResent = {
  code: 'REQUESTS_RESENT',
  severity: 'note',
  detect: ({ scored }) =>
    scored.flatMap(({ resolved: { contender, sendings } }) => {
      const reasons = [...sendings].flatMap(({ resentFor = [] }) => [...new Set(resentFor)])
      if (reasons.length === 0) return []
      const parts = [...Map.groupBy(reasons, (reason) => reason)].map(
        ([reason, those]) => `${counted(those.length, 'request')} ${words[reason] ?? reason}`,
      )
      return [{ message: `${parts.join(', ')}, and went once more to ${contender.id}: in no latency` }]
    }),
} satisfies RunFinding

export const requestsRetried = {
  code: 'REQUESTS_RETRIED',
  severity: 'note',
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

export const rateLimitHit = {
  code: 'RATE_LIMIT_HIT',
  severity: 'warning',
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

/** A rate limit that was waited for took time; one that was not took requests (RATE_LIMIT_HIT). */
export const rateLimitWaited = {
  code: 'RATE_LIMIT_WAITED',
  severity: 'note',
  detect: ({ contenders }) =>
    contenders
      .filter(({ rateLimit }) => rateLimit.refusedCount > 0)
      .map(({ contender: { id }, rateLimit: { refusedCount, waitedSeconds } }) => ({
        message:
          `${id} refused ${counted(refusedCount, 'request')} for its rate limit, was waited for ` +
          `${waitedSeconds.toFixed(1)} s in all and sent them again: in no latency and no speed`,
      })),
} satisfies RunFinding

export const contenderGivenUp = {
  code: 'CONTENDER_GIVEN_UP',
  severity: 'warning',
  detect: ({ material: { record } }) =>
    (record.givenUp ?? []).map(({ id, reason, hint }) => ({
      message: `${id} was given up ${reason.replace(/\.$/, '')}`,
      advice: hint,
    })),
} satisfies RunFinding

export const contendersSkipped = {
  code: 'CONTENDERS_SKIPPED',
  severity: 'warning',
  detect: ({ material: { record } }) => {
    if (record.skipped.length === 0) return []
    const who = record.skipped.map(({ id, reason }) => `${id} (${reason})`).join(', ')
    const advice = `see what the target has: ${doctorCommand(record)}`
    return [{ message: `skipped by --skip-unready: ${who}`, advice }]
  },
} satisfies RunFinding

export const coverageLow = {
  code: 'COVERAGE_LOW',
  severity: 'invalid',
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

export const hostsFailed = {
  code: 'HOSTS_FAILED',
  severity: 'warning',
  detect({ material: { record } }) {
    const hosts = [...Map.groupBy(record.hostFaults ?? [], ({ host }) => host)]
    if (hosts.length === 0) return []
    const others = (record.hosts ?? [])
      .map(({ name }) => name)
      .filter((name) => hosts.every(([host]) => host !== name))
    const reasons = hosts.flatMap(([host, faults]) => {
      const reason = faults.findLast(({ kind }) => kind === 'failed')?.reason ?? null
      return reason === null ? [] : [`${host}: ${reason}`]
    })
    return {
      message: `${hosts.map(([host, faults]) => hostFaultText(host, faults)).join('; ')}; ${others.join(' and ') || 'other hosts'} measured these blocks`,
      advice:
        `${reasons.length === 0 ? '' : `mend what the failing hosts report: ${reasons.join('; ')}. `}` +
        `${reasons.length === 0 ? 'the' : 'The'} time that was lost to this is in the speed of all hosts together`,
    }
  },
} satisfies RunFinding

function hostFaultText(host: string, faults: NonNullable<RunRecord['hostFaults']>): string {
  const failedCount = faults.filter(({ kind }) => kind === 'failed').length
  const silent = faults.flatMap(({ kind, part }) => (kind === 'silent' ? [part] : []))
  const what = [
    ...(failedCount === 0 ? [] : [`could not measure ${counted(failedCount, 'block')} that it was given`]),
    ...(silent.length === 0 ? [] : [`fell silent while it measured part ${silent.join(', ')}`]),
  ]
  return `host ${host} ${what.join(', and ')}`
}
