import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { fingerprint, parseForeignJson } from '#prelude'
import { corpusErrors } from '../errors.ts'

/** Next to the manifest of an imported corpus: where it is from. */
export const importFileName = 'import.json'

const importSchema = z.object({
  formatVersion: z.literal(1),
  source: z.string(),
  licence: z.string().nullable(),
  request: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  utteranceCount: z.number(),
  audioSeconds: z.number(),
  skipped: z.array(
    z.object({ where: z.string().nullable(), what: z.string(), hint: z.string().exactOptional() }),
  ),
})

type ImportFile = z.infer<typeof importSchema>

/** @returns null where a folder holds no imported corpus */
export async function findImportFile(folder: string): Promise<ImportFile | null> {
  const text = await readFile(join(folder, importFileName), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return importSchema.parse(parseForeignJson(text))
  } catch {
    // Written by hand or by a later version: nothing that this version can use.
    return null
  }
}

/**
 * @returns what was imported into a folder by the same request; null where there is no corpus in it
 * @throws BenchError IMPORT_NOT_WRITABLE where the folder holds another corpus
 */
export async function readImportFile(
  folder: string,
  request: unknown,
): Promise<Pick<ImportFile, 'utteranceCount' | 'audioSeconds' | 'skipped'> | null> {
  const found = await findImportFile(folder)
  const hasManifest = await access(join(folder, 'manifest.jsonl')).then(
    () => true,
    () => false,
  )
  if (!hasManifest) return null
  if (found !== null && fingerprint(found.request) === fingerprint(request)) return found
  throw corpusErrors.make('IMPORT_NOT_WRITABLE', {
    message: `${folder} holds another corpus already`,
    hint: 'name another folder with --output, or remove that one',
  })
}
