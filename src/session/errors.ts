import { basename, dirname, resolve } from 'node:path'
import type { BenchConfig } from '#config/bench-config'
import type { RunRecord } from '#journal/run-record'
import { defineErrors, type ErrorTable, shellWord } from '#prelude'

const sessionExits = {
  PRICES_UNREADABLE: 'badInput',
  RUN_COMPLETE: 'badInput',
  RUN_ALIVE: 'badInput',
  RUN_DIFFERS: 'badInput',
  BASELINE_NAME: 'badInput',
  BASELINES_UNREADABLE: 'badInput',
  CALIBRATIONS_UNREADABLE: 'badInput',
  RUN_NOT_LISTED: 'badInput',
  DOCUMENT_UNREADABLE: 'badInput',
  EMBEDDED_SERVICE_FAILED: 'targetNotReady',
  REFERENCE_WITHOUT_WORDS: 'badInput',
  CONFORMANCE_RULE_UNKNOWN: 'badInput',
  STAGING_FOLDER_UNKNOWN: 'badInput',
  STAGING_FAILED: 'badInput',
  CORPUS_GONE: 'badInput',
  PAGE_TOO_LARGE: 'badInput',
  TRACE_UNREADABLE: 'badInput',
  SCORE_NOT_FOUND: 'badInput',
  WORKLOAD_UNFIT: 'badInput',
  CAPACITY_CUT_SHORT: 'runNotValid',
  STOPPED_EARLY: 'interrupted',
  CAPACITY_NOT_MEASURED: 'badInput',
  NOTHING_TO_MEASURE: 'badInput',
  EXPORT_AMBIGUOUS: 'badInput',
  EXPORT_UNWRITABLE: 'badInput',
  RUN_NOT_TRACKED: 'runNotValid',
  DUCKDB_MISSING: 'badInput',
  NOTHING_TO_QUERY: 'badInput',
  OBJECT_STORAGE_UNREADABLE: 'badInput',
  QUERY_FAILED: 'badInput',
  FLEET_UNFIT: 'badInput',
  MERGE_MISMATCH: 'badInput',
} as const

/** What can go wrong before a run has begun. */
export const sessionErrors: ErrorTable<keyof typeof sessionExits> = defineErrors(sessionExits)

// Next commands to type, with paths relative to the working directory of this process.

/** Goes on with a run. */
export function resumeCommand(folder: string): string {
  return `transcribench run --resume ${runName(folder)}`
}

/** Scores a run from its journal. */
export function scoreCommand(folder: string): string {
  return `transcribench score ${runName(folder)}`
}

/** Sends the plan of a run again. */
export function replayCommand(folder: string): string {
  return `transcribench replay ${runName(folder)}`
}

/** Measures the same anew. */
export function anewCommand({ command }: Pick<RunRecord, 'command'>): string {
  return command.length === 0 ? 'transcribench run' : command.map(shellWord).join(' ')
}

/** Asks a target what it has. */
export function doctorCommand({
  target,
  keyFrom = null,
  engines = null,
}: Pick<BenchConfig, 'target'> & Partial<Pick<BenchConfig, 'keyFrom' | 'engines'>>): string {
  return [
    'transcribench doctor',
    ...(target === 'embedded' ? [] : [shellWord(target)]),
    ...(keyFrom === null ? [] : ['--key-from', shellWord(keyFrom)]),
    ...(engines === null ? [] : ['--engines', shellWord(engines)]),
  ].join(' ')
}

/** Gives back what runs of a results folder have left on a target. */
export function cleanCommand(target: string, resultsFolder: string | null): string {
  const results =
    resultsFolder === null || isUsual(resultsFolder) ? '' : ` --results ${shellWord(resultsFolder)}`
  return `transcribench modes clean${target === 'auto' ? '' : ` --target ${shellWord(target)}`}${results}`
}

/** What a command finds the run by: its name alone where runs usually are. */
function runName(folder: string): string {
  return isUsual(dirname(folder)) ? basename(folder) : shellWord(folder)
}

function isUsual(resultsFolder: string): boolean {
  return resolve(resultsFolder) === resolve('results')
}
