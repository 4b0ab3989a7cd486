/**
 * Puts the rooms together for a program: measures, scores, compares, looks after targets. Prints nothing;
 * what happens is told by events.
 *
 *   const { config } = resolveConfig({ file: readConfig(text, path), flags: {}, env: process.env })
 *   const { folder, evaluation } = await measure({ config, onEvent: console.log })
 *   const { comparison } = await compareFolders([olderFolder], [folder])
 */

export { abbaOrder } from './abba-order.ts'
export type { Baselines } from './baselines.ts'
export { findSide, readBaselines, removeBaseline, setBaseline } from './baselines.ts'
export type { CalibrateOptions, StoredCalibration } from './calibrate.ts'
export { calibrate } from './calibrate.ts'
export type {
  CapacityEvent,
  CapacityOptions,
  CapacityRequest,
  MeasuredCapacity,
} from './capacity/measure-capacity.ts'
export { capacityFiles, measureCapacity } from './capacity/measure-capacity.ts'
export type { CapacityStage } from './capacity/measure-contender.ts'
export type { EvaluatedWhatIf, WhatIfQuestion } from './capacity/stored-what-if.ts'
export { evaluateStoredWhatIf } from './capacity/stored-what-if.ts'
export type { CleanedModes, CleanRequest } from './clean-modes.ts'
export { cleanModes } from './clean-modes.ts'
export type { ComparedRuns } from './compare-folders.ts'
export { compareFolders } from './compare-folders.ts'
export type { CheckedConformance, ConformanceRequest } from './conformance.ts'
export { checkConformance } from './conformance.ts'
export type { SkippedContender } from './contenders.ts'
export type { Check, Diagnosis, DoctorRequest } from './doctor.ts'
export { diagnose } from './doctor.ts'
export { calibratedSchema, sessionJsonSchemas } from './document-schemas.ts'
export { sessionErrors } from './errors.ts'
export type { ExpectedLoad } from './expect-load.ts'
export { expectLoad } from './expect-load.ts'
export type {
  Experiment,
  ExperimentEvent,
  ExperimentOptions,
  ExperimentSide,
  ExperimentStop,
} from './experiment.ts'
export { runExperiment } from './experiment.ts'
export type { History } from './history.ts'
export { readHistory } from './history.ts'
export type { MeasuredRun, MeasureEvent, MeasureOptions } from './measure.ts'
export { measure } from './measure.ts'
export type { MeasurePlan } from './measure-plan.ts'
export { audioSecondsById, meanAudioSecondsOf } from './measure-plan.ts'
export { cleanCommand, resumeCommand } from './next-commands.ts'
export { builtPage, bundlePage, pageAssets } from './page-assets.ts'
export type { RunPreview } from './preview-run.ts'
export { previewRun } from './preview-run.ts'
export { readPriceList } from './prices.ts'
export type { ReplayOptions, ResumeOptions } from './resume-run.ts'
export { replayRun, resumeRun } from './resume-run.ts'
export type { Reviewing, ReviewOptions } from './review.ts'
export { reviewCorpus, reviewRun } from './review.ts'
export type { RunPageOptions } from './run-page.ts'
export { runPageHtml } from './run-page.ts'
export type { OpenedScore, ScoreOptions, StandingScore } from './score-run.ts'
export { listScores, openScore, rescoreRun, scoreRun } from './score-run.ts'
export type { StoredDocument } from './stored-document.ts'
export { documentHtml, readStoredDocument } from './stored-document.ts'
export type { TimeBefore } from './time-before.ts'
export type { Viewing, ViewOptions } from './view.ts'
export { viewResults } from './view.ts'
