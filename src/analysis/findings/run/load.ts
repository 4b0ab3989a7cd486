import type { AttemptLine } from '#journal/attempt-line'
import type { RunRecord } from '#journal/run-record'
import { counted, shellWord } from '#prelude'
import type { Bounds } from '#statistics/bounds'
import { estimateMean } from '#statistics/distributions'
import { batchMeans, lag1Autocorrelation } from '#statistics/intervals'
import { median } from '#statistics/quantiles'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import { askedThresholds } from '../../metrics/threshold.ts'
import type { LatencySample } from '../../requests/request-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import { contenderFinding, runFinding } from '../run-facts.ts'

/** A stall is a time without answers of at least this length, and of this multiple of the next answer's usual time. */
const shortestStallMs = 1000
const leastTimes = 5
/** Min share of stalled time for a finding; any server has short stalls. */
const leastShare = 0.01
/** Suggested rate of an open load, as a share of the closed load's, which a server with such stalls can serve. */
const openShare = 0.7

/** @see Schroeder, Wierman and Harchol-Balter 2006, "Open versus closed: a cautionary tale" */
export const closedLoadHides = runFinding(
  'CLOSED_LOAD_HIDES',
  'warning',
  ({ load, resolved, contenders, material: { record } }) =>
    load.kind !== 'closed'
      ? []
      : resolved.contenders.flatMap((contender, index) => stallsOf(contender, contenders[index], record)),
)

function stallsOf(
  { contender, sendings }: ResolvedContender,
  figures: ContenderEvaluation | undefined,
  record: RunRecord,
): Observation | readonly [] {
  const usualMs = usualTime(sendings)
  const blocks = [...Map.groupBy(sendings, ({ block, segment = 0 }) => `${block} ${segment}`).values()].map(
    (block) => findStalls(block, usualMs),
  )
  const measuredMs = blocks.reduce((sum, block) => sum + block.forMs, 0)
  const stalls = blocks.flatMap((block) => block.stallsMs)
  const stalledMs = stalls.reduce((sum, ms) => sum + ms, 0)
  if (stalls.length === 0 || stalledMs < leastShare * measuredMs) return []
  const longest = stalls.reduce((most, ms) => Math.max(most, ms), 0)
  const p95 = figures?.latencyMs.p95.value ?? null
  const rate = (openShare * sendings.length) / (measuredMs / 1000)
  const share = Math.max(1, Math.round((100 * stalledMs) / measuredMs))
  return {
    message:
      `${contender.id} gave no answer for up to ${(longest / 1000).toFixed(1)} s at a time, ${counted(stalls.length, 'time')}, ` +
      `${share}% of the time in all` +
      (p95 === null
        ? ': under a closed load hardly a request meets that'
        : `, of which p95 (${Math.round(p95)} ms) shows little: under a closed load hardly a request meets that`),
    advice: `what users would meet shows an open load: ${openLoadCommand(record, `${Number(rate.toPrecision(2))}/s`)}`,
  }
}

/** Returns the command of a closed-load run as one with arrivals, or a description if it is unknown or in a config. */
function openLoadCommand({ command, settingSources = {} }: RunRecord, rate: string): string {
  const isInFile = Object.entries(settingSources).some(
    ([key, from]) => key.startsWith('load') && from === 'file',
  )
  if (command.length === 0 || isInFile) return `the same with the load {rate: ${rate}, duration: 60s}`
  // One round of a load with a length is the whole load.
  const isOfClosed = (word: string | undefined): boolean => word === '--concurrency' || word === '--rounds'
  const words = command.filter(
    (word, index) => !/^--(concurrency|rounds)(=|$)/.test(word) && !isOfClosed(command[index - 1]),
  )
  return [...words, '--rate', rate, '--duration', '60s'].map(shellWord).join(' ')
}

