/**
 * A recorded run to an Evaluation, two to a Comparison, thresholds to verdicts. Never reads or writes files,
 * never sends a request, never prints: documents in, documents out.
 *
 *   const evaluation = evaluateRun(await readRun('results/2026-11-21T07-31-02Z-quick'))
 *   const comparison = compareRuns(base, run)              // Comparison, or NOT_COMPARABLE with the reasons
 *   const results = checkThresholds(parseThresholds(['wer <= 8%']), { evaluation })
 */
export type { ThresholdResult, ThresholdSubject } from './check-thresholds.ts'
export { checkThresholds } from './check-thresholds.ts'
export type { Margins } from './compare-contenders.ts'
export type { CompareOptions } from './compare-runs.ts'
export { compareRuns } from './compare-runs.ts'
export * from './comparison.ts'
export type { CorrectedText, Corrections } from './corrected-references.ts'
export type { ComparisonOutput } from './document-schemas.ts'
export { comparisonSchema, documentJsonSchemas, evaluationSchema } from './document-schemas.ts'
export type { AnalysisErrorCode } from './errors.ts'
export { analysisErrors } from './errors.ts'
export type { EvaluateOptions } from './evaluate-run.ts'
export { evaluateRun } from './evaluate-run.ts'
export * from './evaluation.ts'
export type { Finding, FindingCode, FindingDefinition, FindingSeverity } from './findings.ts'
export { findingDefinitions } from './findings.ts'
export * from './insight/insight.ts'
export type { NoSpeechPredicate, RunMaterial } from './judged-run.ts'
export { meansNoSpeech } from './judged-run.ts'
export type { Measurement, Metric, MetricSource, MetricUnit } from './metrics.ts'
export { findMetric, metrics } from './metrics.ts'
export type { ContenderPair } from './pair-contenders.ts'
export type { ChosenScoring, NamedRules, ScoringChoice } from './scoring-rules.ts'
export { chooseScoring } from './scoring-rules.ts'
export type { TextGroup, TextGrouping } from './text-groups.ts'
export type { ScoredText, TextScore, TextScoreOptions, TextScorer } from './text-score.ts'
export { scoreTexts, startTextScore, textScoreFormatVersion } from './text-score.ts'
export type { Threshold, ThresholdOperator } from './threshold.ts'
export { parseThreshold, parseThresholds } from './threshold.ts'
