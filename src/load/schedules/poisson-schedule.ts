import type { Schedule } from './schedule.ts'
import { type SteadyRate, steadySchedule } from './steady-schedule.ts'

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
