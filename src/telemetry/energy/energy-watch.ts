import { type BatteryPower, readBatteryPower } from './power-supplies.ts'
import { openEnergyCounters } from './rapl.ts'

/** Energy at one moment. */
export interface EnergyReading {
  /** Joules of each counter of the processor since the watch began; null where there is none. */
  readonly joules: Readonly<Record<string, number>> | null
  /** Null where it is not known, and where it was read a moment before. */
  readonly batteryWatts: number | null
  /** Why one of them is absent; null where it is not. */
  readonly reasons: { readonly rapl: string | null; readonly battery: string | null }
}

export interface EnergyWatch {
  read(atMs: number): Promise<EnergyReading>
}

/** A battery changes its figures every few seconds, and its driver may take milliseconds to ask it. */
const batteryEveryMs = 1000

/** @param sysFolder usually `/sys` */
export function watchEnergy(sysFolder: string): EnergyWatch {
  const counters = openEnergyCounters(sysFolder)
  let battery: BatteryPower | null = null
  let batteryAtMs = Number.NEGATIVE_INFINITY
  return {
    async read(atMs) {
      const isDue = atMs - batteryAtMs >= batteryEveryMs
      if (isDue) {
        batteryAtMs = atMs
        battery = await readBatteryPower(sysFolder)
      }
      const joules = counters.read()
      return {
        joules,
        batteryWatts: isDue ? (battery?.watts ?? null) : null,
        reasons: { rapl: counters.reason(), battery: battery?.reason ?? null },
      }
    },
  }
}
