import { inWords } from '../wording.ts'
import type { Schedule } from './schedule.ts'
import { type SteadyRate, steadySchedule } from './steady-schedule.ts'

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
