import { performance } from 'node:perf_hooks'
import type { HostSpeed, RecordedHost } from '#journal/run-record'
import type { Clock } from '#load/clock'
import { readPowerSource } from '#telemetry/energy'
import { sysFolderIn } from '#telemetry/host'
import { measureHostSpeed } from '#telemetry/host-speed'
import { processStart } from '#telemetry/processes'

/** What is read of the machine and of this process before a run. */
export interface RunBeginning {
  /** See `processStart`. */
  readonly processStartedAt: string | null
  readonly hostSpeed: HostSpeed
  readonly power: RecordedHost['power']
}

/** Reads what a record says of the machine and of this process. The machine does nothing else meanwhile. */
export async function readBeginning(
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunBeginning> {
  const hostSpeed = recentHostSpeed(clock)
  const [processStartedAt, power] = await Promise.all([
    processStart(process.pid),
    readPowerSource(sysFolderIn(env)),
  ])
  return { hostSpeed, processStartedAt, power }
}

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
