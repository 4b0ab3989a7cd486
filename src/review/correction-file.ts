import { access, constants, type FileHandle, open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defineErrors, type ErrorTable, parseJson } from '#prelude'

/** A file to which lines are appended; each is on disk before it counts as written. */
export interface LineFile extends AsyncDisposable {
  append(line: unknown): Promise<void>
}

/**
 * Opens a file for appending lines. A line is one write to the end of the file, unless the disk is full, and is synced
 * before `append` resolves. Confirmed lines therefore survive a crash of the process or the machine, and two processes
 * do not mix their lines. An incomplete last line, which was never confirmed, is removed before the next one. A missing
 * file is created by the first line, so that viewing creates none.
 *
 * @throws BenchError CORRECTIONS_UNWRITABLE, from `append` as well
 */
export async function openLineFile(path: string): Promise<LineFile> {
  const explained = async <Value>(work: () => Promise<Value>): Promise<Value> =>
    work().catch((cause: unknown) => {
      throw reviewErrors.make('CORRECTIONS_UNWRITABLE', {
        message: `${path} cannot be written: ${(cause as Error).message}`,
        hint: 'free some disk space, or make the folder of the corpus writable; what was confirmed before is safe',
        cause,
      })
    })
  let file: FileHandle | null = await explained(async () => {
    const isThere = await removeTornEnd(path)
    if (!isThere) await access(dirname(path), constants.W_OK)
    return isThere ? await open(path, 'a') : null
  })
  let mayBeTorn = false
  let last: Promise<unknown> = Promise.resolve()
  return {
    append(line) {
      const write = last.then(() =>
        explained(async () => {
          if (mayBeTorn) await removeTornEnd(path)
          file ??= await open(path, 'a')
          mayBeTorn = true
          // On a full disk, `write` would write a part of the line and succeed.
          await file.appendFile(`${JSON.stringify(line)}\n`)
          await file.sync()
          mayBeTorn = false
        }),
      )
      // The next line waits for this one, whether it succeeds or fails.
      last = write.catch(() => undefined)
      return write
    },
    [Symbol.asyncDispose]: async () => file?.close(),
  }
}

/** @returns whether the file exists */
async function removeTornEnd(path: string): Promise<boolean> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes === null) return false
  if (bytes.length === 0 || bytes.at(-1) === 0x0a) return true
  const end = bytes.lastIndexOf(0x0a) + 1
  if (parseJson(bytes.subarray(end).toString('utf8')) !== undefined) {
    const file = await open(path, 'a')
    await file.write('\n')
    await file.close()
  } else await truncate(path, end)
  return true
}

const reviewExits = {
  REVIEW_PORT_TAKEN: 'badInput',
  CORRECTION_REFUSED: 'badInput',
  CORRECTIONS_UNWRITABLE: 'badInput',
} as const

/** Errors of a review of references. */
export const reviewErrors: ErrorTable<keyof typeof reviewExits> = defineErrors(reviewExits)