/** Returns the usual time of an answer by its audio length: the max of the median time and that per second of audio. */
function usualTime(sendings: readonly AttemptLine[]): (sending: AttemptLine) => number {
  const took: number[] = []
  const perSecond: number[] = []
  for (const { outcome, sentAtMs, endedAtMs, audioSeconds } of sendings) {
    if (!outcome.ok) continue
    took.push(endedAtMs - sentAtMs)
    if (audioSeconds > 0) perSecond.push((endedAtMs - sentAtMs) / audioSeconds)
  }
  const [usualMs, usualPerSecond] = [took, perSecond].map((times) => median(times) ?? 0)
  return ({ audioSeconds }) => Math.max(usualMs ?? 0, audioSeconds * (usualPerSecond ?? 0))
}

/** Returns the times in a block without any answer that are too long for the answer that ended them. */
function findStalls(
  block: readonly AttemptLine[],
  usualMs: (sending: AttemptLine) => number,
): { readonly forMs: number; readonly stallsMs: readonly number[] } {
  const inTime = [...block].sort((one, other) => one.endedAtMs - other.endedAtMs)
  const startMs = inTime.reduce((least, { sentAtMs }) => Math.min(least, sentAtMs), Number.POSITIVE_INFINITY)
  const stallsMs: number[] = []
  let beforeMs = startMs
  for (const sending of inTime) {
    // Excludes times with nothing in flight, during a pause for a rate limit or a wait before a retry.
    const gapMs = sending.endedAtMs - Math.max(beforeMs, sending.sentAtMs)
    if (sending.outcome.ok && gapMs >= shortestStallMs && gapMs >= leastTimes * usualMs(sending))
      stallsMs.push(gapMs)
    beforeMs = sending.endedAtMs
  }
  return { forMs: (inTime.at(-1)?.endedAtMs ?? startMs) - startMs, stallsMs }
}

/** @see Schroeder, Wierman and Harchol-Balter 2006, "Open versus closed: a cautionary tale" */
export const closedLoadObjective = runFinding(
  'CLOSED_LOAD_OBJECTIVE',
  'note',
  ({ material: { record }, load: { kind, description } }) => {
    if (kind !== 'closed') return []
    const thresholds = askedThresholds(record.config).filter(({ metric }) =>
      metric.id.startsWith('latency.p'),
    )
    if (thresholds.length === 0) return []
    return {
      message:
        `${thresholds.map(({ text }) => `"${text}"`).join(' and ')} ${thresholds.length === 1 ? 'was' : 'were'} checked under a load that waits for its answers (${description}): ` +
        'people who come when they like would wait longer',
      advice: 'what they would see: --rate, --users or transcribench capacity',
    }
  },
)

/** Min share of a closed load's concurrency that is in flight on average. */
const keptShare = 0.95

export const loadNotKept = contenderFinding(
  'LOAD_NOT_KEPT',
  'warning',
  ({ contender, systemSpeed }, { load }) => {
    const { id, concurrency = load.concurrency } = contender
    if (concurrency === null || systemSpeed.value === null) return []
    const { meanInFlight } = systemSpeed
    if (meanInFlight >= concurrency * keptShare) return []
    const share = Math.round((1 - meanInFlight / concurrency) * 100)
    return {
      message:
        `on average ${meanInFlight.toFixed(2)} of ${concurrency} requests to ${id} were in ` +
        `flight: its speed is understated by about ${share}%`,
      advice: 'close other programs, or use longer audio',
    }
  },
)

/** Min number of requests to estimate their autocorrelation. */
const fewestRequests = 100
/** Number of standard errors above which there is autocorrelation: by chance in one of a thousand runs. */
const clearErrors = 3
/** Min widening of the interval for a finding. */
const leastWidening = 1.5

/** Only an open load is checked, with the latencies of its steady part in the order of the due times. */
export const latenciesDependent = runFinding('LATENCIES_DEPENDENT', 'warning', ({ load, scored }) =>
  load.latencyCountsFrom === 'due'
    ? scored.flatMap(({ resolved, latencies }) => dependence(resolved.contender.id, latencies))
    : [],
)

