import type { Random } from '#prelude'
import {
  bestSegmentations,
  deviationsOfPrefixes,
  rankedSeries,
  type Segmentation,
  type WeightedSeries,
} from './segmentation.ts'
import { fitTheilSen } from './trend.ts'

/** A position from which the values of a series have another level. */
export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number
  /** Median of the values since the previous change. */
  readonly medianBefore: number
  /** Median of the values up to the next change. */
  readonly medianAfter: number
  /** Share of shuffled copies of the values around the change that have a split at least as clear. */
  readonly pValue: number
}

export interface ChangePointOptions {
  readonly random: Random
  /** Weight of each value, inverse to its expected spread; default: all equal. */
  readonly weights?: readonly number[]
}

/** Min number of values on each side of a change. */
const shortestSegment = 3
/** Max p-value of a change. */
const level = 0.015
const copies = 999
/** Max values on each side of a change that are shuffled; more would not affect the p-value. */
const widestSide = 25
/** Numbers of changes tried beyond the best one so far: a level that returns needs two changes, each useless alone. */
const lookahead = 4
/** Deviations below this share of the undivided series' deviation are rounding errors. */
const smallestShare = 1e-6

/**
 * Finds the changes of level in a series, including changes back.
 *
 *   ▁▂▁▁▂▁▂▁ ┆ ▅▆▅▅▆ ┆ ▂▁▂▁▁ ┆ ▆▅▆     n ln Σ|x - median of its segment| + (6 + ln n) · changes  →  min
 *
 * Among all divisions into segments of three or more values, it takes the one with the highest penalised likelihood
 * under Laplace noise of unknown scale. Medians and absolute deviations keep single outliers from being levels.
 * Then it removes changes with fewer than three values near their own level on a side. It also removes changes that
 * are not rare among shuffled copies of their two segments, which protects series with few distinct values. The
 * penalty keeps false changes below 1 % for independent noise, normal or heavy-tailed, from 6 to 200 values.
 *
 * Successive runs may be correlated without any change, as through the machine's temperature. A change must
 * therefore also explain the series better than correlation: see `autoregressiveMisfit`. Below about 16 values only
 * clear changes do.
 *
 * O(n² (log n + changes)); memory for n²/2 numbers.
 *
 * @returns changes in the order of the series
 * @see Fearnhead and Rigaill 2019, doi:10.1080/01621459.2017.1385466, for robust costs; Yao 1988,
 *   doi:10.1016/0167-7152(88)90118-6, for the penalty; Besag and Clifford 1991, doi:10.1093/biomet/78.2.301
 */
export function findChangePoints(
  values: readonly number[],
  { random, weights = values.map(() => 1) }: ChangePointOptions,
): readonly ChangePoint[] {
  const series = { values, weights }
  const rare = confirmed(series, likeliestStarts(series), random)
  const found = keepIndependent(values, rare)
  const edges = [0, ...found.map(({ index }) => index), values.length]
  return found.map(({ index, pValue }, number) => ({
    index,
    medianBefore: median(values.slice(edges[number], index)),
    medianAfter: median(values.slice(index, edges[number + 2])),
    pValue,
  }))
}

function likeliestStarts(series: WeightedSeries): readonly number[] {
  const size = series.values.length
  if (size < 2 * shortestSegment) return []
  let best: Segmentation | null = null
  let [lowest, undivided] = [0, 0]
  for (const segmentation of bestSegmentations(rankedSeries(series), shortestSegment)) {
    const changes = segmentation.starts.length
    if (changes === 0) undivided = segmentation.deviation
    if (undivided === 0) return []
    const share = Math.max(smallestShare, segmentation.deviation / undivided)
    const criterion = size * Math.log(share) + (6 + Math.log(size)) * changes
    if (best === null || criterion < lowest) [best, lowest] = [segmentation, criterion]
    else if (changes >= best.starts.length + lookahead) break
  }
  return best?.starts ?? []
}

