import { access, glob } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findRuns, listRuns } from '#journal'
import type { BenchError } from '#prelude'
import { resultTables } from '#reports'
import { sessionErrors } from '../errors.ts'
import { descriptionFile } from '../export/describe-export.ts'
import { parquet } from '../export/formats/parquet.ts'
import { tablePath } from '../export/table-format.ts'
import { checkAddress, isAddress } from './object-storage.ts'

/** Where the rows of a query come from. */
export interface QuerySources {
  readonly runFolders: readonly string[]
  /** Folders with exported Parquet. */
  readonly exportFolders: readonly string[]
  /** Exports in object storage: `s3://bucket/folder`. */
  readonly addresses: readonly string[]
}

/**
 * Finds what a query is about: exports, as folders or in object storage, and runs; all runs where nothing is named.
 *
 * @param names as typed
 * @param results absolute path of the folder with the runs
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS, NOTHING_TO_QUERY, OBJECT_STORAGE_UNREADABLE; all runs that
 *   are not found at once
 */
export async function findSources(
  names: readonly string[],
  { results, cwd }: { readonly results: string; readonly cwd: string },
): Promise<QuerySources> {
  if (names.length === 0) {
    const runFolders = await listRuns(results)
    if (runFolders.length > 0) return { runFolders, exportFolders: [], addresses: [] }
    throw sessionErrors.make('NOTHING_TO_QUERY', {
      message: `there is no run in ${results}`,
      hint: 'name the folder with the runs: --results <folder>; or an export: transcribench query <sql> <folder>',
    })
  }
  const addresses = names.filter(isAddress).map(checkAddress)
  const paths = names.filter((name) => !isAddress(name))
  const folders = await Promise.all(paths.map((path) => exportFolder(resolve(cwd, path))))
  const runNames = paths.filter((_, place) => folders[place] === null)
  return {
    runFolders: runNames.length === 0 ? [] : await findRuns(runNames, results),
    exportFolders: folders.filter((folder) => folder !== null),
    addresses,
  }
}

/**
 * @returns null where a folder is no export
 * @throws BenchError NOTHING_TO_QUERY for an export in other formats
 */
async function exportFolder(folder: string): Promise<string | null> {
  if ((await parquetFiles(folder)).length > 0) return folder
  const isExport = await access(join(folder, descriptionFile)).then(
    () => true,
    () => false,
  )
  if (!isExport) return null
  throw noParquet(folder)
}

export function noParquet(source: string): BenchError {
  return sessionErrors.make('NOTHING_TO_QUERY', {
    message: `${source} has no Parquet files`,
    hint: 'write them next to the others: transcribench export <runs> -o <folder>',
  })
}

/** Absolute paths of the exported tables in a folder. */
export async function parquetFiles(
  folder: string,
  tables: readonly string[] = resultTables.map(({ name }) => name),
): Promise<readonly string[]> {
  const patterns = tables.map((table) => tablePath(table, '*', parquet.name))
  const paths: string[] = []
  for await (const path of glob(patterns, { cwd: folder })) paths.push(join(folder, path))
  return paths.sort()
}
