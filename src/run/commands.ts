import { basename, dirname, resolve } from 'node:path'
import type { BenchConfig } from '#config/bench-config'
import type { RunRecord } from '#journal/run-record'
import { shellWord } from '#prelude'

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
