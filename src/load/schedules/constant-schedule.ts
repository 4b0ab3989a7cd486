import type { Schedule } from './schedule.ts'
import { type SteadyRate, steadySchedule } from './steady-schedule.ts'

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
