import { type Random, seededRandom } from '#prelude'
import {
  fitTheilSen,
  type Line,
  normalCumulative,
  type Point,
  quantile,
  sortSamples,
  studentQuantile,
} from '#statistics'

export interface LatencySample {
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly latencyMs: number
}

const windowSeconds = 30
const fewestUtterances = 8
/** The longest utterance must be so many times the shortest, or a line says nothing. */
const widestNeeded = 2
/** More points than this are gathered in groups of neighbouring lengths first. */
const mostPoints = 100
const resamples = 500

/** What a request of a length costs: L = intercept + slope · d + perWindowMs · further windows of 30 s. */
export interface CostLine extends Line {
  readonly perWindowMs: number
}

/** Milliseconds for a request of this length. */
export function costAt({ intercept, slope, perWindowMs }: CostLine, audioSeconds: number): number {
  return intercept + slope * audioSeconds + perWindowMs * furtherWindows(audioSeconds)
}

function furtherWindows(audioSeconds: number): number {
  return Math.max(0, Math.ceil(audioSeconds / windowSeconds) - 1)
}

/** A plain line, or one with steps where those explain so much more that AICc pays their price. */
export function fitCost(points: readonly Point[]): CostLine | null {
  const plain = fitTheilSen(points)
  if (plain === null) return null
  const straight = { ...plain, perWindowMs: 0 }
  const beyond = points.filter(({ x }) => furtherWindows(x) > 0).length
  if (beyond < 3 || points.length - beyond < 3) return straight
  const stepped = fitSteps(points, straight)
  return stepped !== null && stepped.perWindowMs > 0 && price(points, stepped, 3) < price(points, straight, 2)
    ? stepped
    : straight
}

/** Line and steps by turns, each fitted to what the other leaves, until they settle. */
function fitSteps(points: readonly Point[], start: CostLine): CostLine | null {
  let line = start
  for (let turn = 0; turn < 20; turn += 1) {
    const short = points.filter(({ x }) => furtherWindows(x) === 0)
    const base = turn === 0 ? (fitTheilSen(short) ?? line) : line
    const steps = points
      .filter(({ x }) => furtherWindows(x) > 0)
      .map(({ x, y }) => (y - base.intercept - base.slope * x) / furtherWindows(x))
    const perWindowMs = quantile(sortSamples(steps), 0.5) ?? 0
    const rest = fitTheilSen(points.map(({ x, y }) => ({ x, y: y - perWindowMs * furtherWindows(x) })))
    if (rest === null) return null
    line = { ...rest, perWindowMs }
  }
  return line
}

/** AICc up to a constant, with the median residual for the standard deviation. */
function price(points: readonly Point[], line: CostLine, parameters: number): number {
  const residuals = sortSamples(
    points.map(({ x, y }) => Math.abs(y / costAt(line, x) - 1)).filter(Number.isFinite),
  )
  const spread = quantile(residuals, 0.5) ?? Number.POSITIVE_INFINITY
  const n = points.length
  return 2 * n * Math.log(Math.max(spread, 1e-9)) + (2 * parameters * n) / Math.max(1, n - parameters - 1)
}

/** One point an utterance, the median of its requests; many utterances in groups of neighbouring lengths. */
export function pointsOf(samples: readonly LatencySample[]): readonly Point[] {
  const byUtterance = Map.groupBy(samples, ({ utteranceId }) => utteranceId)
  const points = [...byUtterance.values()]
    .map((group) => ({
      x: group[0]?.audioSeconds ?? 0,
      y: quantile(sortSamples(group.map(({ latencyMs }) => latencyMs)), 0.5) ?? 0,
    }))
    .sort((a, b) => a.x - b.x)
  if (points.length <= mostPoints) return points
  return Array.from({ length: mostPoints }, (_, group) => {
    const from = Math.floor((group * points.length) / mostPoints)
    const members = points.slice(from, Math.floor(((group + 1) * points.length) / mostPoints))
    const medianOf = (values: readonly number[]): number => quantile(sortSamples(values), 0.5) ?? 0
    return { x: medianOf(members.map(({ x }) => x)), y: medianOf(members.map(({ y }) => y)) }
  })
}

/** Why no line can be fitted; null where one can. */
export function unfitReason(points: readonly Point[]): string | null {
  const [shortest, longest] = rangeOf(points)
  if (points.length < fewestUtterances) {
    return `needs ${fewestUtterances} answered utterances, there are ${points.length}`
  }
  if (shortest > 0 && longest >= widestNeeded * shortest) return null
  return `needs utterances of different lengths: the longest is not ${widestNeeded} times the shortest`
}

/** The shortest and the longest length. */
export function rangeOf(points: readonly Point[]): readonly [number, number] {
  return points.reduce<readonly [number, number]>(
    ([low, high], { x }) => [Math.min(low, x), Math.max(high, x)],
    [Number.POSITIVE_INFINITY, 0],
  )
}

/** The line through each of 500 draws of as many points, the steps held fast. */
export function resampledLines(
  points: readonly Point[],
  { perWindowMs }: CostLine,
  seed: number,
): readonly CostLine[] {
  const random: Random = seededRandom(seed)
  const level = points.map(({ x, y }) => ({ x, y: y - perWindowMs * furtherWindows(x) }))
  const lines: CostLine[] = []
  for (let draw = 0; draw < resamples; draw += 1) {
    const line = fitTheilSen(level.map(() => level[random.below(level.length)] as Point))
    if (line !== null) lines.push({ ...line, perWindowMs })
  }
  return lines
}

/**
 * The middle 95 % of resampled values, and a little more on either side for what resampling so many units misses of
 * their spread.
 *
 * @param unitCount how many units were resampled, at least 2
 * @see Hesterberg 2015, doi:10.1080/00031305.2015.1089789, "expanded percentile interval"
 */
export function middleOf(
  values: readonly number[],
  unitCount: number,
): { readonly low: number; readonly high: number } | null {
  const reach = Math.sqrt(unitCount / (unitCount - 1)) * studentQuantile(0.975, unitCount - 1)
  const tail = normalCumulative(-reach)
  const sorted = sortSamples(values)
  const [low, high] = [quantile(sorted, tail), quantile(sorted, 1 - tail)]
  return low === null || high === null ? null : { low, high }
}

/** Fixed and per-second cost of one run without intervals, in milliseconds; null where the lengths do not suffice. */
export function fitLine(samples: readonly LatencySample[]): CostLine | null {
  const points = pointsOf(samples)
  return unfitReason(points) === null ? fitCost(points) : null
}
