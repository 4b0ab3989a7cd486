/**
 * Numbers to summaries, intervals and tests: quantiles, order-statistic intervals, bootstraps of ratios of
 * sums, intervals of a share, rank tests, paired tests, trends, change points. Never reads a clock, never makes its
 * own randomness, never prints.
 *
 *   const latencies = sortSamples([812, 640, 701])
 *   quantile(latencies, 0.5)                                             // 701
 *   bootstrapRatio([{ numerator: 1, denominator: 12 }, …], { random: seededRandom(1) })
 */

export { abcInterval } from './abc-interval.ts'
export {
  type BootstrapOptions,
  type BootstrapResult,
  bootstrapRatio,
  type PairedRatioTerm,
  pairedBootstrap,
  pairedBootstrapDifference,
  type RatioTerm,
  type ReplicatedEstimate,
  ratioOfSums,
  sumByCluster,
} from './bootstrap.ts'
export type { Bounds, FittedValue } from './bounds.ts'
export {
  estimateMean,
  type MeanEstimate,
  normalCumulative,
  studentCumulative,
  studentQuantile,
  welchDifference,
} from './distributions.ts'
export {
  type BatchMeans,
  batchMeans,
  type Crossing,
  clopperPearsonInterval,
  lag1Autocorrelation,
  limitCrossing,
  type PairedCounts,
  type ProportionInterval,
  pairedShareDifference,
  type RatioEstimate,
  ratioOfRatios,
  trialsToShow,
  wilsonInterval,
} from './intervals.ts'
export {
  clusteredQuantileInterval,
  type QuantileInterval,
  type QuantileSketch,
  quantile,
  quantileInterval,
  quantileNearestRank,
  quantileSketch,
  type SketchBins,
  type SortedSamples,
  sketchError,
  smallestSampleForQuantile,
  sortInPlace,
  sortSamples,
} from './quantiles.ts'
export {
  type ChangePoint,
  type ChangePointOptions,
  findChangePoints,
  findDrift,
} from './series/change-points.ts'
export { fitRelative, fittedDifference, fittedValue, type RelativeFit } from './series/relative-regression.ts'
export {
  fitTheilSen,
  type Line,
  mannKendallTest,
  type Point,
  type TrendTest,
  trendSlope,
} from './series/trend.ts'
export {
  hodgesLehmannShift,
  type MannWhitneyResult,
  mannWhitneyTest,
  ratioShift,
  type ShiftEstimate,
} from './tests/mann-whitney.ts'
export {
  type MatchedSegmentsResult,
  matchedSegmentsTest,
  signTest,
  type WilcoxonResult,
  wilcoxonTest,
} from './tests/paired-tests.ts'
export {
  benjaminiHochbergAdjusted,
  cautiousDeviation,
  confidenceSequence,
  detectableDifference,
  holmAdjusted,
  type PowerOptions,
  requiredPairs,
} from './tests/required-runs.ts'
export { signFlipTest } from './tests/sign-flip.ts'
