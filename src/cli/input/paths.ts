import { isAbsolute, relative } from 'node:path'
import { shellWord } from '#prelude'

/** A path as a person in this folder would type it. */
export function shortened(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}

/** The flag that a further command needs to find the runs where this one did; empty where it looks there by itself. */
export function resultsFlag(results: string): string {
  return results === 'results' ? '' : ` --results ${shellWord(results)}`
}
