import type { FittedValue } from '#statistics/bounds'
import { median } from '#statistics/quantiles'
import {
  fitRelative,
  fittedDifference,
  fittedValue,
  type RelativeFit,
} from '#statistics/series/relative-regression'
import { fitTheilSen, type Point } from '#statistics/series/trend'
import type { LatencySample } from '../../requests/request-times.ts'

export const windowSeconds = 30
const fewestUtterances = 8
/** Min ratio of the longest to the shortest utterance for a line. */
const widestNeeded = 2
/** Max number of points, above which neighbouring lengths are grouped. */
const maxPoints = 100
/** Min number of points on either side of the first window's end to look for steps. */
const fewestBeside = 3
/**
 * Min preference of AICc for steps. With a preference of 0, one straight line in five gets steps by chance, and a
 * wrong cost per second; with this one, one in a hundred does.
 *
 * @see Burnham and Anderson 2002, Model Selection and Multimodel Inference, 2.6
 */
const clearPreference = 6

/** Latency of a request in ms: L = fixed + perSecond · d + perWindow · further windows of 30 s. */
export interface CostFit {
  readonly fit: RelativeFit
  readonly fixedMs: number
  readonly perSecondMs: number
  /** 0 without steps. */
  readonly perWindowMs: number
}

/** Returns the latency of a request of this length in milliseconds. */
export function costAt({ fixedMs, perSecondMs, perWindowMs }: CostFit, audioSeconds: number): number {
  return fixedMs + perSecondMs * audioSeconds + perWindowMs * furtherWindows(audioSeconds)
}

/** Returns the same with its interval. */
export function costIntervalAt({ fit }: CostFit, audioSeconds: number): FittedValue {
  return fittedValue(fit, termsAt(fit, audioSeconds))
}

/** Returns how many milliseconds the second is slower at this length; both must be over the same utterances. */
export function costDifferenceAt(first: CostFit, second: CostFit, audioSeconds: number): FittedValue {
  return fittedDifference(first.fit, second.fit, [
    termsAt(first.fit, audioSeconds),
    termsAt(second.fit, audioSeconds),
  ])
}

/** Returns the fixed, per-second and per-window parts, each with its interval. */
export function costParts({ fit }: CostFit): readonly [FittedValue, FittedValue, FittedValue | null] {
  const [first, second, third] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((weights) => weights.slice(0, fit.coefficients.length))
  if (first === undefined || second === undefined) throw new TypeError('a cost has two parts at least')
  const hasSteps = fit.coefficients.length > 2
  return [
    fittedValue(fit, first),
    fittedValue(fit, second),
    hasSteps && third !== undefined ? fittedValue(fit, third) : null,
  ]
}

function termsAt({ coefficients }: RelativeFit, audioSeconds: number): readonly number[] {
  return [1, audioSeconds, furtherWindows(audioSeconds)].slice(0, coefficients.length)
}

export function furtherWindows(audioSeconds: number): number {
  return Math.max(0, Math.ceil(audioSeconds / windowSeconds) - 1)
}

/** Fits a straight line, or one with steps if AICc prefers them by `clearPreference`. */
export function fitCost(points: readonly Point[]): CostFit | null {
  const start = startingLine(points)
  if (start === null) return null
  const straight = fitTerms(points, start)
  const beyond = points.filter(({ x }) => furtherWindows(x) > 0).length
  if (straight === null || beyond < fewestBeside || points.length - beyond < fewestBeside) return straight
  const stepped = fitTerms(points, [...start, 0])
  return stepped !== null &&
    stepped.perWindowMs > 0 &&
    preference(straight.fit, stepped.fit) > clearPreference
    ? stepped
    : straight
}

/** Fits a line that a quarter of outliers cannot move far; it goes through 0 where it would not be positive. */
function startingLine(points: readonly Point[]): readonly number[] | null {
  const line = fitTheilSen(points)
  if (line === null) return null
  if (points.every(({ x }) => line.intercept + line.slope * x > 0)) return [line.intercept, line.slope]
  return [0, median(points.map(({ x, y }) => y / x)) ?? 1]
}

function fitTerms(points: readonly Point[], start: readonly number[]): CostFit | null {
  const rows = points.map(({ x }) => [1, x, furtherWindows(x)].slice(0, start.length))
  const fit = fitRelative(
    rows,
    points.map(({ y }) => y),
    start,
  )
  if (fit === null) return null
  const [fixedMs = 0, perSecondMs = 0, perWindowMs = 0] = fit.coefficients
  return { fit, fixedMs, perSecondMs, perWindowMs }
}

/**
 * Returns how much AICc prefers the second fit. Residuals count by size, not by square, and outliers by at most five
 * times the median size.
 */
function preference(first: RelativeFit, second: RelativeFit): number {
  const sizes = first.residuals.map(Math.abs)
  const maxSize = 5 * Math.max(median(sizes) ?? 0, 1e-9)
  const price = ({ residuals, coefficients }: RelativeFit): number => {
    const n = residuals.length
    const sum = residuals.reduce((total, residual) => total + Math.min(Math.abs(residual), maxSize), 0)
    const parameters = coefficients.length
    return 2 * n * Math.log(Math.max(sum / n, 1e-9)) + (2 * parameters * n) / Math.max(1, n - parameters - 1)
  }
  return price(first) - price(second)
}

/** Returns one point per utterance, the median of its requests; many utterances are grouped by neighbouring lengths. */
export function gatherPoints(samples: readonly LatencySample[]): readonly Point[] {
  const byUtterance = Map.groupBy(samples, ({ utteranceId }) => utteranceId)
  const points = [...byUtterance.values()]
    .map((requests) => ({
      x: requests[0]?.audioSeconds ?? 0,
      y: median(requests.map(({ latencyMs }) => latencyMs)) ?? 0,
    }))
    .sort((a, b) => a.x - b.x)
  if (points.length <= maxPoints) return points
  return Array.from({ length: maxPoints }, (_, group) => {
    const from = Math.floor((group * points.length) / maxPoints)
    const members = points.slice(from, Math.floor(((group + 1) * points.length) / maxPoints))
    const medianOf = (values: readonly number[]): number => median(values) ?? 0
    return { x: medianOf(members.map(({ x }) => x)), y: medianOf(members.map(({ y }) => y)) }
  })
}

/** Returns why no line can be fitted; null where one can. */
export function unfitReason(points: readonly Point[]): string | null {
  const [shortest, longest] = findRange(points)
  if (points.length < fewestUtterances) {
    return `needs ${fewestUtterances} answered utterances, there are ${points.length}`
  }
  if (shortest > 0 && longest >= widestNeeded * shortest) return null
  return `needs utterances of different lengths: the longest is not ${widestNeeded} times the shortest`
}

/** Returns the shortest and the longest length. */
export function findRange(points: readonly Point[]): readonly [number, number] {
  return points.reduce<readonly [number, number]>(
    ([low, high], { x }) => [Math.min(low, x), Math.max(high, x)],
    [Number.POSITIVE_INFINITY, 0],
  )
}

/** Fits the fixed and per-second cost of one run, in milliseconds; null where the lengths do not suffice. */
export function fitLine(samples: readonly LatencySample[]): CostFit | null {
  const points = gatherPoints(samples)
  return unfitReason(points) === null ? fitCost(points) : null
}
