import { inWords } from '../wording.ts'
import type { Schedule } from './schedule.ts'
import { type Spacing, varyingSchedule } from './varying-schedule.ts'

/** A rate that rises or falls in a straight line. */
export interface Ramp extends Spacing {
  /** Requests per second, from 0; at least one of the two above 0. */
  readonly fromPerSecond: number
  readonly toPerSecond: number
  readonly forSeconds: number
}

/**
 * Sends at a rate that goes straight from one value to another. Arrival k leaves when the area under the rate
 * line has reached k, so their number is right however steep the line is:
 *
 *   rate │          ╱│ 10/s       area = 50, so 50 requests in 10 s
 *        │      ╱    │
 *        │  ╱        │            k leaves at √(2k) s for this line
 *        └───────────┴ 10 s
 *
 * For seeing where a server begins to fall behind. What it bears is measured with steps, each long enough for
 * a queue to build.
 *
 * @throws RangeError for rates below 0 or both 0, or a length that is no number above 0
 */
export function rampSchedule({ fromPerSecond, toPerSecond, forSeconds, ...spacing }: Ramp): Schedule {
  return varyingSchedule(
    `ramp from ${inWords(fromPerSecond)} to ${inWords(toPerSecond)} requests/s in ${inWords(forSeconds)} s`,
    [{ fromPerSecond, toPerSecond, seconds: forSeconds }],
    spacing,
  )
}
