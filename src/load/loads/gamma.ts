import { z } from 'zod'
import type { Schedule } from '../schedules/schedule.ts'
import { type SteadyRate, steadySchedule } from '../schedules/steady-schedule.ts'
import { inWords } from '../wording.ts'
import { defineLoad, isRateOfSpeech, perSecondOf } from './load-definition.ts'
import { durationKey, rateIn, rateKey, secondsIn, steadyFields } from './shared-keys.ts'

/** A rate whose arrivals come in bursts, or more evenly than by chance. */
export interface BurstyRate extends SteadyRate {
  /** Shape of the gamma distribution of the intervals: 1 is Poisson, 0.25 comes in bursts, 100 is nearly even. */
  readonly burstiness: number
}

/**
 * Sends at intervals from a gamma distribution with mean 1 / rate; their variance is mean² / burstiness.
 *
 *   burstiness 0.25   ├┴┴───────────────┴┴┴┴──────────┴──►
 *   burstiness 1      ├──┴──────┴─┴────────┴──────┴─┴─┴──►   (Poisson)
 *   burstiness 10     ├───┴───┴────┴───┴──┴────┴───┴───┴─►
 *
 * The word and its meaning are those of vLLM's `bench serve --burstiness`.
 *
 * @throws RangeError for a rate, a length or a burstiness that is no number above 0
 */
export function gammaSchedule({ burstiness, ...rate }: BurstyRate): Schedule {
  const name = `gamma arrivals of burstiness ${inWords(burstiness)}`
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
    forSeconds: duration === undefined ? null : secondsIn(duration),
  }),
  endsByItself: ({ forSeconds }) => forSeconds !== null,
  isMadeOfSpeech: ({ rate }) => isRateOfSpeech(rate),
  schedule: ({ rate, burstiness, forSeconds }, context) =>
    gammaSchedule({ perSecond: perSecondOf(rate, context), burstiness, forSeconds, seed: context.seed }),
})
