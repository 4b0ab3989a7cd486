import { z } from 'zod'
import type { AttemptLine } from '#journal/attempt-line'
import type { HostSpeed, RunRecord } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'
import { type DeepReadonly, numberColumn } from '#prelude'
import { part } from '#prelude/document-fields'
import { quantile, quantileNearestRank, sortInPlace, sortSamples } from '#statistics/quantiles'
import { mannKendallTest, trendSlope } from '#statistics/series/trend'
import type { Instrument } from '../../documents/evaluation.ts'
import type { RunMaterial } from '../../requests/resolved-run.ts'
import { foreignProcessors } from './resources.ts'

/**
 * The instrument's own error: how late it sent, how long it was deaf, what it used itself, whether its clocks agree.
 *
 * @param sendings every measured sending of a run; of each request only the first attempt counts, since the client chooses when a repeat is due
 */
export function measureInstrument(
  sendings: readonly AttemptLine[],
  telemetry: readonly TelemetryLine[],
): Instrument {
  const lagsMs = numberColumn(sendings.length)
  for (const { attempt, sentAtMs, dueAtMs } of sendings) if (attempt === 1) lagsMs.add(sentAtMs - dueAtMs)
  const lags = sortInPlace(lagsMs.values())
  const delays = telemetry.map(({ ownLoopDelayMs }) => ownLoopDelayMs).filter((delay) => delay !== null)
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
    samplerProcessors: samplerProcessors(telemetry),
    foreignProcessors: foreignProcessors(telemetry),
    clockStepMaxMs: clockStep(telemetry),
  }
}

/** Processors that the measuring process kept busy, on average. */
function ownProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let cpuSeconds = 0
  let elapsedMs = 0
  for (const lines of splitSegments(telemetry)) {
    const known = lines.filter(({ ownCpuSeconds }) => ownCpuSeconds !== null)
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined || last === undefined) continue
    cpuSeconds += (last.ownCpuSeconds ?? 0) - (first.ownCpuSeconds ?? 0)
    elapsedMs += last.atMs - first.atMs
  }
  return elapsedMs > 0 ? cpuSeconds / (elapsedMs / 1000) : null
}

/** Processors that the programs which sample kept busy, on average; the time of one that has ended goes with it. */
function samplerProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let [cpuSeconds, elapsedMs] = [0, 0]
  for (const lines of splitSegments(telemetry)) {
    const known = lines.flatMap(({ atMs, samplerCpuSeconds: seconds }) =>
      seconds === null ? [] : [{ atMs, seconds }],
    )
    for (const [index, { atMs, seconds }] of known.entries()) {
      const before = known[index - 1]
      if (before === undefined) continue
      cpuSeconds += Math.max(0, seconds - before.seconds)
      elapsedMs += atMs - before.atMs
    }
  }
  return elapsedMs > 0 ? cpuSeconds / (elapsedMs / 1000) : null
}

/** The largest jump of the wall clock against the monotonic one between two samples. */
function clockStep(telemetry: readonly TelemetryLine[]): number | null {
  const steps = splitSegments(telemetry).flatMap((lines) => {
    const differences = lines.flatMap(({ wallAtMs, atMs }) => (wallAtMs === null ? [] : [wallAtMs - atMs]))
    return differences.slice(1).map((difference, index) => Math.abs(difference - (differences[index] ?? 0)))
  })
  return steps.length === 0 ? null : steps.reduce((most, step) => Math.max(most, step))
}

/** Between two segments of a run is a time that was not watched, and another process counts from then on. */
function splitSegments(telemetry: readonly TelemetryLine[]): readonly (readonly TelemetryLine[])[] {
  return [...Map.groupBy(telemetry, ({ segment = 0 }) => segment).values()]
}

export const driftSchema = part('Drift', 'A slow change of the machine over the time of several runs.', {
  utteranceId: z.string().describe('The reference utterance.'),
  relativeChange: z
    .number()
    .describe('Change of its latency from the first run to the last; 0.1 is 10 % slower at the end.'),
  pValue: z.number().describe('Of the Mann-Kendall test of a trend.'),
})
export type Drift = DeepReadonly<z.infer<typeof driftSchema>>

