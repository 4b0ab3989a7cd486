import type { AttemptLine } from '#journal/attempt-line'
import type { TelemetryLine } from '#journal/telemetry-line'
import { numberColumn } from '#prelude'
import { quantileNearestRank, sortInPlace } from '#statistics/quantiles'
import type { Instrument } from '../../documents/evaluation.ts'
import { foreignProcessors } from './resources.ts'

/**
 * Measures the client's own errors: send lag, event-loop stalls, its use of resources, and clock steps.
 *
 * @param sendings all measured sendings of a run; only first attempts count for send lag, because the client chooses
 *   the time of a repeat
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

/** Returns the mean number of processors that the measuring process kept busy. */
function ownProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let cpuSeconds = 0
  let elapsedMs = 0
  for (const lines of splitSegments(telemetry)) {
    const readings = lines.filter(({ ownCpuSeconds }) => ownCpuSeconds !== null)
    const [first, last] = [readings[0], readings.at(-1)]
    if (first === undefined || last === undefined) continue
    cpuSeconds += (last.ownCpuSeconds ?? 0) - (first.ownCpuSeconds ?? 0)
    elapsedMs += last.atMs - first.atMs
  }
  return elapsedMs > 0 ? cpuSeconds / (elapsedMs / 1000) : null
}

/** Returns the mean number of processors that the samplers kept busy, without the time of ended programs. */
function samplerProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let [cpuSeconds, elapsedMs] = [0, 0]
  for (const lines of splitSegments(telemetry)) {
    const readings = lines.flatMap(({ atMs, samplerCpuSeconds: seconds }) =>
      seconds === null ? [] : [{ atMs, seconds }],
    )
    for (const [index, { atMs, seconds }] of readings.entries()) {
      const before = readings[index - 1]
      if (before === undefined) continue
      cpuSeconds += Math.max(0, seconds - before.seconds)
      elapsedMs += atMs - before.atMs
    }
  }
  return elapsedMs > 0 ? cpuSeconds / (elapsedMs / 1000) : null
}

/** Returns the max jump of the wall clock against the monotonic clock between two samples. */
function clockStep(telemetry: readonly TelemetryLine[]): number | null {
  const steps = splitSegments(telemetry).flatMap((lines) => {
    const differences = lines.flatMap(({ wallAtMs, atMs }) => (wallAtMs === null ? [] : [wallAtMs - atMs]))
    return differences.slice(1).map((difference, index) => Math.abs(difference - (differences[index] ?? 0)))
  })
  return steps.length === 0 ? null : steps.reduce((most, step) => Math.max(most, step))
}

/** Splits telemetry by segment, because nothing was sampled between segments, and each has another process. */
function splitSegments(telemetry: readonly TelemetryLine[]): readonly (readonly TelemetryLine[])[] {
  return [...Map.groupBy(telemetry, ({ segment = 0 }) => segment).values()]
}
