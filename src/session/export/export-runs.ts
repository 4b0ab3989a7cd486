import { mkdir } from 'node:fs/promises'
import { readRecord } from '#journal'
import { allOf } from '#prelude'
import { sessionErrors } from '../errors.ts'
import { describeExport } from './describe-export.ts'
import { type ExportFormat, readForExport, type StoredScoringChoice } from './export-format.ts'
import { folderUnwritable } from './folder-unwritable.ts'

export interface ExportOptions {
  /** Absolute path; made where it is missing. */
  readonly output: string
  readonly format: ExportFormat
  readonly scoring: StoredScoringChoice
}

/**
 * Writes recorded runs for other programs, one after the other. Texts are scored anew by the run's own rules or the chosen
 * profile; nothing in the run folders is changed.
 *
 * @returns the written files, relative to the folder of the export
 * @throws BenchError EXPORT_UNWRITABLE, EXPORT_AMBIGUOUS, RUN_NOT_TRACKED, and of the journal's table
 */
export async function exportRuns(
  folders: readonly string[],
  { output, format, scoring }: ExportOptions,
): Promise<readonly string[]> {
  refuseOneName((await allOf(folders.map(readRecord))).map(({ id }) => id))
  const written: string[] = []
  try {
    await mkdir(output, { recursive: true })
    for (const folder of folders) {
      written.push(...(await format.write({ ...(await readForExport(folder, scoring)), output })))
      refuseOneFile(written)
    }
    const description = await describeExport(output)
    return description === null ? written : [...written, description]
  } catch (error) {
    throw folderUnwritable(output, error)
  }
}

/** Runs of several results folders may have one name: one would replace the other. */
function refuseOneName(ids: readonly string[]): void {
  const repeated = repeatedIn(ids)
  if (repeated.length === 0) return
  throw sessionErrors.make('EXPORT_AMBIGUOUS', {
    message: `${repeated.length === 1 ? 'one run is' : `${repeated.length} runs are`} named more than once`,
    hint: 'name each run once; two different runs of one name need two folders',
    problems: repeated.map((id) => ({ where: null, what: id })),
  })
}

/** Where a format names files by contender and corpus, those of a later run would replace those of an earlier one. */
function refuseOneFile(paths: readonly string[]): void {
  const repeated = repeatedIn(paths)
  if (repeated.length === 0) return
  throw sessionErrors.make('EXPORT_AMBIGUOUS', {
    message: `${repeated.length === 1 ? 'one file' : `${repeated.length} files`} would hold several runs or contenders`,
    hint: 'export each run into a separate folder; names of contenders have to differ in a letter or a digit',
    problems: repeated.map((path) => ({ where: null, what: path })),
  })
}

function repeatedIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text, place) => texts.indexOf(text) !== place))]
}
