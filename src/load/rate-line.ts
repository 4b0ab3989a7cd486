import type { Random } from '#prelude'
import { drawIntervals, type Intervals } from './intervals.ts'
import { refuseTooMany } from './request-limit.ts'

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
export function arrivalsAlong(
  line: readonly RateSegment[],
  intervals: Intervals,
  random: Random,
  limit: number,
): number[] {
  refuseTooMany(Math.min(limit, Math.round(line.reduce((area, segment) => area + areaOf(segment), 0))))
  const draw = drawIntervals(intervals, random)
  const offsetsMs: number[] = []
  let area = intervals.kind === 'even' ? 0 : draw()
  let startArea = 0
  let startMs = 0
  for (const segment of line) {
    const endArea = startArea + areaOf(segment)
    while (offsetsMs.length < limit && isBefore(area, endArea)) {
      const afterMs = msToArea(segment, area - startArea)
      offsetsMs.push(startMs + afterMs)
      area += draw()
    }
    startArea = endArea
    startMs += 1000 * segment.seconds
  }
  return offsetsMs
}

/** Requests in a segment. */
export function areaOf({ fromPerSecond, toPerSecond, seconds }: RateSegment): number {
  return ((fromPerSecond + toPerSecond) / 2) * seconds
}

/** 1.1/s for 50 s is 55.00000000000001 in this arithmetic, and there is no 56th arrival at its very end. */
function isBefore(area: number, endArea: number): boolean {
  return area < endArea * (1 - 1e-12)
}

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
