import type { Random } from '#prelude'
import type { Bounds } from '../intervals/bounds.ts'
import { quantile, type SortedSamples, sortInPlace, sortSamples } from './quantile.ts'

interface ClusteredQuantileOptions {
  readonly random: Random
  /** Default: 2,000. */
  readonly replicates?: number
  /** 0..1; default: 0.95. */
  readonly confidence?: number
}

/**
 * The interval of a quantile of pooled samples, by resampling whole clusters: a cluster that is drawn twice counts twice with all
 * its samples. Each replicate is the smallest sample that at least the share `probability` of the drawn samples do not exceed.
 *
 * @param clusters the samples of each independent unit (host); empty ones add nothing
 * @returns null with fewer than two clusters that have samples
 * @see Davison and Hinkley 1997, Bootstrap Methods and their Application, 3.8 (resampling of groups)
 */
export function clusteredQuantileInterval(
  clusters: readonly SortedSamples[],
  probability: number,
  { random, replicates = 2000, confidence = 0.95 }: ClusteredQuantileOptions,
): Bounds | null {
  const filled = clusters.filter(({ length }) => length > 0)
  if (filled.length < 2) return null
  const pooled = sortSamples(filled.flatMap((samples) => [...samples]))
  const values = new Float64Array(replicates)
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    const draws = new Uint32Array(filled.length)
    for (let draw = 0; draw < filled.length; draw += 1) {
      const drawn = random.below(filled.length)
      draws[drawn] = (draws[drawn] as number) + 1
    }
    values[replicate] = drawnQuantile(filled, { pooled, draws, probability })
  }
  const sorted = sortInPlace(values)
  const tail = (1 - confidence) / 2
  return { low: quantile(sorted, tail) ?? 0, high: quantile(sorted, 1 - tail) ?? 0 }
}

interface Drawn {
  readonly pooled: SortedSamples
  /** How often each cluster was drawn. */
  readonly draws: Uint32Array
  readonly probability: number
}

function drawnQuantile(clusters: readonly SortedSamples[], { pooled, draws, probability }: Drawn): number {
  const count = weighted(draws, (cluster) => clusters[cluster]?.length ?? 0)
  // As in `quantileNearestRank`: 0.95 · 20 is a little over 19 in binary.
  const wanted = Math.max(1, Math.ceil(count * probability - 1e-9))
  let [low, high] = [0, pooled.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const value = pooled[middle] as number
    const reached = weighted(draws, (cluster) => countUpTo(clusters[cluster] as SortedSamples, value))
    if (reached >= wanted) high = middle
    else low = middle + 1
  }
  return pooled[low] as number
}

function weighted(draws: Uint32Array, of: (cluster: number) => number): number {
  return draws.reduce((sum, times, cluster) => sum + (times === 0 ? 0 : times * of(cluster)), 0)
}

/** How many samples are not above a value. */
function countUpTo(samples: SortedSamples, value: number): number {
  let [low, high] = [0, samples.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((samples[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low
}
