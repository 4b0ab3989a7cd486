import type { Random } from '#prelude'
import { rank } from './ranks.ts'

/** A place in a series from which on the values come from another distribution. */
export interface ChangePoint {
  /** Of the first value after the change. */
  readonly index: number
  readonly meanBefore: number
  readonly meanAfter: number
  /** Share of shuffled series with a split at least as clear. */
  readonly pValue: number
}

export interface ChangePointOptions {
  readonly random: Random
  /** A split has to be this rare among shuffled series; 0.005 unless told. */
  readonly level?: number
  /** Values on either side of a change; 5 unless told. */
  readonly shortestSegment?: number
}

/**
 * Where a series changes its level: hierarchical division by energy statistics. The split of a segment that sets its
 * two parts farthest apart is a change point where hardly any shuffled copy of the segment has one as clear; its
 * parts are divided in turn.
 *
 *   ▁▂▁▁▂▁▂▁ ┆ ▅▆▅▅▆▅ ┆ ▂▁▂▁▁     E(τ) = nm/(n+m) · (2·mean|x-y| - mean|x-x'| - mean|y-y'|)
 *
 * Finds changes in any series without a threshold to choose; asks that the values be independent otherwise. A
 * change shorter than the shortest segment is not one. O(n log n) for each shuffled copy.
 *
 * @returns in the order of the series
 * @see Matteson and James 2014, doi:10.1080/01621459.2013.849605 (E-divisive, α = 1); Daly et al. 2020,
 *   doi:10.1145/3358960.3375791, and Fleming et al. 2023, doi:10.1145/3578244.3583719, for its use on benchmarks
 */
export function findChangePoints(
  values: readonly number[],
  { random, level = 0.005, shortestSegment = 5 }: ChangePointOptions,
): readonly ChangePoint[] {
  const found: { readonly index: number; readonly pValue: number }[] = []
  const divide = (start: number, end: number): void => {
    const segment = values.slice(start, end)
    const best = clearestSplit(segment, shortestSegment)
    if (best === null) return
    const pValue = shuffledShare(segment, best.energy, { random, level, shortestSegment })
    if (pValue > level) return
    found.push({ index: start + best.index, pValue })
    divide(start, start + best.index)
    divide(start + best.index, end)
  }
  divide(0, values.length)
  found.sort((a, b) => a.index - b.index)
  const edges = [0, ...found.map(({ index }) => index), values.length]
  return found.map(({ index, pValue }, place) => ({
    index,
    meanBefore: mean(values.slice(edges[place], index)),
    meanAfter: mean(values.slice(index, edges[place + 2])),
    pValue,
  }))
}

/**
 * The share of shuffled segments with a split at least as clear. Stops as soon as that share cannot fall to the
 * level any more, which is soon where nothing has changed.
 *
 * @see Besag and Clifford 1991, doi:10.1093/biomet/78.2.301
 */
function shuffledShare(
  segment: readonly number[],
  observed: number,
  { random, level, shortestSegment }: Required<ChangePointOptions>,
): number {
  const copies = Math.ceil(2 / level) - 1
  let asClear = 0
  for (let copy = 1; copy <= copies; copy += 1) {
    const split = clearestSplit(random.shuffled(segment), shortestSegment)
    if (split !== null && split.energy >= observed * (1 - 1e-12)) asClear += 1
    if ((asClear + 1) / (copies + 1) > level) return (asClear + 1) / (copy + 1)
  }
  return (asClear + 1) / (copies + 1)
}

function clearestSplit(
  segment: readonly number[],
  shortest: number,
): { readonly index: number; readonly energy: number } | null {
  const n = segment.length
  if (n < 2 * shortest) return null
  const within = distancesWithinBeginnings(segment)
  const withinRest = distancesWithinBeginnings(segment.toReversed())
  const all = within[n] as number
  let best: { index: number; energy: number } | null = null
  for (let index = shortest; index <= n - shortest; index += 1) {
    const [left, right] = [within[index] as number, withinRest[n - index] as number]
    const [leftCount, rightCount] = [index, n - index]
    const between = all - left - right
    const distance =
      (2 * between) / (leftCount * rightCount) -
      (2 * left) / (leftCount * Math.max(1, leftCount - 1)) -
      (2 * right) / (rightCount * Math.max(1, rightCount - 1))
    const energy = ((leftCount * rightCount) / n) * distance
    if (best === null || energy > best.energy) best = { index, energy }
  }
  return best === null || best.energy <= 0 ? null : best
}

/** Sums of |x - x'| over all pairs of the first 0, 1, … n values, by two Fenwick trees over the ranks. */
function distancesWithinBeginnings(values: readonly number[]): Float64Array {
  const n = values.length
  const places = rank(values).ranks.map(Math.floor)
  const counts = new Float64Array(n + 1)
  const sums = new Float64Array(n + 1)
  const within = new Float64Array(n + 1)
  let [distances, total] = [0, 0]
  for (let index = 0; index < n; index += 1) {
    const value = values[index] as number
    const place = places[index] as number
    let [below, sumBelow] = [0, 0]
    for (let node = place; node > 0; node -= node & -node) {
      below += counts[node] as number
      sumBelow += sums[node] as number
    }
    distances += value * below - sumBelow + (total - sumBelow) - value * (index - below)
    for (let node = place; node <= n; node += node & -node) {
      counts[node] = (counts[node] as number) + 1
      sums[node] = (sums[node] as number) + value
    }
    total += value
    within[index + 1] = distances
  }
  return within
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
