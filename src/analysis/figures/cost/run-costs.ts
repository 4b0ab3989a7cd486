import { breakEven, energyCost, fixedCosts, hoursPerDay } from '#capacity'
import type { RunRecord } from '#journal'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import type { RunCosts } from '../../documents/costs.ts'

/**
 * Prices of providers for audio next to the cost of this machine.
 *
 * @returns null where no contender has a price that can be looked up, or the record says nothing of machines
 */
export function runCosts(
  { ownPrices }: Pick<RunRecord, 'ownPrices'>,
  contenders: readonly ContenderEvaluation[],
): RunCosts | null {
  const priced = contenders.flatMap((one) =>
    one.cost === null || one.cost.usd === 0 ? [] : [{ ...one.cost, contender: one.contender }],
  )
  if (ownPrices === undefined || priced.length === 0) return null
  const fixed = fixedCosts(ownPrices)
  const local = contenders.flatMap(({ contender, cost, systemSpeed, cpuSecondsPerAudioSecond: cpu }) =>
    cost !== null || systemSpeed.value === null || cpu.value === null
      ? []
      : [
          {
            contenderId: contender.id,
            energyUsdPerAudioHour: energyCost(ownPrices, cpu.value),
            maxAudioHoursPerDay: systemSpeed.value * hoursPerDay,
          },
        ],
  )
  const none = { contenderId: null, energyUsdPerAudioHour: 0, maxAudioHoursPerDay: Number.POSITIVE_INFINITY }
  const { source, date } = ownPrices.machine
  return {
    machine: { usdPerDay: fixed.machinePerDay, idleEnergyUsdPerDay: fixed.idleEnergyPerDay, source, date },
    local,
    providers: priced.map(({ contender, usd, audioSeconds }) => {
      const usdPerAudioHour = usd / (audioSeconds / 3600)
      return {
        contenderId: contender.id,
        usdPerAudioHour,
        usd,
        source: contender.priceSource ?? '',
        date: contender.priceDate ?? '',
        breakEven: (local.length === 0 ? [none] : local).map((own) => ({
          contenderId: own.contenderId,
          ...breakEven(
            { ...fixed, energyPerAudioHour: own.energyUsdPerAudioHour },
            { perAudioHour: usdPerAudioHour },
            own.maxAudioHoursPerDay,
          ),
        })),
      }
    }),
  }
}
