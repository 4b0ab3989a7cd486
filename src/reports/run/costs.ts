import type { LocalBreakEven, ProviderRunCost, RunCosts } from '#analysis/documents/costs'
import { sumOf } from '#prelude'
import { fixed, formatDollars } from '../layout/units.ts'

/** The maximum cost of one contender, before anything is sent. */
export interface PlannedCostText {
  readonly contenderId: string
  readonly minutes: number
  readonly usd: number | null
  readonly usdPerAudioHour: number | null
  readonly source: string | null
  readonly date: string | null
  readonly own: { readonly usdPerDay: number; readonly cheaperFromAudioHoursPerDay: number } | null
}

/** A line or two for each contender that is billed, and the total of several. */
export function plannedCostLines(costs: readonly PlannedCostText[]): readonly string[] {
  const known = costs.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  const sum = sumOf(known, (usd) => usd)
  return [
    ...costs.flatMap(plannedLines),
    ...(costs.length > 1 && known.length > 0
      ? [
          `together about ${formatDollars(sum)} USD${known.length < costs.length ? ', without the unknown prices' : ''}`,
        ]
      : []),
  ]
}

function plannedLines(cost: PlannedCostText): readonly string[] {
  const { contenderId, minutes, usd, usdPerAudioHour, source, date, own } = cost
  const sent = `${contenderId}: ${fixed(minutes, 1)} minutes of audio`
  if (usd === null || usdPerAudioHour === null)
    return [`${sent}, billed at an unknown price: usdPerMinute in the config, or --prices`]
  const from = [source, date].filter((part) => part !== null).join(', ')
  return [
    `${sent}, about ${formatDollars(usd)} USD (${formatDollars(usdPerAudioHour)} USD an hour of audio${from === '' ? '' : `; ${from}`})`,
    ...(own === null
      ? []
      : [
          `a machine of your own at ${formatDollars(own.usdPerDay)} USD a day is cheaper from ` +
            `${audioADay(own.cheaperFromAudioHoursPerDay)}, not counting its energy for decoding`,
        ]),
  ]
}

/** The price of each provider, and the audio per day from which an own machine is cheaper: a sentence each. */
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
function audioADay(hours: number): string {
  const text = hours < 0.1 ? `${fixed(60 * hours, 1)} minutes` : `${fixed(hours, 1)} hours`
  return `${text} of audio a day`
}