/** Removes the least rare change repeatedly, until all are rare. */
function confirmed(
  series: WeightedSeries,
  starts: readonly number[],
  random: Random,
): readonly { readonly index: number; readonly pValue: number }[] {
  const edges = [0, ...starts, series.values.length]
  const tested = starts.map((index, number) => {
    const from = Math.max(edges[number] as number, index - widestSide)
    const to = Math.min(edges[number + 2] as number, index + widestSide)
    const stretch = { values: series.values.slice(from, to), weights: series.weights.slice(from, to) }
    const isLevel = isSupported(stretch.values, index - from)
    return { index, pValue: isLevel ? shuffledShare(stretch, index - from, random) : 1 }
  })
  const weakest = tested.toSorted((a, b) => b.pValue - a.pValue)[0]
  if (weakest === undefined || weakest.pValue <= level) return tested
  return confirmed(
    series,
    starts.filter((index) => index !== weakest.index),
    random,
  )
}

/** Removes the changes whose removal increases the misfit least, one or several that tie, until all are needed. */
function keepIndependent<Change extends { readonly index: number }>(
  values: readonly number[],
  changes: readonly Change[],
): readonly Change[] {
  const misfitOf = (kept: readonly Change[]): number =>
    autoregressiveMisfit(
      values,
      kept.map(({ index }) => index),
    )
  const whole = changes.length === 0 ? 0 : misfitOf(changes)
  const gains = changes.map((change) => misfitOf(changes.filter((other) => other !== change)) - whole)
  const least = Math.min(...gains)
  if (least >= neededGain(values.length)) return changes
  return keepIndependent(
    values,
    changes.filter((_, place) => gains[place] !== least),
  )
}

/**
 * Returns the min gain in twice the log-likelihood for a change or a drift. It limits false changes to 5 % on
 * simulated series of 10 to 120 values with autocorrelations of 0, 0.5 and 0.8.
 */
function neededGain(size: number): number {
  return 12 + Math.log(size)
}

/** Autocorrelations to try. */
const correlations = Array.from({ length: 20 }, (_, index) => 0.05 * index)

/**
 * Returns twice the negative log-likelihood, without a constant, of an autoregressive model: levels of segments,
 * optionally a line over all values, and deviations with autocorrelation ρ. It uses the best ρ below 1, by
 * generalised least squares.
 *
 *   y_t - m_t = ρ (y_{t-1} - m_{t-1}) + e_t        n ln(Σe²/n) - ln(1 - ρ²)
 *
 * @param starts indexes of the first value of every segment but the first
 * @see Prais and Winsten 1954; Beach and MacKinnon 1978, doi:10.2307/1913644
 */
function autoregressiveMisfit(values: readonly number[], starts: readonly number[], hasLine = false): number {
  const size = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / size
  const centred = values.map((value) => value - mean)
  const total = centred.reduce((sum, value) => sum + value ** 2, 0)
  const levels = starts.length + 1
  const segmentOf = centred.map((_, index) => starts.filter((start) => start <= index).length)
  // Entries of one row of the model: its level, the previous level, the value, and optionally the line.
  const [columns, factors] = [new Int32Array(4), new Float64Array(4)]
  const termCount = hasLine ? 4 : 3
  const misfitAt = (rho: number): number => {
    const first = Math.sqrt(1 - rho ** 2)
    const width = levels + (hasLine ? 2 : 1)
    const products = Array.from({ length: width }, () => new Float64Array(width))
    for (let index = 0; index < size; index += 1) {
      const isFirst = index === 0
      const value = centred[index] as number
      columns[0] = segmentOf[index] as number
      factors[0] = isFirst ? first : 1
      columns[1] = segmentOf[index - 1] ?? 0
      factors[1] = isFirst ? 0 : -rho
      columns[2] = width - 1
      factors[2] = isFirst ? first * value : value - rho * (centred[index - 1] as number)
      columns[3] = levels
      factors[3] = isFirst ? 0 : index - rho * (index - 1)
      for (let i = 0; i < termCount; i += 1) {
        const row = products[columns[i] as number] as Float64Array
        for (let j = 0; j < termCount; j += 1) {
          const column = columns[j] as number
          row[column] = (row[column] as number) + (factors[i] as number) * (factors[j] as number)
        }
      }
    }
    const rest = Math.max(squaresLeft(products), smallestShare * total)
    return size * Math.log(rest / size) - Math.log(1 - rho ** 2)
  }
  return total === 0 ? 0 : Math.min(...correlations.map(misfitAt))
}

