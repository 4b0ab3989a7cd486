import type { Random } from '#prelude'
import { loadErrors } from './errors.ts'
import { arrivalRandom, checkIntervals, checkPositive, drawIntervals, type Intervals } from './intervals.ts'
import { openSchedule } from './open-schedule.ts'
import { inWords, lengthInWords, rateInWords, ratePhase, speechInWords } from './rate.ts'
import type { Schedule, SchedulePhase } from './schedule.ts'

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

/** How the arrivals of a schedule with several rates are spaced. */
export interface Spacing {
  readonly intervals: Intervals
  /** Not used by evenly spaced arrivals. */
  readonly seed: number
}

/** A schedule along a rate line that ends. */
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

/** Enough of a changing rate to see that it was followed. */
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
      return `gamma arrivals of burstiness ${inWords(intervals.shape)}`
  }
}

/** A piece of a rate line: the rate goes straight from one value to the other. */
export interface RateSegment {
  /** Requests per second, from 0. */
  readonly fromPerSecond: number
  readonly toPerSecond: number
  /** May be infinite where both rates are the same and above 0. */
  readonly seconds: number
}

/**
 * Arrivals whose density follows a rate line: those of rate 1, moved to where the area under the line has
 * reached their place. Exact for every line, because a Poisson process on the scale of its cumulative rate is
 * one of rate 1 again.
 *
 *   rate │      ╱▔▔▔▔        area from the start to arrival k
 *        │   ╱▒▒│              = k                          evenly spaced
 *        │╱▒▒▒▒▒│              = sum of k + 1 intervals     random
 *        └──────┴──── t
 *
 * @param limit at most so many arrivals
 * @returns milliseconds after the start, ascending; as many as the area has room for
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

/** 1.1/s for 50 s is 55.00000000000001 in this arithmetic, and there is no 56th arrival at its very end. */
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

/** Far more than one run answers in a week; a plan of all of them still fits in memory. */
const mostRequests = 10_000_000

/** @throws BenchError LOAD_TOO_LARGE for a number of requests that no run comes to the end of */
export function refuseTooMany(requestCount: number): void {
  if (requestCount <= mostRequests) return
  const asked = requestCount < 1e15 ? requestCount.toLocaleString('en-US') : requestCount.toExponential(1)
  throw loadErrors.make('LOAD_TOO_LARGE', {
    message: `this load has ${asked} requests, and a run takes at most ${mostRequests.toLocaleString('en-US')}`,
    hint: 'lower the rate, the duration or the number of rounds',
  })
}
