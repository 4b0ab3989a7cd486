/** Measures, resumes and replays a run, and restores what a crashed one left on a server. */

export { cleanCommand, resumeCommand } from '../errors.ts'
export { type ErrorsSoFar, errorsSoFar } from '../live-metrics.ts'
export { type CleanedModes, type CleanRequest, cleanModes } from './leftovers.ts'
export {
  type ExecutedRun,
  type Executor,
  executeHere,
  type MeasuredRun,
  measure,
  type ReplayOptions,
  type ResumeOptions,
  replayRun,
  resumeRun,
} from './measure.ts'
export type { MeasureEvent, MeasureOptions } from './prepare-run.ts'
export { runId } from './run-record.ts'
