import { z } from 'zod'
import { formatNumber, isRateOfSpeech, offeredRate, requestsPerSecondAt } from '../rate.ts'
import { type Spacing, varyingSchedule } from '../rate-schedule.ts'
import type { Schedule } from '../schedule.ts'
import { aRate, durationKey, intervalsIn, intervalsKey, rateIn, secondsIn, spacing } from './keys.ts'
import { defineLoad } from './load-definition.ts'

/** A rate that rises or falls in a straight line. */
export interface Ramp extends Spacing {
  /** Requests per second, from 0; at least one of the two above 0. */
  readonly fromPerSecond: number
  readonly toPerSecond: number
  readonly forSeconds: number
}

/**
 * Sends at a rate that changes linearly. Request k is sent when the area under the rate line has reached k, so the
 * number of requests is exact for every slope:
 *
 *   rate │          ╱│ 10/s       area = 50, so 50 requests in 10 s
 *        │      ╱    │
 *        │  ╱        │            k leaves at √(2k) s for this line
 *        └───────────┴ 10 s
 *
 * A ramp shows where a server begins to fall behind. Capacity is measured with steps, which are long enough for a
 * queue to build up.
 *
 * @throws RangeError for rates below 0 or both 0, or a length that is no number above 0
 */
export function rampSchedule({ fromPerSecond, toPerSecond, forSeconds, ...spacing }: Ramp): Schedule {
  return varyingSchedule(
    `ramp from ${formatNumber(fromPerSecond)} to ${formatNumber(toPerSecond)} requests/s in ${formatNumber(forSeconds)} s`,
    [{ fromPerSecond, toPerSecond, seconds: forSeconds }],
    spacing,
  )
}

export const rampLoad = defineLoad({
  kind: 'ramp',
  words: 'a rate that changes evenly',
  needs: {
    from: { ...aRate, description: 'rate at which a ramp begins' },
    to: { ...aRate, description: 'rate at which a ramp ends' },
    duration: durationKey,
  },
  may: { intervals: intervalsKey },
  impliedBy: ['from', 'to'],
  fields: {
    from: offeredRate.describe('Rate at the start.'),
    to: offeredRate.describe('Rate at the end.'),
    forSeconds: z.number().describe('Duration in seconds.'),
    intervals: spacing,
  },
  complete: ({ from, to, duration, intervals }) => ({
    from: rateIn(from),
    to: rateIn(to),
    forSeconds: secondsIn(duration),
    intervals: intervalsIn(intervals),
  }),
  endsByItself: () => true,
  isMadeOfSpeech: ({ from, to }) => isRateOfSpeech(from) || isRateOfSpeech(to),
  schedule: ({ from, to, forSeconds, intervals }, { seed, meanAudioSeconds }) =>
    rampSchedule({
      fromPerSecond: requestsPerSecondAt(from, meanAudioSeconds),
      toPerSecond: requestsPerSecondAt(to, meanAudioSeconds),
      forSeconds,
      intervals,
      seed,
    }),
})
