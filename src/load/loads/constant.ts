import type { Schedule } from '../schedules/schedule.ts'
import { type SteadyRate, steadySchedule } from '../schedules/steady-schedule.ts'
import { defineLoad, isRateOfSpeech, perSecondOf } from './load-definition.ts'
import { durationKey, rateIn, rateKey, secondsIn, steadyFields } from './shared-keys.ts'

/**
 * Sends at even intervals, the first at once.
 *
 *   0   1   2   3   4      1 / rate apart
 *   ├───┼───┼───┼───┼──►
 *
 * Good for finding out what one pause of a server does, and for repeating a rate exactly. Not for capacity:
 * people do not arrive in step, and a server that is offered such a load seems to bear up to twice as much.
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
  complete: ({ rate, duration }) => ({
    rate: rateIn(rate),
    forSeconds: duration === undefined ? null : secondsIn(duration),
  }),
  endsByItself: ({ forSeconds }) => forSeconds !== null,
  isMadeOfSpeech: ({ rate }) => isRateOfSpeech(rate),
  schedule: ({ rate, forSeconds }, context) =>
    constantSchedule({ perSecond: perSecondOf(rate, context), forSeconds }),
})
