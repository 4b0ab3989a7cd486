import { z } from 'zod'
import { formatNumber, isRateOfSpeech, offeredRate, requestsPerSecondAt } from '../rate.ts'
import { type SteadyRate, steadySchedule } from '../rate-schedule.ts'
import type { Schedule } from '../schedule.ts'
import { durationKey, rateIn, rateKey, secondsIn } from './keys.ts'
import { defineLoad } from './load-definition.ts'

/** Fields of a load that keeps one rate. */
const steadyFields = {
  rate: offeredRate.describe('Offered rate.'),
  forSeconds: z
    .number()
    .nullable()
    .describe('Duration of a round in seconds; null: until each utterance was sent.'),
}

function lengthIn(duration: string | undefined): number | null {
  return duration === undefined ? null : secondsIn(duration)
}

/**
 * Sends like many independent users: intervals are exponential with mean 1 / rate.
 *
 *   0  1      2 3        4      5 6 7
 *   ├──┴──────┴─┴────────┴──────┴─┴─┴──►
 *
 * Use it to measure capacity. The number of requests in a given time varies, as in real use.
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
  complete: ({ rate, duration }) => ({ rate: rateIn(rate), forSeconds: lengthIn(duration) }),
  endsByItself: ({ forSeconds }) => forSeconds !== null,
  isMadeOfSpeech: ({ rate }) => isRateOfSpeech(rate),
  schedule: ({ rate, forSeconds }, { seed, meanAudioSeconds }) =>
    poissonSchedule({ perSecond: requestsPerSecondAt(rate, meanAudioSeconds), forSeconds, seed }),
})

/**
 * Sends at even intervals, the first at once.
 *
 *   0   1   2   3   4      1 / rate apart
 *   ├───┼───┼───┼───┼──►
 *
 * Use it to see the effect of one pause of a server, or to repeat a rate exactly. It overestimates capacity by up
 * to a factor of two, because real users do not arrive in step.
 *
 * @param rate requests per second
 * @throws RangeError for a rate or a length that is no number above 0
 */
export function constantSchedule(rate: Omit<SteadyRate, 'seed'>): Schedule {
  return steadySchedule('constant', { ...rate, seed: 0 }, { kind: 'even' })
}

export const constantLoad = defineLoad({
  kind: 'constant',
  words: 'a rate is kept, at even intervals',
  needs: { rate: rateKey },
  may: { duration: durationKey },
  impliedBy: [],
  fields: steadyFields,
  complete: ({ rate, duration }) => ({ rate: rateIn(rate), forSeconds: lengthIn(duration) }),
  endsByItself: ({ forSeconds }) => forSeconds !== null,
  isMadeOfSpeech: ({ rate }) => isRateOfSpeech(rate),
  schedule: ({ rate, forSeconds }, { meanAudioSeconds }) =>
    constantSchedule({ perSecond: requestsPerSecondAt(rate, meanAudioSeconds), forSeconds }),
})

/**
 * Sends at intervals from a gamma distribution with mean 1 / rate; their variance is mean² / burstiness.
 *
 *   burstiness 0.25   ├┴┴───────────────┴┴┴┴──────────┴──►
 *   burstiness 1      ├──┴──────┴─┴────────┴──────┴─┴─┴──►   (Poisson)
 *   burstiness 10     ├───┴───┴────┴───┴──┴────┴───┴───┴─►
 *
 * Burstiness has the meaning of vLLM's `bench serve --burstiness`.
 *
 * @throws RangeError for a rate, a length or a burstiness that is no number above 0
 */
export function gammaSchedule({
  burstiness,
  ...rate
}: SteadyRate & { readonly burstiness: number }): Schedule {
  const name = `gamma arrivals of burstiness ${formatNumber(burstiness)}`
  return steadySchedule(name, rate, { kind: 'gamma', shape: burstiness })
}

export const gammaLoad = defineLoad({
  kind: 'gamma',
  words: 'a rate is kept, with gamma-distributed intervals',
  needs: {
    rate: rateKey,
    burstiness: {
      parser: z.number().positive(),
      description: 'shape of gamma intervals: 1 is Poisson, 0.25 comes in bursts, 100 is nearly even',
      expects: 'a number above 0',
      flag: { syntax: '--burstiness <shape>', reads: 'number' },
    },
  },
  may: { duration: durationKey },
  impliedBy: ['burstiness'],
  fields: {
    rate: steadyFields.rate,
    burstiness: z.number().describe('Shape of the intervals: 1 is Poisson, below 1 comes in bursts.'),
    forSeconds: steadyFields.forSeconds,
  },
  complete: ({ rate, burstiness, duration }) => ({
    rate: rateIn(rate),
    burstiness,
    forSeconds: lengthIn(duration),
  }),
  endsByItself: ({ forSeconds }) => forSeconds !== null,
  isMadeOfSpeech: ({ rate }) => isRateOfSpeech(rate),
  schedule: ({ rate, ...load }, { seed, meanAudioSeconds }) =>
    gammaSchedule({ ...load, perSecond: requestsPerSecondAt(rate, meanAudioSeconds), seed }),
})
