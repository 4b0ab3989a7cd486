import type { LocalBreakEven, ProviderRunCost, RunCosts } from '#analysis/documents/costs'
import { fixed, formatDollars } from '../layout/units.ts'

export function runCostLines({ machine, providers }: RunCosts): readonly string[] {
  const perDay = formatDollars(machine.usdPerDay + machine.idleEnergyUsdPerDay)
  return providers.flatMap((provider) => [
    `${provider.contenderId}: ${formatDollars(provider.usdPerAudioHour)} USD an hour of audio (${nameSource(provider)})`,
    ...provider.breakEven.map(
      (even) => `a machine of your own at ${perDay} USD a day ${breakEvenWords(even)}`,
    ),
  ])
}

export function nameSource({ source, date }: Pick<ProviderRunCost, 'source' | 'date'>): string {
  return [source, date].filter((part) => part !== '').join(', ')
}

/** A predicate for the subject "a machine of your own". */
export function breakEvenWords(even: LocalBreakEven): string {
  const running = even.contenderId === null ? '' : ` with ${even.contenderId}`
  const energy = even.contenderId === null ? ', not counting its energy for decoding' : ''
  switch (even.kind) {
    case 'at':
      return `is cheaper${running} from ${audioADay(even.audioHoursPerDay)}${energy}`
    case 'never':
      return `is never cheaper${running}: its energy alone costs more`
    case 'beyondOneMachine':
      return `is cheaper${running} from ${audioADay(even.audioHoursPerDay)}, more than one can do`
  }
}

/** Audio per day; below 0.1 hours in minutes, because `0.0 hours` would be meaningless. */
export function audioADay(hours: number): string {
  const text = hours < 0.1 ? `${fixed(60 * hours, 1)} minutes` : `${fixed(hours, 1)} hours`
  return `${text} of audio a day`
}
