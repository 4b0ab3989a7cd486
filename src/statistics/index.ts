/**
 * Numbers to summaries, intervals and tests: quantiles, order-statistic intervals, bootstraps of ratios of
 * sums, intervals of a share. Never reads a clock, never makes its own randomness, never prints.
 *
 *   const latencies = sortSamples([812, 640, 701])
 *   quantile(latencies, 0.5)                                             // 701
 *   bootstrapRatio([{ numerator: 1, denominator: 12 }, …], { random: seededRandom(1) })
 */
export type { BootstrapOptions, BootstrapResult, PairedRatioTerm, RatioTerm } from './bootstrap.ts'
export { bootstrapRatio, pairedBootstrapDifference, ratioOfSums, sumByCluster } from './bootstrap.ts'
export type { ProportionInterval } from './proportion.ts'
export { clopperPearsonInterval, wilsonInterval } from './proportion.ts'
export type { SortedSamples } from './quantile.ts'
export { quantile, quantileNearestRank, sortSamples } from './quantile.ts'
export type { QuantileInterval } from './quantile-interval.ts'
export { quantileInterval, smallestSampleForQuantile } from './quantile-interval.ts'
export { signFlipTest } from './sign-flip.ts'
