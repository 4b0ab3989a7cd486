/**
 * Combines the modules for a program: measures, scores, compares, manages targets. Prints nothing;
 * reports progress by events.
 *
 *   const { config } = resolveConfig({ file: readConfig(text, path), flags: {}, env: process.env })
 *   const { folder, evaluation } = await measure({ config, onEvent: console.log })
 *   const { comparison } = await compareFolders([olderFolder], [folder])
 */

export type {
  CapacityEvent,
  CapacityOptions,
  CapacityRequest,
  CapacityStage,
} from './capacity/capacity-options.ts'
export type { MeasuredCapacity } from './capacity/measure-capacity.ts'
export { capacityFiles, measureCapacity } from './capacity/measure-capacity.ts'
export type { EvaluatedWhatIf, WhatIfQuestion } from './capacity/stored-what-if.ts'
export { evaluateStoredWhatIf } from './capacity/stored-what-if.ts'
export { sessionErrors } from './errors.ts'
export { abbaOrder } from './experiment/abba-order.ts'
export type { CalibrateOptions, StoredCalibration } from './experiment/calibrate.ts'
export { calibrate, calibratedSchema } from './experiment/calibrate.ts'
export type {
  ExperimentEvent,
  ExperimentOptions,
  ExperimentSide,
} from './experiment/experiment.ts'
export { runExperiment } from './experiment/experiment.ts'
export type { Experiment, ExperimentStop } from './experiment/experiment-document.ts'
export { experimentSchema } from './experiment/experiment-document.ts'
export type { ExportFormat } from './export/export-format.ts'
export type { ExportOptions } from './export/export-runs.ts'
export { exportRuns } from './export/export-runs.ts'
export { exportFormats } from './export/formats/registry.ts'
export type { LiveMetrics, LiveMetricsOptions } from './live-metrics/send-live-metrics.ts'
export { sendLiveMetrics } from './live-metrics/send-live-metrics.ts'
export type { CleanedModes, CleanRequest } from './measure/clean-modes.ts'
export { cleanModes } from './measure/clean-modes.ts'
export type { ErrorsSoFar } from './measure/errors-so-far.ts'
export { errorsSoFar } from './measure/errors-so-far.ts'
export type { Executor, MeasureEvent, MeasureOptions } from './measure/executor.ts'
export type { MeasuredRun } from './measure/measure.ts'
export { measure } from './measure/measure.ts'
export type { ReplayOptions, ResumeOptions } from './measure/resume-run.ts'
export { replayRun, resumeRun } from './measure/resume-run.ts'
export type { HostFolder, MergedRun, MergeOptions } from './merge/merge-runs.ts'
export { mergeRuns } from './merge/merge-runs.ts'
export { cleanCommand, resumeCommand } from './next-commands.ts'
export type { SkippedContender } from './plan/contenders.ts'
export type { ExpectedLoad } from './plan/expect-load.ts'
export { expectLoad } from './plan/expect-load.ts'
export type { MeasurePlan } from './plan/measure-plan.ts'
export { audioSecondsById, meanAudioSecondsOf, unansweredRequests } from './plan/measure-plan.ts'
export type { RunPreview } from './plan/preview-run.ts'
export { previewRun } from './plan/preview-run.ts'
export { readPriceList } from './plan/prices.ts'
export type { TimeBefore } from './plan/time-before.ts'
export type { QueryOptions, QueryResult } from './query/query-runs.ts'
export { queryRuns } from './query/query-runs.ts'
export type { QuerySources } from './query/query-sources.ts'
export { findSources } from './query/query-sources.ts'
export type { Baselines } from './stored/baselines.ts'
export { baselinesSchema, findSide, readBaselines, removeBaseline, setBaseline } from './stored/baselines.ts'
export { storedCalibrationsSchema } from './stored/calibration-store.ts'
export type { ComparedRuns } from './stored/compare-folders.ts'
export { compareFolders } from './stored/compare-folders.ts'
export type { ExportedSite, SiteOptions } from './stored/export-site.ts'
export { exportSite } from './stored/export-site.ts'
export type { History } from './stored/history.ts'
export { readHistory } from './stored/history.ts'
export { builtPage, bundlePage, pageAssets } from './stored/page-assets.ts'
export type { Reviewing, ReviewOptions } from './stored/review.ts'
export { reviewCorpus, reviewRun } from './stored/review.ts'
export type { RunPageOptions } from './stored/run-page.ts'
export { runPageHtml } from './stored/run-page.ts'
export type { OpenedScore, ScoreOptions, StoredScore } from './stored/score-run.ts'
export { listScores, openScore, rescoreRun, scoreRun } from './stored/score-run.ts'
export type { StoredDocument } from './stored/stored-document.ts'
export { documentHtml, readStoredDocument } from './stored/stored-document.ts'
export type { Viewing, ViewOptions } from './stored/view.ts'
export { viewResults } from './stored/view.ts'
export type { CheckedConformance, ConformanceRequest } from './target/conformance.ts'
export { checkConformance } from './target/conformance.ts'
export { openDictatedRecordings } from './target/dictated-recordings.ts'
export type { Check, Diagnosis, DoctorRequest } from './target/doctor.ts'
export { diagnose } from './target/doctor.ts'
export type { FoundContender, FoundContenders } from './target/find-contenders.ts'
export { findContenders } from './target/find-contenders.ts'