/** Returns the residual sum of squares of the last column, by elimination of the normal equations. */
function squaresLeft(products: readonly Float64Array[]): number {
  const width = products.length
  for (let pivot = 0; pivot < width - 1; pivot += 1) {
    const pivotRow = products[pivot] as Float64Array
    const head = pivotRow[pivot] as number
    if (!(head > 1e-12)) continue
    for (const row of products.slice(pivot + 1)) {
      const factor = (row[pivot] as number) / head
      for (let at = pivot; at < width; at += 1)
        row[at] = (row[at] as number) - factor * (pivotRow[at] as number)
    }
  }
  return products.at(-1)?.at(-1) ?? 0
}

/** Values of a robust line (Theil and Sen) at the first and the last value of a series. */
interface Drift {
  readonly first: number
  readonly last: number
}

/**
 * Tests whether a line explains a series better than its changes: a quantity that worsens a little every day has no
 * day of change. It must also explain more than autocorrelation does.
 *
 * @returns null where there is no drift
 */
export function findDrift(
  values: readonly number[],
  changes: readonly Pick<ChangePoint, 'index'>[],
): Drift | null {
  if (values.length < 2 * shortestSegment) return null
  const straight = autoregressiveMisfit(values, [], true)
  const needed = neededGain(values.length)
  if (autoregressiveMisfit(values, []) - straight < needed) return null
  const starts = changes.map(({ index }) => index)
  // A line is replaced only by levels that gain enough for their number.
  if (starts.length > 0 && autoregressiveMisfit(values, starts) + needed * (starts.length - 1) < straight)
    return null
  const line = fitTheilSen(values.map((y, x) => ({ x, y })))
  return line === null
    ? null
    : { first: line.intercept, last: line.intercept + line.slope * (values.length - 1) }
}

/** Whether each side has enough values near its own level, because two outliers can be the median of three values. */
function isSupported(values: readonly number[], split: number): boolean {
  const sides = [values.slice(0, split), values.slice(split)]
  const [before, after] = sides.map(median) as [number, number]
  const isHigh = (value: number): boolean => value > (before + after) / 2
  return sides.every((side, index) => {
    const nearLevel = side.filter((value) => (isHigh(value) === after > before) === (index === 1))
    return nearLevel.length >= shortestSegment
  })
}

/** Returns the share of shuffled copies with a split at least as clear; stops early when it stays above `level`. */
function shuffledShare(series: WeightedSeries, split: number, random: Random): number {
  const ranked = rankedSeries(series)
  const size = series.values.length
  const items = series.values.map((_, item) => item)
  const clearest = (order: Int32Array, from: number, to: number): number => {
    const left = deviationsOfPrefixes(ranked, order)
    const right = deviationsOfPrefixes(ranked, order.toReversed())
    let lowest = Number.POSITIVE_INFINITY
    for (let at = from; at <= to; at += 1) {
      lowest = Math.min(lowest, (left[at] as number) + (right[size - at] as number))
    }
    return lowest
  }
  const observed = clearest(Int32Array.from(items), split, split) * (1 + 1e-9)
  let asClear = 0
  for (let copy = 1; copy <= copies; copy += 1) {
    const order = Int32Array.from(random.shuffled(items))
    if (clearest(order, shortestSegment, size - shortestSegment) <= observed) asClear += 1
    if ((asClear + 1) / (copies + 1) > level) return (asClear + 1) / (copy + 1)
  }
  return (asClear + 1) / (copies + 1)
}

function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b)
  const [low, high] = [ascending[(values.length - 1) >> 1] as number, ascending[values.length >> 1] as number]
  return (low + high) / 2
}
