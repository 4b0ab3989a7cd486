import { arrivalRandom, checkIntervals, checkPositive, type Intervals } from '../intervals.ts'
import { arrivalsAlong } from '../rate-line.ts'
import { lengthInWords, rateInWords, ratePhase } from '../wording.ts'
import { openSchedule } from './open-schedule.ts'
import type { Schedule } from './schedule.ts'

/** One rate for the whole schedule. */
export interface SteadyRate {
  /** Requests per second, above 0. */
  readonly perSecond: number
  /** Null: as long as there are requests. */
  readonly forSeconds: number | null
  /** Not used by evenly spaced arrivals. */
  readonly seed: number
}

/** A schedule of one rate, whose intervals vary as given. */
export function steadySchedule(
  name: string,
  { perSecond, forSeconds, seed }: SteadyRate,
  intervals: Intervals,
): Schedule {
  checkPositive('the rate', perSecond)
  if (forSeconds !== null) checkPositive('the length of a schedule', forSeconds)
  checkIntervals(intervals)
  const seconds = forSeconds ?? Number.POSITIVE_INFINITY
  const line = [{ fromPerSecond: perSecond, toPerSecond: perSecond, seconds }]
  return openSchedule({
    describe: (meanAudioSeconds) =>
      `${name}, ${rateInWords(perSecond, meanAudioSeconds)}${lengthInWords(forSeconds)}`,
    phases: [ratePhase(perSecond, perSecond, forSeconds)],
    endsByItself: forSeconds !== null,
    part: (parts) =>
      steadySchedule(
        name,
        { perSecond, forSeconds: forSeconds === null ? null : forSeconds / parts, seed },
        intervals,
      ),
    arrivals: (limit, round) => arrivalsAlong(line, intervals, arrivalRandom(seed, round), limit),
  })
}
