import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { group, list, nullableText, number, oneOf, part, text } from '#prelude/document-fields'

const source = text.describe('Where the price was read.')
const date = text.describe('When it was read there.')

/** Cost of a contender's audio in US dollars, by the price in the config. The contender has the source of the price. */
export const moneySpentSchema = part('MoneySpent', 'What the audio of a contender cost.', {
  usdPerAudioHour: number.describe('US dollars for an hour of audio, as it is billed.'),
  audioSeconds: number.describe('Audio that was sent, warm-up and repeats included, in seconds.'),
  usd: number.describe('US dollars for it.'),
})
export type MoneySpent = DeepReadonly<z.infer<typeof moneySpentSchema>>

const localRunCostSchema = group({
  contenderId: text.describe('The contender.'),
  energyUsdPerAudioHour: number.describe(
    'US dollars for an hour of audio, in addition to the idle machine: estimated from processor seconds.',
  ),
  maxAudioHoursPerDay: number.describe('Hours of audio that it can do in a day at the speed of this run.'),
})

const contenderId = nullableText.describe(
  'Contender on this machine; null where none was measured, and the energy for the audio is not included.',
)
const localBreakEvenSchema = z
  .union([
    group({
      contenderId,
      kind: z.literal('never').describe('The provider is always cheaper.'),
    }),
    group({
      contenderId,
      kind: oneOf(['at', 'beyondOneMachine']).describe(
        'At so much audio, which one machine can or cannot do.',
      ),
      audioHoursPerDay: number.describe('Hours of audio per day.'),
    }),
  ])
  .meta({ id: 'LocalBreakEven', description: "From how much audio a day a machine of one's own is cheaper." })
export type LocalBreakEven = DeepReadonly<z.infer<typeof localBreakEvenSchema>>

const providerRunCostSchema = group({
  contenderId: text.describe('The contender.'),
  usdPerAudioHour: number.describe('US dollars for an hour of audio of these lengths, as they are billed.'),
  usd: number.describe('US dollars for the audio of this run.'),
  source,
  date,
  breakEven: list(localBreakEvenSchema).describe(
    "From how much audio a day a machine of one's own is cheaper, by each local contender.",
  ),
})
export type ProviderRunCost = DeepReadonly<z.infer<typeof providerRunCostSchema>>

export const runCostsSchema = part(
  'RunCosts',
  "What providers ask, next to a machine of one's own, in US dollars.",
  {
    machine: group({
      usdPerDay: number.describe('US dollars a day, whether it transcribes or not.'),
      idleEnergyUsdPerDay: number.describe('US dollars a day for the energy of the idle machine.'),
      source,
      date,
    }).describe("What a machine of one's own costs."),
    local: list(localRunCostSchema).describe('Contenders that transcribe on this machine.'),
    providers: list(providerRunCostSchema).describe('Contenders with a price.'),
  },
)
export type RunCosts = DeepReadonly<z.infer<typeof runCostsSchema>>
