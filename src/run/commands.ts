import { basename, dirname, resolve } from 'node:path'
import process from 'node:process'
import type { BenchConfig } from '#config/bench-config'
import type { RunRecord } from '#journal/run-record'
import { shellWord } from '#prelude'

// Commands for hints and reports, to be typed in the working directory of this process.

export function resumeCommand(folder: string): string {
  return `transcribench run --resume ${runName(folder)}`
}

export function scoreCommand(folder: string): string {
  return `transcribench score ${runName(folder)}`
}

export function replayCommand(folder: string): string {
  return `transcribench replay ${runName(folder)}`
}

/** The command that measures a run's config again. */
export function anewCommand({ command }: Pick<RunRecord, 'command'>): string {
  return command.length === 0 ? 'transcribench run' : command.map(shellWord).join(' ')
}

export function doctorCommand(
  config: Pick<BenchConfig, 'target'> & Partial<Pick<BenchConfig, 'keyFrom' | 'engines'>>,
): string {
  const { target, keyFrom = null, engines = null } = config
  return [
    'transcribench doctor',
    ...(target === 'embedded' ? [] : [shellWord(target)]),
    ...(keyFrom === null ? [] : ['--key-from', shellWord(keyFrom)]),
    ...(engines === null ? [] : ['--engines', shellWord(engines)]),
  ].join(' ')
}

/** The command that restores what runs of a results folder have left on a target. */
export function cleanCommand(target: string, resultsFolder: string | null): string {
  const results =
    resultsFolder === null || isUsual(resultsFolder) ? '' : ` --results ${shellWord(resultsFolder)}`
  return `transcribench modes clean${target === 'auto' ? '' : ` --target ${shellWord(target)}`}${results}`
}

/** The name by which commands find the run: its id alone if it is in the default results folder. */
function runName(folder: string): string {
  return shellWord(isUsual(dirname(folder)) ? basename(folder) : folder)
}

function isUsual(resultsFolder: string): boolean {
  return resolve(resultsFolder) === resolve(defaultResults(process))
}

export const resultsVariable = 'TRANSCRIBENCH_RESULTS'
export const standardResults = 'results'

/** Default folder of runs. As for every setting, an empty variable is ignored. */
export function defaultResults({ env }: Pick<NodeJS.Process, 'env'>): string {
  return env[resultsVariable] || standardResults
}
