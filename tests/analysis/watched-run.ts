import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { TelemetryLine } from '#journal/telemetry-line'
import { blank } from '../journal/a-run.ts'
import type { PlayedRun } from './measured-run.ts'

/** Counters of the server and the machine, at the end of every attempt. */
export function watched(
  run: PlayedRun,
  {
    cpuPaces,
    foreign = () => 0,
  }: {
    /** Processor seconds for a second of audio. */
    readonly cpuPaces: Readonly<Record<string, number>>
    /** Processors that other programs keep busy, by the share of the run that has gone by. */
    readonly foreign?: (share: number) => number
  },
): RunMaterial {
  const endMs = run.attempts.at(-1)?.endedAtMs ?? 1
  let [serverCpuSeconds, hostCpuSeconds, beforeMs] = [0, 0, 0]
  const line = (atMs: number): TelemetryLine => ({
    ...blank,
    atMs,
    serverCpuSeconds,
    hostCpuSeconds,
    ownCpuSeconds: 0,
  })
  const telemetry = [line(0)]
  for (const { contenderId, audioSeconds, endedAtMs } of run.attempts) {
    const own = (cpuPaces[contenderId] ?? 0) * audioSeconds
    serverCpuSeconds += own
    hostCpuSeconds += own + (foreign(endedAtMs / endMs) * (endedAtMs - beforeMs)) / 1000
    beforeMs = endedAtMs
    telemetry.push(line(endedAtMs))
  }
  return { ...run, telemetry }
}
