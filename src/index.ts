/**
 * transcribench as a library: measure how accurate and how fast speech transcription is, score what was measured,
 * compare two runs. Prints nothing: progress is reported by events, results are returned as documents.
 *
 *   import { measure, resolveConfig } from 'transcribench'
 *   const { config } = resolveConfig({ file: { rounds: 2 }, flags: {}, env: process.env })
 *   const { evaluation, folder } = await measure({ config })
 */

export { compareSides } from '#analysis/comparison/compare-runs'
export type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
export type { Evaluation } from '#analysis/documents/evaluation'
export type { Finding } from '#analysis/documents/finding'
export { evaluateRun } from '#analysis/evaluate-run'
export type { Threshold } from '#analysis/metrics/threshold'
export { parseThresholds } from '#analysis/metrics/threshold'
export { checkThresholds } from '#analysis/thresholds/check-thresholds'
export type { BenchConfig, ContenderConfig } from '#config/bench-config'
export type { ConfigFile } from '#config/config-file'
export { readConfig } from '#config/read-config'
export { resolveConfig } from '#config/resolve-config'
export { findRun, listRuns } from '#journal/find-run'
export type { RecordedRun } from '#journal/run-reader'
export { readRun } from '#journal/run-reader'
export type { RunRecord } from '#journal/run-record'
export type { Problem } from '#prelude'
export { BenchError, exitCodes } from '#prelude'
export type { ComparedRuns } from '#results/compare-folders'
export { compareFolders } from '#results/compare-folders'
export { scoreRun } from '#results/scores'
export { cleanModes } from '#run/leftovers'
export type { MeasuredRun } from '#run/measure'
export { measure } from '#run/measure'
export type { MeasureEvent, MeasureOptions } from '#run/prepare-run'
export { diagnose } from '#run/target/doctor'
