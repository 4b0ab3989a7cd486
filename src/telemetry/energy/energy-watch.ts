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
  /** Asks the battery, where a second has passed since it was asked last. Its driver may take milliseconds. */
  askBattery(atMs: number): Promise<void>
  /** Reads the counters at once, with what the battery has answered since the last reading. */
  read(): EnergyReading
}

/** A battery changes its figures every few seconds. */
const batteryEveryMs = 1000

/** @param sysFolder usually `/sys` */
export function watchEnergy(sysFolder: string): EnergyWatch {
  const counters = openEnergyCounters(sysFolder)
  let battery: BatteryPower | null = null
  let batteryAtMs = Number.NEGATIVE_INFINITY
  let isFresh = false
  return {
    async askBattery(atMs) {
      if (atMs - batteryAtMs < batteryEveryMs) return
      batteryAtMs = atMs
      battery = await readBatteryPower(sysFolder)
      isFresh = true
    },
    read() {
      const batteryWatts = isFresh ? (battery?.watts ?? null) : null
      isFresh = false
      return {
        joules: counters.read(),
        batteryWatts,
        reasons: { rapl: counters.reason(), battery: battery?.reason ?? null },
      }
    },
  }
}
