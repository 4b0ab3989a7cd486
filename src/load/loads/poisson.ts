import type { Schedule } from '../schedules/schedule.ts'
import { type SteadyRate, steadySchedule } from '../schedules/steady-schedule.ts'
import { defineLoad, isRateOfSpeech, perSecondOf } from './load-definition.ts'
import { durationKey, rateIn, rateKey, secondsIn, steadyFields } from './shared-keys.ts'

/**
 * Sends as many people do who know nothing of each other: intervals are exponential with mean 1 / rate.
 *
 *   0  1      2 3        4      5 6 7
 *   ├──┴──────┴─┴────────┴──────┴─┴─┴──►
 *
 * The load to measure capacity with. How many requests fall into a given time varies, as it does in life.
 *
 * @param rate requests per second, and the seed of the intervals
 * @throws RangeError for a rate or a length that is no number above 0
 */
export function poissonSchedule(rate: SteadyRate): Schedule {
  return steadySchedule('Poisson arrivals', rate, { kind: 'exponential' })
}

export const poissonLoad = defineLoad({
  kind: 'poisson',
  words: 'a rate is kept, with Poisson arrivals',
  needs: { rate: rateKey },
  may: { duration: durationKey },
  impliedBy: ['rate'],
  fields: steadyFields,
  complete: ({ rate, duration }) => ({
    rate: rateIn(rate),
    forSeconds: duration === undefined ? null : secondsIn(duration),
  }),
  endsByItself: ({ forSeconds }) => forSeconds !== null,
  isMadeOfSpeech: ({ rate }) => isRateOfSpeech(rate),
  schedule: ({ rate, forSeconds }, context) =>
    poissonSchedule({ perSecond: perSecondOf(rate, context), forSeconds, seed: context.seed }),
})
