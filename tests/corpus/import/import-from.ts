import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImportOptions, importCorpus } from '#corpus/import/import-corpus'
import { openImportSource } from '#corpus/import/open-source'
import type { SourceOptions } from '#corpus/import/source'
import type { CorpusEnvironment } from '#corpus/locate'

export const askedOfSource = { split: null, audioRoot: null, acceptsLicence: false }
export const everything = {
  request: {},
  language: null,
  limit: null,
  audioSeconds: null,
  seed: null,
  skipUnusable: false,
}

/** Imports all of a source, where nothing else is asked for. */
export async function importFrom(
  source: string,
  output: string,
  options: Partial<ImportOptions> = {},
  { env = {}, cwd = process.cwd(), ...asked }: Partial<SourceOptions & CorpusEnvironment> = {},
) {
  const opened = await openImportSource(source, { ...askedOfSource, ...asked }, { env, cwd })
  return await importCorpus(opened, { ...everything, output, ...options })
}

/** The lines of the manifest of a corpus. */
export async function rowsIn(output: string) {
  const text = await readFile(join(output, 'manifest.jsonl'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row))
}
