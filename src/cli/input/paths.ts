import { isAbsolute, relative } from 'node:path'
import { shellWord } from '#prelude'
import type { CommandContext } from '../command-context.ts'

/** A path as a person in this folder would type it. */
export function shortened(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}

/** The environment variable of the setting `results`. */
export const resultsVariable = 'TRANSCRIBENCH_RESULTS'
export const standardResults = 'results'

/** Where run folders are by default. As for every setting, an empty variable is none. */
export function defaultResults({ env }: Pick<CommandContext, 'env'>): string {
  return env[resultsVariable] || standardResults
}

/** The flag that a further command needs to find the runs where this one did; empty where it looks there by itself. */
export function resultsFlag(results: string, context: Pick<CommandContext, 'env'>): string {
  return results === defaultResults(context) ? '' : ` --results ${shellWord(results)}`
}
