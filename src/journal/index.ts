/**
 * Writes and reads a run on disk: the only module that knows the files of a run folder. Never judges what
 * it writes down.
 *
 *   await using writer = await createRun(resultsFolder, '2026-11-21T07-31-02Z-quick')
 *   await writer.appendAttempt(line)
 *   const { record, requests, attempts } = await readRun(writer.folder)
 */
export type * from './attempt-line.ts'
export type * from './attempt-line.ts'
export { attemptLine } from './attempt-line.ts'
export type * from './mode-line.ts'
export type * from './plan-line.ts'
export { phases, plannedUtterance } from './plan-line.ts'
export {
  findRun,
  findRuns,
  journalJsonSchemas,
  listRuns,
  type RecordedRun,
  readModeLines,
  readRecord,
  readRun,
  readStagedFolders,
  runNameInFolder,
} from './run-reader.ts'
export type * from './run-record.ts'
export {
  ownConditions,
  runFormatVersion,
  runRecord,
  severalTargetsFormatVersion,
  singleTargetFormatVersion,
  targetOf,
} from './run-record.ts'
export {
  appendModeLines,
  appendStagingLine,
  createRun,
  type JournalErrorCode,
  journalErrors,
  type RunWriter,
  reopenRun,
  runFiles,
  scoreFileName,
  scoreFileNames,
  writeRunDocument,
} from './run-writer.ts'
export type * from './telemetry-line.ts'
export { telemetryLine } from './telemetry-line.ts'
