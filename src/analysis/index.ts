/**
 * A recorded run to an Evaluation, two to a Comparison, thresholds to verdicts. Never reads or writes files,
 * never sends a request, never prints: documents in, documents out.
 *
 *   const evaluation = evaluateRun(await readRun('results/2026-11-21T07-31-02Z-quick'))
 *   const comparison = compareRuns(base, run)              // Comparison, or NOT_COMPARABLE with the reasons
 *   const results = checkThresholds(parseThresholds(['wer <= 8%']), { evaluation })
 */

export { type CalibratedRuns, calibrateRuns } from './comparison/calibrate-runs.ts'
export {
  type Calibration,
  calibrationSchema,
  defaultMargins,
  type Margins,
  parseMargins,
  type Resolution,
  recordedMargins,
  refuseFineMargins,
  resolutionSchema,
} from './comparison/calibration.ts'
export type { ComparableRun } from './comparison/comparable-run.ts'
export {
  type CompareOptions,
  type ContenderPair,
  compareRuns,
  compareSides,
  type OpenComparison,
  openComparison,
} from './comparison/compare-runs.ts'
export { oneRunNote, type SlowTail, slowTail } from './comparison/compare-speeds.ts'
export {
  becameWorse,
  judgementsOf,
  type QuestionState,
  questionState,
  unjudgedSpeeds,
} from './comparison/comparison-document.ts'
export { type HiddenSetting, hiddenSettings } from './comparison/conditions.ts'
export { type RunDifference, runDifference, type StoredSpread } from './comparison/run-difference.ts'
export {
  findTrends,
  followedMetric,
  followedMetrics,
  type History,
  type HistoryFigure,
  historySchema,
  type Trend,
  type TrendChange,
} from './comparison/trends.ts'
export { fewestReplaced } from './comparison/what-changed.ts'
export * from './documents/comparison.ts'
export * from './documents/contender-comparison.ts'
export * from './documents/contender-evaluation.ts'
export * from './documents/error-analysis.ts'
export * from './documents/error-rates.ts'
export * from './documents/evaluation.ts'
export * from './documents/figure.ts'
export type { Finding, FindingSeverity } from './documents/finding.ts'
export * from './documents/ranking.ts'
export type { EnergyPart, EnergyPartName, GpuFigures } from './documents/resources.ts'
export * from './documents/scoring-identity.ts'
export * from './documents/speed.ts'
export { type ErrorAnalysisDefinition, errorAnalysisDefinitions } from './error-analysis/definitions.ts'
export { type AnalysisErrorCode, analysisErrors } from './errors.ts'
export { type EvaluateOptions, evaluateRun } from './evaluate-run.ts'
export { contenderDrawings, over100, timelineOf } from './figures/drawings.ts'
export { failureText } from './figures/failure-groups.ts'
export { findCrossover } from './figures/latency/latency-crossover.ts'
export { fitLatencyModel, latencySamples, type PercentileName } from './figures/latency/latency-figures.ts'
export type { LatencySample } from './figures/latency/latency-line.ts'
export { type Drift, driftSchema, referenceDrift } from './figures/machine/instrument.ts'
export { beatenInBoth, type Claim, decide, errorFreeShare } from './figures/ranking/ranking.ts'
export {
  type RequiredUtterances,
  requiredUtterances,
  resolvedDifference,
  undetectableThresholds,
} from './figures/ranking/required-utterances.ts'
export { type FindingCode, findingDefinitions } from './findings/registry.ts'
export { crossedText } from './findings/wording.ts'
export { type CrossedAnswers, findCrossedAnswers } from './requests/crossed-answers.ts'
export type { RunMaterial } from './requests/resolved-run.ts'
export {
  type CorrectedText,
  type Corrections,
  chooseScoring,
  correctReferences,
  type ScoringChoice,
  type TranscriptScorer,
  transcriptScorer,
} from './requests/transcript-scorer.ts'
export { type ScoredRow, scoreRequests } from './score-requests.ts'
export { checkThresholds, type ThresholdSubject } from './thresholds/check-thresholds.ts'
export {
  findMetric,
  isTimed,
  isTwoSided,
  type Measurement,
  type Metric,
  type MetricSource,
  type MetricUnit,
  metrics,
} from './thresholds/metrics.ts'
export {
  parseThreshold,
  parseThresholds,
  type Threshold,
  type ThresholdOperator,
  unknownMetricHint,
} from './thresholds/threshold.ts'