/**
 * Tests whether consecutive requests have correlated latencies, as in one queue. Percentiles and their intervals
 * assume independent requests. Otherwise the intervals are too narrow, about as much as that of the mean, which
 * batches of requests show.
 *
 * @returns a finding if the interval by batches is at least 1.5 times as wide, or the run is too short for batches
 * @see `batchMeans` of #statistics
 */
function dependence(contenderId: string, samples: readonly LatencySample[]): readonly Observation[] {
  const values = samples.map(({ latencyMs }) => latencyMs)
  const alone = estimateMean(values)
  if (alone === null || values.length < fewestRequests || alone.standardError === 0) return []
  if (lag1Autocorrelation(values) < clearErrors / Math.sqrt(values.length)) return []
  const batches = batchMeans(values)
  const cause = `consecutive requests to ${contenderId} have correlated latencies`
  const advice = 'measure longer with --duration, and compare several runs'
  if (!batches.resolved) {
    const message = `${cause}, and the run is too short to measure how much: the intervals of its percentiles are too narrow`
    return [{ message, advice }]
  }
  const widthOf = ({ low, high }: Bounds): number => high - low
  const widening = widthOf(batches.interval) / widthOf(alone.intervalAt(batches.confidence))
  if (widening < leastWidening) return []
  // The interval is of the logarithm, by the delta method, because a time cannot be negative.
  const share = widthOf(batches.interval) / 2 / batches.mean
  const [low, high] = [batches.mean * Math.exp(-share), batches.mean * Math.exp(share)]
  const mean = `mean latency ${seconds(batches.mean)} (95% interval ${seconds(low)} to ${seconds(high)})`
  const message = `${cause}: ${mean} has an interval ${widening.toFixed(1)} times as wide as independent requests would give, and so do percentiles`
  return [{ message, advice }]
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 1000 ? 3 : 2)} s`
}

/** Max clock step. Clocks drift apart by a fraction of it between samples; a step or a sleep is more. */
const tolerableStepMs = 250

export const clockStepped = runFinding('CLOCK_STEPPED', 'invalid', ({ instrument: { clockStepMaxMs } }) => {
  if (clockStepMaxMs === null || clockStepMaxMs <= tolerableStepMs) return []
  return {
    message: `the clock of this machine jumped by ${(clockStepMaxMs / 1000).toFixed(1)} s during the run: it was set, or the machine slept`,
    advice: 'measure again, and keep the machine awake',
  }
})

/** Max error of the common start; above it, simultaneous arrivals on all hosts differ too much. */
const tolerableMs = 5

export const startNotCommon = runFinding('START_NOT_COMMON', 'invalid', ({ material: { record } }) =>
  (record.hosts ?? []).flatMap(({ name, clock }) => {
    if (clock?.startErrorMs == null) return []
    const distanceMs = clock.startErrorMs + clock.uncertaintyMs
    if (distanceMs <= tolerableMs) return []
    return {
      message: `${name} did not start with the other hosts: up to ${distanceMs.toFixed(1)} ms away, of which ${clock.uncertaintyMs.toFixed(1)} ms are the uncertainty of its clock`,
      advice: 'measure again, with a queue that is nearer to the hosts',
    }
  }),
)

export const blocksRepeated = runFinding('BLOCKS_REPEATED', 'note', ({ material: { record } }) => {
  const repeated = (record.hosts ?? []).flatMap(({ name, further = [] }) =>
    further.map(({ part }) => `part ${part} on ${name}`),
  )
  if (repeated.length === 0) return []
  const shown = repeated.slice(0, 5).join(', ')
  const [were, does] = repeated.length === 1 ? ['was', 'does'] : ['were', 'do']
  return {
    message: `${counted(repeated.length, 'block')} of the fleet ${were} measured once more and ${does} not count: ${shown}${repeated.length > 5 ? ', …' : ''}`,
  }
})
