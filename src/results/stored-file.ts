import { readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { lockFile, makeFolder, replaceFile } from '#installation/files'
import { type Problem, parseForeignJson } from '#prelude'
import { resultsErrors } from './errors.ts'

interface StoredFile<Schema extends z.ZodType> {
  readonly schema: Schema
  readonly code: 'BASELINES_UNREADABLE' | 'CALIBRATIONS_UNREADABLE'
  /** Noun for its content in errors, such as "baselines". */
  readonly content: string
  readonly hint: string
}

/**
 * Reads a JSON file of a results folder.
 *
 * @returns null if there is none
 * @throws BenchError with the code of the file if it cannot be read
 */
export async function readStored<Schema extends z.ZodType>(
  path: string,
  { schema, code, content, hint }: StoredFile<Schema>,
): Promise<z.infer<Schema> | null> {
  const unreadable = (problems: readonly Problem[], cause: unknown): Error =>
    resultsErrors.make(code, { message: `${path} cannot be read as ${content}`, hint, problems, cause })
  let value: unknown
  try {
    value = parseForeignJson(await readFile(path, 'utf8'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadable([{ where: path, what: (cause as Error).message }], cause)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw unreadable(
    parsed.error.issues.map((issue) => ({ where: issue.path.join('.') || path, what: issue.message })),
    parsed.error,
  )
}

/** Changes a JSON file of a results folder; of several processes, each changes what the one before it has written. */
export async function changeStored<Content>(
  path: string,
  read: () => Promise<Content>,
  change: (content: Content) => object,
): Promise<void> {
  using _lock = await waitForLock(`${path}.lock`)
  await writeStored(path, change(await read()))
}

async function waitForLock(path: string): Promise<Disposable> {
  for (;;) {
    // A file system without locks is no reason to refuse the change.
    const lock = await lockFile(path).catch(() => ({ [Symbol.dispose]: () => undefined }))
    if (lock !== null) return lock
    await sleep(lockPauseMs)
  }
}

const lockPauseMs = 20

/** Writes a JSON file of a results folder atomically: a reader sees the old file or the new one. */
export async function writeStored(path: string, content: object): Promise<void> {
  await makeFolder(dirname(path))
  await replaceFile(path, (draft) => writeFile(draft, `${JSON.stringify(content, null, 2)}\n`))
}
