import { failureHints, failureText } from '../../figures/failure-groups.ts'
import { givenUpWhileOthersWereMeasured, isGivenUp, type RunFinding } from '../run-facts.ts'
import { counted, doctorCommand } from '../wording.ts'

export const requestsFailed = {
  code: 'REQUESTS_FAILED',
  severity: 'warning',
  meaning:
    'Some requests failed. They are counted and named, never scored as if the engine had heard silence, and they ' +
    'are not among the latencies. The rate with failures as empty transcripts shows what they would cost.',
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
  meaning:
    'Some requests were sent once more by themselves, in no latency and in no count of retries: a server may close a connection ' +
    'that it has kept open while the next request is on its way, redirect to another path, or refuse a format of the answer. ' +
    'Such a request counts as what its last sending came to (resentFor in journal.jsonl).',
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

export const contenderGivenUp = {
  code: 'CONTENDER_GIVEN_UP',
  severity: 'warning',
  meaning:
    'A contender was sent nothing more, because nothing that it was sent could succeed: its key is refused, its model is ' +
    'gone, it answers nothing. In the warm-up the first such failure is enough. The other contenders were measured, and ' +
    'their figures are valid; the run ends with exit code 5, and transcribench run --resume sends the rest.',
  detect: ({ material: { record } }) =>
    (record.givenUp ?? []).map(({ id, reason, hint }) => ({
      message: `${id} was given up ${reason.replace(/\.$/, '')}`,
      advice: hint,
    })),
} satisfies RunFinding

export const contendersSkipped = {
  code: 'CONTENDERS_SKIPPED',
  severity: 'warning',
  meaning:
    'Contenders that the config names were skipped by --skip-unready, because the target did not have them. The run ' +
    'says nothing of them; run.json keeps their names and the reason.',
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

export const hostsFailed = {
  code: 'HOSTS_FAILED',
  severity: 'warning',
  meaning:
    'Hosts of a fleet did not measure blocks that they had taken: their target was not ready, they did not accept the job, or they ' +
    'fell silent. Others measured these blocks, so that nothing is missing from the accuracy. The fleet was smaller than it was meant to be, and ' +
    'the time until others took over is in no speed of a single host. run.json lists every block under hostFaults.',
  detect: ({ material: { record } }) =>
    [...Map.groupBy(record.hostFaults ?? [], ({ host }) => host)].map(([host, faults]) => {
      const failed = faults.filter(({ kind }) => kind === 'failed')
      const silent = faults.filter(({ kind }) => kind === 'silent')
      const said = failed.at(-1)?.reason ?? null
      const what = [
        ...(failed.length === 0 ? [] : [`could not measure ${counted(failed.length, 'block')}`]),
        ...(silent.length === 0
          ? []
          : [`fell silent while it measured part ${silent.map(({ part }) => part).join(', ')}`]),
      ]
      return {
        message: `host ${host} ${what.join(', and ')}; other hosts did it${said === null ? '' : `: ${said}`}`,
        advice: 'the speed of all hosts together is that of the fleet without it, waiting included',
      }
    }),
} satisfies RunFinding
