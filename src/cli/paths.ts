import { isAbsolute, relative } from 'node:path'

/** A path as a person in this folder would type it. */
export function shortened(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}
