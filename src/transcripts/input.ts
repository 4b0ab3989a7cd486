import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Problem } from '#prelude'

/** How standard input is named on a command line. */
export const standardInput = '-'

/** A file as it was named, or standard input. */
export interface Input {
  /** As named. */
  readonly path: string
  /** How problems name it. */
  readonly shownPath: string
  readonly isFolder: boolean
  /** Null for standard input, and for a folder. */
  readonly sizeBytes: number | null
  readonly open: () => AsyncIterable<Uint8Array>
}

// The pairs of a chunk live until it is scored: of a larger one they outlive the young generation, which costs a tenth.
const chunkBytes = 65_536

/**
 * Looks at the files that were named. Of several with one name the paths distinguish them.
 *
 * @param stdin read where a path is `-`
 * @returns null where one of them cannot be used, which is reported
 */
export async function inspectInputs(
  paths: readonly string[],
  stdin: AsyncIterable<Uint8Array> | undefined,
  report: (problem: Problem) => void,
): Promise<readonly Input[] | null> {
  if (paths.filter((path) => path === standardInput).length > 1) {
    report({
      where: standardInput,
      what: 'is named twice',
      hint: 'standard input holds one file: name the other one',
    })
    return null
  }
  const names = paths.map((path) => (path === standardInput ? 'stdin' : basename(path)))
  const found = await Promise.allSettled(paths.map((path) => (path === standardInput ? null : stat(path))))
  // Reported after all were looked at, so that problems have the order of the files.
  const inputs = found.map((outcome, index): Input | null => {
    const [path, name] = [paths[index] as string, names[index] as string]
    const shownPath = names.indexOf(name) === names.lastIndexOf(name) ? name : path
    if (outcome.status === 'rejected') {
      report({ where: path, what: unreadable(outcome.reason) })
      return null
    }
    if (outcome.value === null) return standardInputOf(stdin, report)
    const isFolder = outcome.value.isDirectory()
    return { ...fileInput(path, shownPath, isFolder ? null : outcome.value.size), isFolder }
  })
  return inputs.every((input) => input !== null) ? inputs : null
}

/** A file that is opened when it is read. */
export function fileInput(path: string, shownPath: string, sizeBytes: number | null): Input {
  const open = (): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: chunkBytes })
  return { path, shownPath, isFolder: false, sizeBytes, open }
}

function standardInputOf(
  stdin: AsyncIterable<Uint8Array> | undefined,
  report: (problem: Problem) => void,
): Input | null {
  if (stdin === undefined) {
    report({ where: standardInput, what: 'is standard input, which is not there', hint: 'name a file' })
    return null
  }
  return { path: standardInput, shownPath: 'stdin', isFolder: false, sizeBytes: null, open: () => stdin }
}

/**
 * What is said of a file that the system does not let us read.
 *
 * @throws whatever is no error of the file system
 */
export function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
  if (error.code === 'ENOENT') return 'is missing'
  // “EACCES: permission denied, open '/x'”: the file is named next to it.
  const reason = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? error.message
  return `cannot be read: ${reason} (${error.code})`
}
