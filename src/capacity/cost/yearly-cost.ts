import type { CloudCost, LocalCost, UserHabit, YearlyCosts } from '../document/found-costs.ts'
import { daysPerYear, hoursPerDay } from './cost.ts'
import type { MachinePrice } from './prices.ts'

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
