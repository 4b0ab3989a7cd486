/**
 * Numbers to summaries, intervals and tests: quantiles, order-statistic intervals, bootstraps of ratios of
 * sums, intervals of a share, rank tests, paired tests, trends, change points. Never reads a clock, never makes its
 * own randomness, never prints.
 *
 *   const latencies = sortSamples([812, 640, 701])
 *   quantile(latencies, 0.5)                                             // 701
 *   bootstrapRatio([{ numerator: 1, denominator: 12 }, …], { random: seededRandom(1) })
 */

export { normalCumulative } from './distributions/normal.ts'
export type { MeanEstimate } from './distributions/student.ts'
export { estimateMean, studentCumulative, studentQuantile, welchDifference } from './distributions/student.ts'
export { abcInterval } from './intervals/abc-interval.ts'
export type { BatchMeans } from './intervals/batch-means.ts'
export { batchMeans, lag1Autocorrelation } from './intervals/batch-means.ts'
export type {
  BootstrapOptions,
  BootstrapResult,
  PairedRatioTerm,
  RatioTerm,
  ReplicatedEstimate,
} from './intervals/bootstrap.ts'
export {
  bootstrapRatio,
  pairedBootstrap,
  pairedBootstrapDifference,
  ratioOfSums,
  sumByCluster,
} from './intervals/bootstrap.ts'
export type { Bounds, FittedValue } from './intervals/bounds.ts'
export type { Crossing } from './intervals/crossing.ts'
export { limitCrossing } from './intervals/crossing.ts'
export type { PairedCounts, ProportionInterval } from './intervals/proportion.ts'
export {
  clopperPearsonInterval,
  pairedShareDifference,
  trialsToShow,
  wilsonInterval,
} from './intervals/proportion.ts'
export type { RatioEstimate } from './intervals/ratio-interval.ts'
export { ratioOfRatios } from './intervals/ratio-interval.ts'
export { clusteredQuantileInterval } from './quantiles/clustered-quantile.ts'
export type { SortedSamples } from './quantiles/quantile.ts'
export { quantile, quantileNearestRank, sortInPlace, sortSamples } from './quantiles/quantile.ts'
export type { QuantileInterval } from './quantiles/quantile-interval.ts'
export { quantileInterval, smallestSampleForQuantile } from './quantiles/quantile-interval.ts'
export type { QuantileSketch, SketchBins } from './quantiles/quantile-sketch.ts'
export { quantileSketch, sketchError } from './quantiles/quantile-sketch.ts'
export type { ChangePoint, ChangePointOptions } from './series/change-points.ts'
export { findChangePoints, findDrift } from './series/change-points.ts'
export type { RelativeFit } from './series/relative-regression.ts'
export { fitRelative, fittedDifference, fittedValue } from './series/relative-regression.ts'
export type { Line, Point, TrendTest } from './series/trend.ts'
export { fitTheilSen, mannKendallTest, trendSlope } from './series/trend.ts'
export type { MannWhitneyResult, ShiftEstimate } from './tests/mann-whitney.ts'
export { hodgesLehmannShift, mannWhitneyTest, ratioShift } from './tests/mann-whitney.ts'
export { benjaminiHochbergAdjusted, holmAdjusted } from './tests/multiplicity.ts'
export type { MatchedSegmentsResult, WilcoxonResult } from './tests/paired-tests.ts'
export { matchedSegmentsTest, signTest, wilcoxonTest } from './tests/paired-tests.ts'
export type { PowerOptions } from './tests/required-runs.ts'
export { cautiousDeviation, detectableDifference, requiredPairs } from './tests/required-runs.ts'
export { confidenceSequence } from './tests/sequential.ts'
export { signFlipTest } from './tests/sign-flip.ts'
