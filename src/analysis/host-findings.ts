import type { TelemetryLine } from '#journal'
import { quantile, sortSamples } from '#statistics'
import { type Finding, finding } from './findings.ts'

/**
 * Whether other programs used the machine while it measured. The load average counts everything that ran;
 * what is left after the server's own processor time and one processor for the client is foreign.
 *
 * @param telemetry samples in the order of time; those without a load average say nothing
 */
export function hostFindings(cpuCount: number, telemetry: readonly TelemetryLine[]): readonly Finding[] {
  const foreign: number[] = []
  for (const [index, sample] of telemetry.entries()) {
    const before = telemetry[index - 1]
    if (sample.hostLoad1 === null || before === undefined) continue
    foreign.push(sample.hostLoad1 - serverProcessors(before, sample) - 1)
  }
  const median = quantile(sortSamples(foreign), 0.5)
  if (median === null || median <= cpuCount / 2) return []
  return [
    finding(
      'HOST_BUSY',
      `other programs kept about ${median.toFixed(1)} of ${cpuCount} processors busy: latency and speed are pessimistic`,
      'close other work and measure again',
    ),
  ]
}

/** Processors that the server kept busy between two samples; 0 where it cannot be told. */
function serverProcessors(before: TelemetryLine, after: TelemetryLine): number {
  const elapsedSeconds = (after.atMs - before.atMs) / 1000
  if (before.serverCpuSeconds === null || after.serverCpuSeconds === null || elapsedSeconds <= 0) return 0
  return Math.max(0, after.serverCpuSeconds - before.serverCpuSeconds) / elapsedSeconds
}
