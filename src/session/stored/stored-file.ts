import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { type Problem, parseDocument } from '#prelude'
import { sessionErrors } from '../errors.ts'

/** What a file of a results folder is called in an error. */
export interface StoredFile<Schema extends z.ZodType> {
  readonly schema: Schema
  readonly code: 'BASELINES_UNREADABLE' | 'CALIBRATIONS_UNREADABLE'
  /** What it should hold, such as "baselines". */
  readonly content: string
  readonly hint: string
}

/**
 * Reads a JSON file of a results folder.
 *
 * @returns null where there is none
 * @throws BenchError with the code of the file for one that cannot be read
 */
export async function readStored<Schema extends z.ZodType>(
  path: string,
  { schema, code, content, hint }: StoredFile<Schema>,
): Promise<z.infer<Schema> | null> {
  const unreadable = (problems: readonly Problem[], cause: unknown): Error =>
    sessionErrors.make(code, { message: `${path} cannot be read as ${content}`, hint, problems, cause })
  let value: unknown
  try {
    value = parseDocument(await readFile(path, 'utf8'))
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

/** Writes a JSON file of a results folder. A reader sees the old file or the new one, never half of it. */
export async function writeStored(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.${process.pid}.partial`
  try {
    await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw error
  }
}