/**
 * Whether the latency of one recording rises or falls steadily from run to run of one side. The recording of
 * median length is the reference utterance. In ABBA order such a drift affects both sides alike; it is reported because
 * a machine that heats up is not the machine that was to be measured.
 *
 * @param runs of one contender, in the order of time
 * @returns null where no run-to-run trend is significant at 1 %
 * @see Mann 1945, doi:10.2307/1907187; Sen 1968, doi:10.1080/01621459.1968.10480934
 */
export function referenceDrift(runs: readonly RunMaterial[]): Drift | null {
  const [first] = runs
  if (first === undefined) return null
  const byLength = first.utterances.toSorted((a, b) => a.durationSeconds - b.durationSeconds)
  const utteranceId = byLength[Math.floor(byLength.length / 2)]?.id
  if (utteranceId === undefined) return null
  const logs = runs.flatMap(({ attempts }) => {
    const own = attempts.filter(
      (attempt) => attempt.utteranceId === utteranceId && attempt.phase === 'measure' && attempt.outcome.ok,
    )
    const latencies = own.map(({ sentAtMs, endedAtMs }) => Math.log(Math.max(0.001, endedAtMs - sentAtMs)))
    return latencies.length === 0 ? [] : [latencies.reduce((sum, value) => sum + value, 0) / latencies.length]
  })
  const trend = mannKendallTest(logs)
  const line = trendSlope(logs.map((y, x) => ({ x, y })))
  if (trend === null || line === null || trend.pValue > 0.01) return null
  const relativeChange = Math.expm1(line.slope * (logs.length - 1))
  return { utteranceId, relativeChange, pValue: trend.pValue }
}

/** How far the machine of one side may be behind the other's: several times what the same machine differs by from run to run. */
const tolerance = 0.15

/** The same short work before the runs of both sides, as the machine did it. */
export interface HostSpeedDifference {
  /** Run's over base's, of the figure that differs less; under 1 where the run's machine was slower. */
  readonly ratio: number
  readonly base: ComputingSpeed
  readonly run: ComputingSpeed
}

/** The part of a host speed index that engines lean on. */
type ComputingSpeed = Pick<HostSpeed, 'integerMillionsPerSecond' | 'floatBillionsPerSecond'>

/**
 * Whether the machines of two sides were equally fast, by their host speed indexes. A throttled or another machine is
 * slower in integers and in floats, and so both have to differ, the same way. Of several runs the middle one speaks for its
 * side, so that a single bad moment does not.
 *
 * @returns null where they were, and where a side has no index
 */
export function hostSpeedDifference(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): HostSpeedDifference | null {
  const [left, right] = [findMiddle(base), findMiddle(run)]
  if (left === null || right === null) return null
  const ratios = [
    right.integerMillionsPerSecond / left.integerMillionsPerSecond,
    right.floatBillionsPerSecond / left.floatBillionsPerSecond,
  ]
  const [lower, higher] = [Math.min(...ratios), Math.max(...ratios)]
  if (higher < 1 - tolerance) return { ratio: higher, base: left, run: right }
  return lower > 1 / (1 - tolerance) ? { ratio: lower, base: left, run: right } : null
}

function findMiddle(side: readonly RunRecord[]): ComputingSpeed | null {
  const middle = (figure: keyof ComputingSpeed): number =>
    quantile(sortSamples(side.map(({ host }) => host.speed[figure])), 0.5) ?? 0
  const [integerMillionsPerSecond, floatBillionsPerSecond] = [
    middle('integerMillionsPerSecond'),
    middle('floatBillionsPerSecond'),
  ]
  return integerMillionsPerSecond > 0 && floatBillionsPerSecond > 0
    ? { integerMillionsPerSecond, floatBillionsPerSecond }
    : null
}
