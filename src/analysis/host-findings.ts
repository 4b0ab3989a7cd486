import type { RecordedHost, TelemetryLine } from '#journal'
import { quantile, sortSamples } from '#statistics'
import { type Finding, finding } from './findings.ts'

/** Above this share of the processors, other programs are in the way. */
const quietShare = 0.2

/**
 * Whether other programs used the machine while it measured.
 *
 * @param foreign see `foreignProcessors`
 */
export function hostFindings(cpuCount: number, foreign: number | null): readonly Finding[] {
  if (foreign === null || foreign <= cpuCount * quietShare) return []
  return [
    finding(
      'HOST_BUSY',
      `other programs kept ${foreign.toFixed(1)} of ${cpuCount} processors busy: latency and speed are pessimistic`,
      'close other work and measure again',
    ),
  ]
}

export function batteryFinding({ power }: Pick<RecordedHost, 'power'>): readonly Finding[] {
  if (power !== 'battery') return []
  const message = 'the machine ran on its battery: processors may have been slowed down'
  return [finding('ON_BATTERY', message, 'plug it in and measure again')]
}

/**
 * Processors that other programs kept busy, the median over the run: what is left of the processors' busy time after
 * the server's and the client's own.
 *
 * @param telemetry samples in the order of time; those without the server's processor time say nothing
 * @returns null where it cannot be told
 */
export function foreignProcessors(telemetry: readonly TelemetryLine[]): number | null {
  const foreign = telemetry.map((sample, index) => foreignBetween(telemetry[index - 1], sample))
  return quantile(sortSamples(foreign.filter((processors) => processors !== null)), 0.5)
}

/** What other programs kept busy between two samples, in processors; null where it cannot be told. */
function foreignBetween(before: TelemetryLine | undefined, after: TelemetryLine): number | null {
  if (before === undefined || before.sitting !== after.sitting) return null
  const elapsedSeconds = (after.atMs - before.atMs) / 1000
  const serverSeconds = growth(before.serverCpuSeconds, after.serverCpuSeconds)
  const ownSeconds = growth(before.ownCpuSeconds, after.ownCpuSeconds)
  const hostSeconds = growth(before.hostCpuSeconds, after.hostCpuSeconds)
  if (elapsedSeconds <= 0 || serverSeconds === null || ownSeconds === null || hostSeconds === null)
    return null
  return Math.max(0, hostSeconds - serverSeconds - ownSeconds) / elapsedSeconds
}

function growth(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}
