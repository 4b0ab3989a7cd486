import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, positive, share } from './loads.ts'

const text = z.string()
const nullable = z.number().nullable()

const origin = {
  source: text.describe('Source of the price: an address, or words.'),
  date: text.describe('Date on which the price was read there.'),
}
const provider = { id: text.describe('Id in the price list.'), name: text.describe('Name of the provider.') }
const currency = text.describe('Currency of all amounts, ISO 4217.')
const utilisation = share.describe('Mean load over the capacity, around the clock, 0..1.')
const cost = {
  perAudioHour: positive.describe('Cost of an hour of audio.'),
  perThousandCorrectWords: nullable.describe(
    'Cost of a thousand correct words; null where nothing is scored.',
  ),
}

const localCost = z
  .strictObject({
    utilisation,
    audioHoursPerDay: positive.describe('Hours of audio that the machine transcribes in a day.'),
    machinePerDay: positive.describe('Cost of the machine per day of its life.'),
    idleEnergyPerDay: positive.describe('Cost of the energy of the idle machine per day.'),
    energyPerAudioHour: positive.describe(
      'Cost of the energy for an hour of audio, on top of the idle machine.',
    ),
    energyIs: z
      .literal('estimated')
      .describe(
        'From processor seconds and a declared figure: what a host reports includes the idle machine.',
      ),
    ...cost,
  })
  .meta({ id: 'LocalCost', description: 'What your own machine costs.' })
export type LocalCost = DeepReadonly<z.infer<typeof localCost>>

const breakEven = z
  .union([
    z.strictObject({
      kind: z.literal('at').describe('Your own machine is cheaper from some use on.'),
      audioHoursPerDay: positive.describe('Hours of audio per day from which it is cheaper.'),
    }),
    z.strictObject({
      kind: z.literal('never').describe('The energy for an hour of audio costs more than the provider asks.'),
    }),
    z.strictObject({
      kind: z.literal('beyondOneMachine').describe('One machine cannot transcribe so much in a day.'),
      audioHoursPerDay: positive.describe('Hours of audio per day from which one machine would be cheaper.'),
    }),
  ])
  .meta({ id: 'BreakEven', description: 'From which use on your own machine is cheaper.' })
export type BreakEven = DeepReadonly<z.infer<typeof breakEven>>

const cloudCost = z.strictObject({
  ...provider,
  ...origin,
  billedShare: positive.describe('Billed over sent seconds: 2 where rounding and minimums double the bill.'),
  ...cost,
  errorRate: nullable.describe(
    'Error rate of the provider, in the unit of `sweep.leads`; null where it was not measured.',
  ),
})
export type CloudCost = DeepReadonly<z.infer<typeof cloudCost>>

const offer = z
  .strictObject({
    id: text.describe('Contender or provider.'),
    errorRate: nullable.describe('Error rate, in the unit of `sweep.leads`; null where not measured.'),
    p95Ms: nullable.describe(
      '95th percentile of the response time in milliseconds; null where not measured.',
    ),
    perAudioHour: nullable.describe('Cost of an hour of audio; null where not known.'),
  })
  .meta({ id: 'Offer', description: 'One choice, by three figures of which less is better.' })
export type Offer = DeepReadonly<z.infer<typeof offer>>

export const costs = z
  .strictObject({
    currency,
    local: localCost.nullable().describe('Null where no capacity was found.'),
    cloud: z
      .array(
        cloudCost
          .extend({
            breakEven: breakEven
              .nullable()
              .describe('Against your own machine; null where that has no price.'),
          })
          .meta({ id: 'CloudCost', description: 'What a provider charges for these recordings.' }),
      )
      .describe('Providers of the price list.'),
    offers: z.array(offer).describe('What the Pareto front is made of.'),
    paretoFront: z.array(text).describe('Ids of the offers that no other one beats in all three figures.'),
  })
  .meta({ id: 'FoundCosts', description: 'Costs of your own machine and of providers.' })
export type FoundCosts = DeepReadonly<z.infer<typeof costs>>

export const habit = z
  .strictObject({
    meanAudioSeconds: positive.describe('Mean length of a recording in seconds.'),
    meanPauseSeconds: positive.describe('Mean pause after a text in seconds.'),
  })
  .meta({ id: 'UserHabit', description: 'A user speaks, sends, waits for the text and pauses.' })
export type UserHabit = DeepReadonly<z.infer<typeof habit>>

const fleetSize = z.strictObject({
  machines: count.describe('Machines that sustain the users.'),
  machinesWithSpare: count.describe('One more, to tolerate the failure of one.'),
  usersPerMachine: count.describe('Users that one machine sustains.'),
})
export type FleetSize = DeepReadonly<z.infer<typeof fleetSize>>

const yearlyCosts = z
  .strictObject({
    currency,
    utilisation: share.describe('Mean load of the year over that of all users at the same time, 0..1.'),
    audioHours: positive.describe('Hours of audio that the users send in a year.'),
    own: z
      .strictObject({
        machines: count.describe('Machines, without a spare one.'),
        amount: positive.describe('Cost per year, with the energy.'),
        ...origin,
      })
      .nullable()
      .describe('Your own machines; null where they cannot be priced.'),
    providers: z
      .array(z.strictObject({ ...provider, amount: positive.describe('Cost per year.'), ...origin }))
      .describe('The same at providers.'),
  })
  .meta({ id: 'YearlyCosts', description: 'What the users cost in a year.' })
export type YearlyCosts = DeepReadonly<z.infer<typeof yearlyCosts>>

export const fleet = z
  .strictObject({
    users: count.describe('Concurrent users in all.'),
    size: fleetSize
      .extend({
        basis: z
          .enum(['confirmed', 'measured', 'simulated', 'met'])
          .describe(
            'The users of one machine follow from the confirmed load, from the low end of the interval, or, where there is ' +
              'neither, from the highest load that met the objectives.',
          ),
      })
      .nullable()
      .describe('Null where one machine is not known to sustain one user.'),
    yearly: yearlyCosts.nullable().describe('Null where no prices were given.'),
  })
  .meta({ id: 'FoundFleet', description: 'Machines for a number of users.' })
export type FoundFleet = DeepReadonly<z.infer<typeof fleet>>
