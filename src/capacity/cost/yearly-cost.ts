import { type CloudCost, daysPerYear, hoursPerDay, type LocalCost } from './cost.ts'
import type { UserHabit } from './fleet.ts'
import type { MachinePrice } from './prices.ts'

/** What so many concurrent users cost in a year, on machines of one's own and at providers. */
export interface YearlyCosts {
  /** ISO 4217. */
  readonly currency: string
  /** Mean load of the year over that of all users at the same time, 0..1. */
  readonly utilisation: number
  /** Audio that the users send in a year. */
  readonly audioHours: number
  /** Machines without a spare one, with their energy; null where the work of one hour cannot be priced. */
  readonly own: ({ readonly machines: number; readonly amount: number } & PriceOrigin) | null
  readonly providers: readonly ({
    readonly id: string
    readonly name: string
    readonly amount: number
  } & PriceOrigin)[]
}

/** Where a price comes from, and when it was read there. */
interface PriceOrigin {
  readonly source: string
  readonly date: string
}

/**
 * Each user speaks meanAudio / (meanAudio + meanPause) of the time at the peak; over the year the load is `utilisation` of that.
 *
 *   audio hours = users · speech share · hours of a year · utilisation
 *   own         = machines · (price / life + idle energy) + energy of an audio hour · audio hours
 *   provider    = price of an audio hour, as billed for these recordings · audio hours
 */
export function yearlyCosts(
  { users, machines }: { readonly users: number; readonly machines: number | null },
  { meanAudioSeconds, meanPauseSeconds }: UserHabit,
  {
    currency,
    utilisation,
    local,
    machine,
    cloud,
  }: {
    readonly currency: string
    readonly utilisation: number
    readonly local: LocalCost | null
    readonly machine: Pick<MachinePrice, 'source' | 'date'>
    readonly cloud: readonly CloudCost[]
  },
): YearlyCosts {
  const speechShare = meanAudioSeconds / (meanAudioSeconds + meanPauseSeconds)
  const audioHours = users * speechShare * daysPerYear * hoursPerDay * utilisation
  const own =
    local === null || machines === null
      ? null
      : {
          machines,
          amount:
            machines * (local.machinePerDay + local.idleEnergyPerDay) * daysPerYear +
            local.energyPerAudioHour * audioHours,
          source: machine.source,
          date: machine.date,
        }
  return {
    currency,
    utilisation,
    audioHours,
    own,
    providers: cloud.map(({ id, name, perAudioHour, source, date }) => ({
      id,
      name,
      amount: perAudioHour * audioHours,
      source,
      date,
    })),
  }
}
