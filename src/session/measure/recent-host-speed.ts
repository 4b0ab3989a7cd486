import { performance } from 'node:perf_hooks'
import type { HostSpeed } from '#journal'
import type { Clock } from '#load'
import { measureHostSpeed } from '#telemetry'

/** Before a run: two runs of machines that differ in speed are not compared. */
const hostSpeedSeconds = 0.2

/** A throttled machine stays so for longer. */
const validForMs = 10_000

let latest: { readonly speed: HostSpeed; readonly measuredAtMs: number } | null = null

/** The speed of this machine, measured at most ten seconds ago: several short runs of one process measure it once. */
export function recentHostSpeed(clock: Pick<Clock, 'nowMs'>): HostSpeed {
  if (latest === null || performance.now() - latest.measuredAtMs > validForMs) {
    latest = { speed: measureHostSpeed(clock, hostSpeedSeconds), measuredAtMs: performance.now() }
  }
  return latest.speed
}
