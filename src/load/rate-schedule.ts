import { grouped, type Random } from '#prelude'
import { loadErrors } from './errors.ts'
import { arrivalRandom, checkIntervals, checkPositive, drawIntervals, type Intervals } from './intervals.ts'
import { openSchedule } from './open-schedule.ts'
import { formatNumber, lengthInWords, rateInWords, ratePhase, speechInWords } from './rate.ts'
import type { Schedule, SchedulePhase } from './schedule.ts'

/** One rate for the whole schedule. */
export interface SteadyRate {
  /** Requests per second, above 0. */
  readonly perSecond: number
  /** Duration of the schedule; null for one that lasts as long as there are requests. */
  readonly forSeconds: number | null
  /** Ignored for evenly spaced arrivals. */
  readonly seed: number
}

/** Makes a schedule of one rate with the given intervals between its requests. */
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

/** Spacing of the arrivals in a schedule with several rates. */
export interface Spacing {
  readonly intervals: Intervals
  /** Ignored for evenly spaced arrivals. */
  readonly seed: number
}

/** Makes a schedule that follows a rate line and ends with it. */
export function varyingSchedule(
  description: string,
  line: readonly RateSegment[],
  { intervals, seed }: Spacing,
): Schedule {
  checkIntervals(intervals)
  for (const { fromPerSecond, toPerSecond, seconds } of line) {
    for (const rate of [fromPerSecond, toPerSecond]) {
      if (!(rate >= 0 && rate < Number.POSITIVE_INFINITY))
        throw new RangeError(`a rate is a number from 0, not ${rate}`)
    }
    if (!(seconds > 0 && seconds < Number.POSITIVE_INFINITY))
      throw new RangeError(`a rate lasts more than 0 s, not ${seconds}`)
  }
  const area = line.reduce((sum, segment) => sum + countRequests(segment), 0)
  if (!(area > 0)) throw new RangeError('a schedule has a rate above 0 somewhere')
  const seconds = line.reduce((sum, segment) => sum + segment.seconds, 0)
  return openSchedule({
    describe: (meanAudioSeconds) =>
      [
        description,
        spacingInWords(intervals),
        meanAudioSeconds !== undefined && `${speechInWords((area / seconds) * meanAudioSeconds)} on average`,
      ]
        .filter((part) => part !== false)
        .join(', '),
    phases: line.flatMap(splitPhases),
    endsByItself: true,
    arrivals: (limit, round) => arrivalsAlong(line, intervals, arrivalRandom(seed, round), limit),
  })
}

/** Number of phases that a changing rate is split into: enough to check that the load followed it. */
const piecesOfChange = 4

function splitPhases({ fromPerSecond, toPerSecond, seconds }: RateSegment): readonly SchedulePhase[] {
  const count = fromPerSecond === toPerSecond ? 1 : piecesOfChange
  const rateAt = (piece: number): number => fromPerSecond + ((toPerSecond - fromPerSecond) * piece) / count
  return Array.from({ length: count }, (_, piece) =>
    ratePhase(rateAt(piece), rateAt(piece + 1), seconds / count),
  )
}

function spacingInWords(intervals: Intervals): string {
  switch (intervals.kind) {
    case 'even':
      return 'evenly spaced'
    case 'exponential':
      return 'Poisson arrivals'
    case 'gamma':
      return `gamma arrivals of burstiness ${formatNumber(intervals.shape)}`
  }
}

/** A piece of a rate line, in which the rate changes linearly. */
export interface RateSegment {
  /** Requests per second, from 0. */
  readonly fromPerSecond: number
  readonly toPerSecond: number
  /** May be infinite where both rates are the same and above 0. */
  readonly seconds: number
}

/**
 * Returns arrivals whose density follows a rate line: arrivals of rate 1 are moved to the times at which the area
 * under the line reaches them. This is exact for every line, because a Poisson process on the scale of its
 * cumulative rate has rate 1.
 *
 *   rate │      ╱▔▔▔▔        area from the start to arrival k
 *        │   ╱▒▒│              = k                          evenly spaced
 *        │╱▒▒▒▒▒│              = sum of k + 1 intervals     random
 *        └──────┴──── t
 *
 * @param limit max number of arrivals
 * @returns milliseconds after the start, ascending; fewer than `limit` where the area is smaller
 * @throws BenchError LOAD_TOO_LARGE
 * @see Çinlar 1975, "Introduction to Stochastic Processes", theorem 7.4 (time rescaling)
 */
function arrivalsAlong(
  line: readonly RateSegment[],
  intervals: Intervals,
  random: Random,
  limit: number,
): number[] {
  refuseTooMany(Math.min(limit, Math.round(line.reduce((area, segment) => area + countRequests(segment), 0))))
  const draw = drawIntervals(intervals, random)
  const offsetsMs: number[] = []
  let area = intervals.kind === 'even' ? 0 : draw()
  let startArea = 0
  let startMs = 0
  for (const segment of line) {
    const endArea = startArea + countRequests(segment)
    while (offsetsMs.length < limit && area < endArea * belowEnd) {
      const afterMs = msToArea(segment, area - startArea)
      offsetsMs.push(startMs + afterMs)
      area += draw()
    }
    startArea = endArea
    startMs += 1000 * segment.seconds
  }
  return offsetsMs
}

function countRequests({ fromPerSecond, toPerSecond, seconds }: RateSegment): number {
  return ((fromPerSecond + toPerSecond) / 2) * seconds
}

/** Excludes an arrival at the very end: 1.1/s for 50 s is 55.00000000000001 in floating point, not 55. */
const belowEnd = 1 - 1e-12

/**
 * Solves a = f·t + (slope / 2)·t² for t in seconds, in the form that loses no digits where the slope is small.
 *
 * @see Press et al., "Numerical Recipes", section 5.6
 */
function msToArea({ fromPerSecond, toPerSecond, seconds }: RateSegment, area: number): number {
  if (area === 0) return 0
  const slope = (toPerSecond - fromPerSecond) / seconds
  return (2000 * area) / (fromPerSecond + Math.sqrt(fromPerSecond ** 2 + 2 * slope * area))
}

/** Max requests of a run: far more than one run answers in a week, and their plan still fits in memory. */
const maxRequests = 10_000_000

/** @throws BenchError LOAD_TOO_LARGE for more requests than a run can send */
export function refuseTooMany(requestCount: number): void {
  if (requestCount <= maxRequests) return
  const asked = requestCount < 1e15 ? grouped(requestCount) : requestCount.toExponential(1)
  throw loadErrors.make('LOAD_TOO_LARGE', {
    message: `this load has ${asked} requests, and a run takes at most ${grouped(maxRequests)}`,
    hint: 'lower the rate, the duration, the number of rounds or the warm-up',
  })
}
