import { quantile, sortSamples } from '#statistics'

const hundredths = Array.from({ length: 101 }, (_, index) => index / 100)

/** Quantiles 0, 0.01, …, 1, as distributions are drawn; empty without samples. */
export function latencyQuantilesMs(latenciesMs: Parameters<typeof sortSamples>[0]): readonly number[] {
  const sorted = sortSamples(latenciesMs)
  return sorted.length === 0 ? [] : hundredths.map((share) => quantile(sorted, share) ?? 0)
}
