/**
 * Writes and reads a run on disk: the only room that knows the files of a run folder. Never judges what
 * it writes down.
 *
 *   await using writer = await createRun(resultsFolder, '2026-11-21T07-31-02Z-quick')
 *   await writer.appendAttempt(line)
 *   const { record, requests, attempts } = await readRun(writer.folder)
 */
export type { JournalErrorCode } from './errors.ts'
export { journalErrors } from './errors.ts'
export * from './format.ts'
export { journalJsonSchemas } from './parsers.ts'
export type { RecordedRun } from './run-reader.ts'
export {
  findRun,
  listRuns,
  readModeLines,
  readRecord,
  readRun,
  readStagedFolders,
} from './run-reader.ts'
export type { RunWriter } from './run-writer.ts'
export {
  appendModeLines,
  appendStagingLine,
  createRun,
  reopenRun,
  runFiles,
  scoreFileName,
  scoreFileNames,
  writeRunDocument,
} from './run-writer.ts'
