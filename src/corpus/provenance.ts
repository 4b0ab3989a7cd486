import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { exists } from '#installation/files'
import { type DeepReadonly, errorCode, fingerprint, parseForeignJson } from '#prelude'
import { corpusErrors } from './errors.ts'

export const sourceFileName = 'source.json'

const relativePath = z
  .string()
  .min(1)
  .refine(
    (path) => !/^[\\/]|\\|(^|\/)\.\.(\/|$)|^[a-z]:/i.test(path),
    'has to be a path below the folder, with /',
  )

/** Parser of one exact, immutable npm package. */
export const npmPackage = z.strictObject({
  name: z.string().regex(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'has to be one exact version'),
  /** Subresource Integrity string, as in the registry. */
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/, 'has to be sha512- and 88 base64 digits'),
})

export type NpmPackage = DeepReadonly<z.infer<typeof npmPackage>>

const debianPackage = z.strictObject({
  /** Addresses of the file, in order of preference. Plain http is acceptable, because the hash is checked. */
  urls: z.array(z.url({ protocol: /^https?$/ }).endsWith('.deb')).min(1),
  /** The hash in the index of the distribution. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'has to be 64 hexadecimal digits'),
})

export type DebianPackage = DeepReadonly<z.infer<typeof debianPackage>>

const sourceSchema = z.strictObject({
  formatVersion: z.literal(1),
  /** SPDX identifier of the recordings' licence. */
  licence: z.string().min(1),
  package: z.union([npmPackage, debianPackage]),
  /** `from` is a path in the package, `to` one below the manifest's folder. */
  files: z.array(z.strictObject({ from: relativePath, to: relativePath })).min(1),
})

/** The source of a corpus's audio: an npm or Debian package, and its files. */
export type CorpusSource = DeepReadonly<z.infer<typeof sourceSchema>>

/**
 * @param folder absolute path of a corpus
 * @returns null where the corpus has no source.json
 * @throws BenchError CORPUS_NOT_FETCHABLE with all problems in source.json
 */
export async function readSourceFile(folder: string): Promise<CorpusSource | null> {
  const path = join(folder, sourceFileName)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
  const hint = 'the format is described in corpora/README.md'
  try {
    const parsed = sourceSchema.safeParse(parseForeignJson(text))
    if (parsed.success) return parsed.data
    throw corpusErrors.make('CORPUS_NOT_FETCHABLE', {
      message: `${path} does not say where the audio comes from`,
      hint,
      problems: parsed.error.issues.map((issue) => ({
        where: sourceFileName,
        what: `${issue.path.join('.')}: ${issue.message}`,
      })),
    })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw corpusErrors.make('CORPUS_NOT_FETCHABLE', {
      message: `${path} is not JSON: ${error.message}`,
      hint,
    })
  }
}

/** Name of the file next to an imported corpus's manifest that records the import. */
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
    // The file was written by hand or by a later version, so this version cannot use it.
    return null
  }
}

/**
 * @returns what the same request imported into the folder; null where it holds no corpus
 * @throws BenchError IMPORT_NOT_WRITABLE where the folder holds another corpus
 */
export async function readImportFile(
  folder: string,
  request: unknown,
): Promise<Pick<ImportFile, 'utteranceCount' | 'audioSeconds' | 'skipped'> | null> {
  const found = await findImportFile(folder)
  if (!(await exists(folder, 'manifest.jsonl'))) return null
  if (found !== null && fingerprint(found.request) === fingerprint(request)) return found
  throw corpusErrors.make('IMPORT_NOT_WRITABLE', {
    message: `${folder} holds another corpus already`,
    hint: 'name another folder with --output, or remove that one',
  })
}
