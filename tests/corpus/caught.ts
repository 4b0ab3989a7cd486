import { join } from 'node:path'
import { readCorpus } from '#corpus/read-corpus'
import type { Corpus } from '#corpus/utterance'
import { BenchError } from '#prelude'
import { temporaryFolder } from '../temporary-folder.ts'

/** The error that a promise ends in. Anything but a BenchError fails the test. */
export async function caught(work: Promise<unknown>): Promise<BenchError> {
  try {
    await work
  } catch (error) {
    if (error instanceof BenchError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Problems as lines: where, two blanks, what, and the hint in parentheses. */
export function lines(error: Pick<BenchError, 'problems'>): readonly string[] {
  return error.problems.map(
    ({ where, what, hint }) => `${where}  ${what}${hint === undefined ? '' : ` (${hint})`}`,
  )
}

/** JSON Lines. */
export const json = (...objects: readonly object[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('')

/** Reads a manifest of this name and content. */
export async function readManifest(name: string, content: string | Uint8Array): Promise<Corpus> {
  await using folder = await temporaryFolder({ [name]: content })
  return await readCorpus(join(folder.path, name), { env: {} })
}

export async function refusedManifest(name: string, content: string | Uint8Array): Promise<BenchError> {
  return await caught(readManifest(name, content))
}
