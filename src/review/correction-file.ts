import { access, constants, type FileHandle, open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defineErrors, type ErrorTable, parseJson } from '#prelude'

/** A file that lines are added to, each of them on disk before it counts as written. */
export interface LineFile extends AsyncDisposable {
  append(line: unknown): Promise<void>
}

/**
 * Opens a file for adding lines. A line goes out in one write to the end of the file and is synced before `append`
 * resolves, so that what was confirmed survives the death of this process and of the machine; two processes that add
 * to the same file do not mix their lines. A torn last line, which was never confirmed, is taken away first. A file that is
 * not there is made by the first line: who only looks leaves nothing behind.
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
  let last: Promise<unknown> = Promise.resolve()
  return {
    append(line) {
      const write = last.then(() =>
        explained(async () => {
          file ??= await open(path, 'a')
          await file.write(`${JSON.stringify(line)}\n`)
          await file.sync()
        }),
      )
      // The next line waits for this one, whatever became of it.
      last = write.catch(() => undefined)
      return write
    },
    [Symbol.asyncDispose]: async () => file?.close(),
  }
}

/** @returns whether there is a file */
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

/** What can go wrong while references are reviewed. */
export const reviewErrors: ErrorTable<keyof typeof reviewExits> = defineErrors(reviewExits)
