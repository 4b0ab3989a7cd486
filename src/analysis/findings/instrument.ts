import type { AttemptLine, TelemetryLine } from '#journal'
import { numberColumn, type Rows } from '#prelude'
import { quantileNearestRank, sortInPlace } from '#statistics'
import type { EvaluatedLoad, Instrument } from '../documents/evaluation.ts'
import { type Finding, finding } from '../documents/finding.ts'
import { foreignProcessors } from '../figures/foreign-processors.ts'

/**
 * The instrument's own error: how late it sent, how long it was deaf, what it used itself, whether its clocks agree.
 *
 * @param sendings every measured sending of a run; repeats are due when we like and say nothing
 */
export function measureInstrument(
  sendings: Rows<AttemptLine>,
  telemetry: readonly TelemetryLine[],
): Instrument {
  const lagsMs = numberColumn(sendings.length)
  for (const { attempt, sentAtMs, dueAtMs } of sendings) if (attempt === 1) lagsMs.add(sentAtMs - dueAtMs)
  const lags = sortInPlace(lagsMs.values())
  const delays = telemetry
    .map(({ ownLoopDelayMs }) => ownLoopDelayMs ?? null)
    .filter((delay) => delay !== null)
  return {
    sendLagMs:
      lags.length === 0
        ? null
        : {
            p50: quantileNearestRank(lags, 0.5) ?? 0,
            p99: quantileNearestRank(lags, 0.99) ?? 0,
            max: lags.at(-1) ?? 0,
            sampleCount: lags.length,
          },
    loopDelayMaxMs: delays.reduce<number | null>((longest, delay) => Math.max(longest ?? 0, delay), null),
    ownProcessors: ownProcessors(telemetry),
    foreignProcessors: foreignProcessors(telemetry),
    clockStepMaxMs: clockStep(telemetry),
  }
}

/** Processors that the measuring process kept busy, on average. */
function ownProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let cpuSeconds = 0
  let elapsedMs = 0
  for (const lines of sittingsOf(telemetry)) {
    const known = lines.filter(({ ownCpuSeconds }) => ownCpuSeconds !== null)
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined || last === undefined) continue
    cpuSeconds += (last.ownCpuSeconds ?? 0) - (first.ownCpuSeconds ?? 0)
    elapsedMs += last.atMs - first.atMs
  }
  return elapsedMs > 0 ? cpuSeconds / (elapsedMs / 1000) : null
}

/** The largest jump of the wall clock against the monotonic one between two samples. */
function clockStep(telemetry: readonly TelemetryLine[]): number | null {
  const steps = sittingsOf(telemetry).flatMap((lines) => {
    const differences = lines.flatMap(({ wallAtMs, atMs }) =>
      wallAtMs === undefined || wallAtMs === null ? [] : [wallAtMs - atMs],
    )
    return differences.slice(1).map((difference, index) => Math.abs(difference - (differences[index] ?? 0)))
  })
  return steps.length === 0 ? null : steps.reduce((most, step) => Math.max(most, step))
}

/** Between two sittings of a run lies a time that nobody watched, and another process counts from then on. */
function sittingsOf(telemetry: readonly TelemetryLine[]): readonly (readonly TelemetryLine[])[] {
  return [...Map.groupBy(telemetry, ({ sitting = 0 }) => sitting).values()]
}

/** A request may leave this late without saying anything about the generator: a busy moment of any machine. */
const tolerableLagMs = 20
/** Or this share of what somebody waits, of which it is then a small part. */
const tolerableLagShare = 0.1
/** The two clocks drift apart by a fraction of this between samples; a step or a sleep of the machine is more. */
const tolerableStepMs = 250
/** Above this share of the processors, what people wait for is other programs. */
const overloadedShare = 0.5

/**
 * Whether the instrument's own error takes the right to be quoted from the figures. Lateness and a busy machine do so
 * only under an open load, whose figures are times that somebody waited.
 *
 * @param medianLatencyMs of all answered requests; null where there are none
 */
export function instrumentFindings(
  { sendLagMs, foreignProcessors: foreign, clockStepMaxMs }: Instrument,
  {
    load,
    cpuCount,
    medianLatencyMs,
  }: { readonly load: EvaluatedLoad; readonly cpuCount: number; readonly medianLatencyMs: number | null },
): readonly Finding[] {
  const findings: Finding[] = []
  const isOpen = load.latencyCountsFrom === 'due'
  const mostLagMs = Math.max(tolerableLagMs, tolerableLagShare * (medianLatencyMs ?? 0))
  if (isOpen && sendLagMs !== null && sendLagMs.p99 > mostLagMs) {
    findings.push(
      finding(
        'GENERATOR_LATE',
        `1% of the requests left ${sendLagMs.p99.toFixed(0)} ms or more after they were due (most: ` +
          `${sendLagMs.max.toFixed(0)} ms), which is this machine's doing and not the server's`,
        'close other work on this machine, or lower the rate',
      ),
    )
  }
  if (isOpen && foreign !== null && foreign > cpuCount * overloadedShare) {
    findings.push(
      finding(
        'HOST_OVERLOADED',
        `other programs kept ${foreign.toFixed(1)} of ${cpuCount} processors busy, so that the waiting is theirs too`,
        'close other work and measure again',
      ),
    )
  }
  if (clockStepMaxMs !== null && clockStepMaxMs > tolerableStepMs) {
    findings.push(
      finding(
        'CLOCK_STEPPED',
        `the clock of this machine jumped by ${(clockStepMaxMs / 1000).toFixed(1)} s during the run: it was set, or the machine slept`,
        'measure again, and keep the machine awake',
      ),
    )
  }
  return findings
}

/** Little's law may miss by this, and by what the requests that lie over the edges of the windows weigh. */
const tolerableLittleError = 0.02
/** A closed load cannot have more in flight than it keeps, but for what time stamps are rounded by. */
const tolerableOverlap = 0.002

/**
 * Whether the completions and the times of a contender belong to the same window: N = X · R. A closed load has no more in
 * flight than it keeps.
 *
 * @param concurrency what a closed load keeps in flight; null for any other load
 */
export function littleFinding(
  contenderId: string,
  law: {
    readonly meanInFlight: number
    readonly predicted: number
    readonly completedCount: number
    /** Windows, each with two edges of its own. */
    readonly blockCount: number
  },
  concurrency: number | null,
): readonly Finding[] {
  const { meanInFlight, predicted, completedCount, blockCount } = law
  if (meanInFlight === 0) return []
  const overTheEdges = (2 * Math.max(1, meanInFlight) * blockCount) / completedCount
  const error = Math.abs(meanInFlight - predicted) / meanInFlight
  const isOverfull = concurrency !== null && meanInFlight > concurrency * (1 + tolerableOverlap)
  if (error <= tolerableLittleError + overTheEdges && !isOverfull) return []
  const contrast = isOverfull
    ? `the load keeps ${concurrency}`
    : `completions and times make ${predicted.toFixed(2)}`
  return [
    finding(
      'LITTLES_LAW_BROKEN',
      `${meanInFlight.toFixed(2)} requests to ${contenderId} were in flight on average, where ${contrast}: attempts ` +
        'are missing from the journal, or the process was held up',
      'measure again',
    ),
  ]
}
