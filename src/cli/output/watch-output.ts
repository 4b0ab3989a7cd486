import { readFileSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { BenchError } from '#prelude'
import { cliErrors } from '../errors.ts'

/** What becomes of stdout. */
export interface OutputWatch {
  /** Why something that was written did not arrive; null where it did, and where the reader has seen enough. */
  failure(): Promise<BenchError | null>
}

/**
 * Watches stdout for as long as the process runs. A reader that has seen enough, such as `head`, is not an error, and
 * does not end a run half-way. That stderr cannot be written is not reported: there is nowhere to.
 */
export function watchOutput(): OutputWatch {
  let failure = isClosedStdout() ? unwritable('stdout is closed', null) : null
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= unwritable(reasonOf(error), error)
  })
  process.stderr.on('error', () => {})
  return {
    async failure() {
      // A write that fails at once says so after the current turn.
      await setImmediate()
      return failure
    },
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  // “ENOSPC: no space left on device, write”
  return `${/^\w+: ([^,]+)/.exec(message)?.[1] ?? message} (${code})`
}

function unwritable(reason: string, cause: unknown): BenchError {
  return cliErrors.make('OUTPUT_UNWRITABLE', {
    message: `the result could not be written to stdout: ${reason}`,
    hint: 'write it to a file on a disk with free space: transcribench … > result.txt',
    cause,
  })
}

const shells = /^(?:ba|da|z|k|fi|a)?sh$/

/**
 * Whether a shell closed stdout (`>&-`). Node opens /dev/null in its place before any code of transcribench runs, for reading
 * and writing, which `> /dev/null` of a shell is not. Only a shell is looked for: programs that start others with their
 * output ignored open it in the same way, and mean it. On systems without /proc nothing shows.
 */
function isClosedStdout(): boolean {
  try {
    const isNull = (process: string): boolean => readlinkSync(`/proc/${process}/fd/1`) === '/dev/null'
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8'))?.[1] ?? '0'
    const isReadWrite = (Number.parseInt(flags, 8) & 3) === 2
    if (!isNull('self') || !isReadWrite) return false
    const parent = String(process.ppid)
    return shells.test(readFileSync(`/proc/${parent}/comm`, 'utf8').trim()) && !isNullOrGone(isNull, parent)
  } catch {
    // Without /proc, or with a parent that is gone, there is nothing to go by.
    return false
  }
}

/** A shell may have closed its own stdout for the command; then it has none. */
function isNullOrGone(isNull: (process: string) => boolean, parent: string): boolean {
  try {
    return isNull(parent)
  } catch {
    return false
  }
}
