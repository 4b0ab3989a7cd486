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
export type { BatchMeans } from './batch-means.ts'
export { batchMeans, lag1Autocorrelation } from './batch-means.ts'
export type {
  BootstrapOptions,
  BootstrapResult,
  PairedRatioTerm,
  RatioTerm,
  ReplicatedEstimate,
} from './bootstrap.ts'
export {
  bootstrapRatio,
  pairedBootstrap,
  pairedBootstrapDifference,
  ratioOfSums,
  sumByCluster,
} from './bootstrap.ts'
export type { Bounds, FittedValue } from './bounds.ts'
export { boundsSchema, fittedValueSchema } from './bounds.ts'
export type { ChangePoint, ChangePointOptions } from './change-points.ts'
export { findChangePoints } from './change-points.ts'
export { clusteredQuantileInterval } from './clustered-quantile.ts'
export type { Crossing } from './crossing.ts'
export { limitCrossing } from './crossing.ts'
export type { MannWhitneyResult, ShiftEstimate } from './mann-whitney.ts'
export { hodgesLehmannShift, mannWhitneyTest, ratioShift } from './mann-whitney.ts'
export { benjaminiHochbergAdjusted, holmAdjusted } from './multiplicity.ts'
export { normalCumulative } from './normal.ts'
export type { MatchedSegmentsResult, WilcoxonResult } from './paired-tests.ts'
export { matchedSegmentsTest, signTest, wilcoxonTest } from './paired-tests.ts'
export type { PairedCounts, ProportionInterval } from './proportion.ts'
export { clopperPearsonInterval, pairedShareDifference, trialsToShow, wilsonInterval } from './proportion.ts'
export type { SortedSamples } from './quantile.ts'
export { quantile, quantileNearestRank, sortInPlace, sortSamples } from './quantile.ts'
export type { QuantileInterval } from './quantile-interval.ts'
export { quantileInterval, smallestSampleForQuantile } from './quantile-interval.ts'
export type { QuantileSketch, SketchBins } from './quantile-sketch.ts'
export { quantileSketch, sketchError } from './quantile-sketch.ts'
export type { RatioEstimate } from './ratio-interval.ts'
export { ratioOfRatios } from './ratio-interval.ts'
export type { RelativeFit } from './relative-regression.ts'
export { fitRelative, fittedDifference, fittedValue } from './relative-regression.ts'
export type { PowerOptions } from './required-runs.ts'
export { cautiousDeviation, detectableDifference, requiredPairs } from './required-runs.ts'
export { confidenceSequence } from './sequential.ts'
export { signFlipTest } from './sign-flip.ts'
export type { MeanEstimate } from './student.ts'
export { estimateMean, studentCumulative, studentQuantile, welchDifference } from './student.ts'
export type { Line, Point, TrendTest } from './trend.ts'
export { fitTheilSen, mannKendallTest, trendSlope } from './trend.ts'
