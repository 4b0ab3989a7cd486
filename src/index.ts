/**
 * transcribench as a library: measure how accurate and how fast speech transcription is, score what was measured,
 * compare two runs. Prints nothing: progress is reported by events, results are returned as documents.
 *
 *   import { measure, resolveConfig } from 'transcribench'
 *   const { config } = resolveConfig({ file: { rounds: 2 }, flags: {}, env: process.env })
 *   const { evaluation, folder } = await measure({ config })
 */
export type { Comparison, Evaluation, Finding, Threshold, ThresholdResult } from '#analysis'
export { checkThresholds, compareRuns, evaluateRun, parseThresholds } from '#analysis'
export type { BenchConfig, ConfigFile, ContenderConfig } from '#config'
export { readConfig, resolveConfig } from '#config'
export type { RecordedRun, RunRecord } from '#journal'
export { findRun, listRuns, readRun } from '#journal'
export type { Problem } from '#prelude'
export { BenchError, exitCodes } from '#prelude'
export type { MeasuredRun, MeasureEvent, MeasureOptions } from '#session/measure'
export { cleanModes, measure } from '#session/measure'
export type { ComparedRuns } from '#session/stored'
export { compareFolders, scoreRun } from '#session/stored'
export { diagnose } from '#session/target'
