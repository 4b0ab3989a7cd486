/** Measures, resumes and replays a run, and restores what a crashed one left on a server. */

export { cleanCommand, resumeCommand } from '../next-commands.ts'
export type { CleanedModes, CleanRequest } from './clean-modes.ts'
export { cleanModes } from './clean-modes.ts'
export type { ErrorsSoFar } from './errors-so-far.ts'
export { errorsSoFar } from './errors-so-far.ts'
export type { ExecutedRun, Executor, MeasureEvent, MeasureOptions } from './executor.ts'
export { executeHere } from './local-executor.ts'
export type { MeasuredRun } from './measure.ts'
export { measure } from './measure.ts'
export type { ReplayOptions, ResumeOptions } from './resume-run.ts'
export { replayRun, resumeRun } from './resume-run.ts'
export { runId } from './run-record.ts'
