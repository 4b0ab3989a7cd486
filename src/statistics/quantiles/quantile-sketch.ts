/** Counts of values by the logarithm of their size: `[bin, count]`, in ascending order of the bins. */
export type SketchBins = readonly (readonly [bin: number, count: number])[]

/**
 * Quantiles of positive values in a few hundred numbers, however many values there are. Sketches of several hosts are merged by
 * adding their counts, which gives the sketch of all values; percentiles of hosts cannot be combined like this.
 */
export interface QuantileSketch {
  add(value: number): void
  merge(bins: SketchBins): void
  /** @returns within `sketchError` of the value of this rank; null without values */
  quantile(probability: number): number | null
  bins(): SketchBins
}

/** Relative: a quantile of 100 ms is shown as 99 to 101 ms. */
export const sketchError = 0.01

const growth = (1 + sketchError) / (1 - sketchError)

/** Values below it count as it. */
const minValue = 1e-6

/**
 *   bin      …   i - 1      i       i + 1   …
 *   values     (γ^i-2, γ^i-1] (γ^i-1, γ^i] …      γ = (1 + error) / (1 - error)
 *
 * @see Masson, Rim and Lee 2019, DDSketch, doi:10.14778/3352063.3352135
 */
export function quantileSketch(): QuantileSketch {
  const counts = new Map<number, number>()
  const addTo = (bin: number, count: number): void => void counts.set(bin, (counts.get(bin) ?? 0) + count)
  const bins = (): SketchBins => [...counts].sort(([one], [other]) => one - other)
  return {
    add: (value) => addTo(Math.ceil(Math.log(Math.max(value, minValue)) / Math.log(growth)), 1),
    merge(others) {
      for (const [bin, count] of others) addTo(bin, count)
    },
    quantile(probability) {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
      let below = 0
      for (const [bin, count] of bins()) {
        below += count
        if (below > probability * (total - 1)) return (2 * growth ** bin) / (growth + 1)
      }
      return null
    },
    bins,
  }
}
