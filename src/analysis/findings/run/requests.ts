import type { RunRecord } from '#journal/run-record'
import { counted, sumOf } from '#prelude'
import { failureHints, failureText } from '../../figures/failure-groups.ts'
import { contenderFinding, givenUpWhileOthersWereMeasured, isGivenUp, runFinding } from '../run-facts.ts'
import { doctorCommand } from '../wording.ts'

export const requestsFailed = contenderFinding(
  'REQUESTS_FAILED',
  'warning',
  ({ contender: { id }, counts: { failed, planned }, failures }) => {
    if (failed === 0) return []
    return {
      message: `${failed} of ${planned} requests to ${id} failed (counted, not scored): ${failures.map(failureText).join('; ')}`,
      advice: [...failureHints(failures), 'which ones: column failure of utterances.csv'].join('; '),
    }
  },
)

export const requestsNotSent = contenderFinding(
  'REQUESTS_NOT_SENT',
  'warning',
  ({ contender: { id }, counts: { planned, dropped, notSent } }, facts) => {
    if (dropped + notSent === 0 || isGivenUp(id, facts)) return []
    const unsent = `${dropped + notSent} of ${planned} requests to ${id} were not carried out`
    return { message: `${unsent} (${notSent} not sent, ${dropped} dropped in flight)` }
  },
)

const words: Readonly<Record<string, string>> = {
  closedConnection: 'met a connection that the server had closed since the request before',
  redirect: 'were redirected',
  timestamps: 'were refused for the times that they asked for',
  format: 'were refused for the format that they asked for',
}

/** Requests that the client repeated on its own, which appear in no other figure. */
export const requestsResent = runFinding('REQUESTS_RESENT', 'note', ({ scored }) =>
  scored.flatMap(({ resolved: { contender, sendings } }) => {
    const reasons = sendings.flatMap(({ resentFor = [] }) => [...new Set(resentFor)])
    if (reasons.length === 0) return []
    const parts = [...Map.groupBy(reasons, (reason) => reason)].map(
      ([reason, repeats]) => `${counted(repeats.length, 'request')} ${words[reason] ?? reason}`,
    )
    return [{ message: `${parts.join(', ')}, and went once more to ${contender.id}: in no latency` }]
  }),
)

export const requestsRetried = contenderFinding(
  'REQUESTS_RETRIED',
  'note',
  ({ contender: { id }, sentAgain: { requestCount, answeredCount } }) => {
    if (requestCount === 0) return []
    return {
      message:
        `${counted(requestCount, 'request')} to ${id} ${requestCount === 1 ? 'was' : 'were'} sent again, ` +
        `${answeredCount} of them answered then: latency is that of the whole, waits included`,
      advice: 'what the first attempts took: columns first_attempt of summary.csv',
    }
  },
)

export const rateLimitHit = contenderFinding(
  'RATE_LIMIT_HIT',
  'warning',
  ({ contender: { id }, failures }, { load: { kind } }) => {
    const refusals = failures.filter(({ label }) => label === 'RATE_LIMITED' || label === 'HTTP_429')
    const refusedCount = sumOf(refusals, ({ count }) => count)
    if (refusedCount === 0) return []
    const refusal = `${id} refused ${counted(refusedCount, 'request')} for its rate limit`
    if (kind === 'closed') {
      return {
        message: `${refusal}: the figures are of the requests between the refusals`,
        advice: 'wait as long as the server asks, outside of any latency: --rate-limit wait',
      }
    }
    return {
      message: `${refusal}: the load is more than it allows, and the figures are of what it let through`,
      advice: 'lower the load, or have the limit raised',
    }
  },
)

/** A rate limit that was waited for took time; otherwise it took requests (RATE_LIMIT_HIT). */
export const rateLimitWaited = contenderFinding(
  'RATE_LIMIT_WAITED',
  'note',
  ({ contender: { id }, rateLimit: { refusedCount, waitedSeconds } }) => {
    if (refusedCount === 0) return []
    const again = `got ${refusedCount === 1 ? 'it' : 'them'} again after waits of ${waitedSeconds.toFixed(1)} s in all`
    const refused = `${id} refused ${counted(refusedCount, 'request')} for its rate limit`
    return { message: `${refused} and ${again}: in no latency and no speed` }
  },
)

export const contenderGivenUp = runFinding('CONTENDER_GIVEN_UP', 'warning', ({ material: { record } }) =>
  (record.givenUp ?? []).map(({ id, reason, hint }) => ({
    message: `${id} was given up ${reason.replace(/\.$/, '')}`,
    advice: hint,
  })),
)

export const contendersSkipped = runFinding('CONTENDERS_SKIPPED', 'warning', ({ material: { record } }) => {
  if (record.skipped.length === 0) return []
  const who = record.skipped.map(({ id, reason }) => `${id} (${reason})`).join(', ')
  const commands = new Set(record.skipped.map(({ id }) => doctorCommand(record, id)))
  const advice = `see what the target has: ${[...commands].join('; ')}`
  return [{ message: `skipped by --skip-unready: ${who}`, advice }]
})

export const coverageLow = contenderFinding(
  'COVERAGE_LOW',
  'invalid',
  ({ contender: { id }, counts: { answered, failed } }, facts) => {
    const isLow = answered > 0 && answered < failed
    if (!isLow || givenUpWhileOthersWereMeasured(id, facts)) return []
    return { message: `only ${answered} of ${answered + failed} requests to ${id} were answered` }
  },
)

export const hostsFailed = runFinding('HOSTS_FAILED', 'warning', ({ material: { record } }) => {
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
})

function hostFaultText(host: string, faults: NonNullable<RunRecord['hostFaults']>): string {
  const failedCount = faults.filter(({ kind }) => kind === 'failed').length
  const silent = faults.flatMap(({ kind, part }) => (kind === 'silent' ? [part] : []))
  const faultTexts = [
    ...(failedCount === 0 ? [] : [`could not measure ${counted(failedCount, 'block')} that it was given`]),
    ...(silent.length === 0 ? [] : [`fell silent while it measured part ${silent.join(', ')}`]),
  ]
  return `host ${host} ${faultTexts.join(', and ')}`
}
