import { access, glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DuckDBConnection, JS } from '@duckdb/node-api'
import { findRuns, listRuns } from '#journal/find-run'
import { type BenchError, type Problem, shellWord, succeeds } from '#prelude'
import type { QueryCell } from '#reports/run/listings'
import { resultTables } from '#reports/run/result-tables'
import { resultsErrors } from './errors.ts'
import {
  descriptionFile,
  parquet,
  readForExport,
  type StoredScoringChoice,
  tablePath,
  writeTables,
} from './export-tables.ts'

export interface QueryResult {
  readonly columns: readonly string[]
  /** Parts of the result, about two thousand rows each. */
  readonly parts: AsyncIterable<readonly (readonly QueryCell[])[]>
}

/**
 * Runs an SQL query over runs and exported Parquet. Every table of an export is a view. Runs are first written as
 * Parquet into a temporary folder, with rows only for the tables in the query.
 *
 * @param use reads the result, which is invalid afterwards
 * @throws BenchError DUCKDB_MISSING, NOTHING_TO_QUERY, OBJECT_STORAGE_UNREADABLE, QUERY_FAILED, EXPORT_UNWRITABLE;
 * and of the journal's table
 */
export async function queryRuns<Value>(
  sql: string,
  { runFolders, exportFolders, addresses }: QuerySources,
  scoring: StoredScoringChoice,
  use: (result: QueryResult) => Promise<Value>,
): Promise<Value> {
  using database = await openDuckDb()
  const { connection } = database
  // Syntax errors are reported before any run is read.
  await explained(() => connection.extractStatements(sql), 'there is no statement in this query')
  await loadObjectStorage(connection, addresses)
  const temporary = await mkdtemp(join(tmpdir(), 'transcribench-query-'))
  try {
    for (const folder of runFolders) {
      const request = { ...(await readForExport(folder, scoring)), output: temporary }
      await writeTables(parquet, request, ({ name }) => mentions(sql, name))
    }
    await createViews(connection, [temporary, ...exportFolders], addresses)
    const result = await explained(() => connection.stream(sql))
    const parts = async function* (): AsyncIterable<readonly (readonly QueryCell[])[]> {
      for await (const rows of result.yieldRowsJs()) yield rows.map((row) => row.map(readCell))
    }
    return await explained(() => use({ columns: result.deduplicatedColumnNames(), parts: parts() }))
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/**
 * Whether a query contains a word. DuckDB's `getTableNames` misses tables of a pivot and of several statements. Rows
 * written in vain cost time, but missing rows would give a wrong answer.
 */
function mentions(sql: string, table: string): boolean {
  return new RegExp(`\\b${table}\\b`, 'i').test(sql)
}

async function createViews(
  connection: DuckDBConnection,
  folders: readonly string[],
  addresses: readonly string[],
): Promise<void> {
  const found = new Set<string>()
  for (const { name } of resultTables) {
    const files = (await Promise.all(folders.map((folder) => parquetFiles(folder, [name])))).flat()
    for (const address of addresses) {
      const stored = await storedFiles(connection, address, name)
      if (stored.length > 0) found.add(address)
      files.push(...stored)
    }
    if (files.length === 0) continue
    const list = files.map((file) => `'${file.replaceAll("'", "''")}'`).join(', ')
    await connection.run(
      `CREATE VIEW ${name} AS SELECT * FROM read_parquet([${list}], union_by_name = true, hive_partitioning = false)`,
    )
  }
  const empty = addresses.find((address) => !found.has(address))
  if (empty !== undefined) throw noParquet(empty)
}

/** A value as a cell: 64-bit integers are numbers if they are exact, and NaN and infinities are null. */
function readCell(value: JS): QueryCell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value !== 'object' || value === null) return value ?? null
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? Number(part) : part))
}

/**
 * @param standard message if DuckDB gives no reason
 * @throws BenchError QUERY_FAILED instead of DuckDB's error
 */
async function explained<Value>(act: () => Promise<Value>, standard?: string): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    const message =
      error instanceof Error ? (messageOfDuckDb.exec(error.message)?.[0] ?? standard) : undefined
    throw message === undefined ? error : queryFailed(message, error)
  }
}

/** An error message of DuckDB begins with its kind: `Parser Error: syntax error at or near "SELEC"`. */
const messageOfDuckDb = /\b[A-Z][\w ]*Error: [\s\S]*/

function queryFailed(text: string, cause: unknown): BenchError {
  const [message = '', ...rest] = text.split('\n')
  const advice = rest.filter((line) => /^(Did you mean|Candidate bindings)/.test(line)).join(' ')
  const names = resultTables.map(({ name }) => name)
  const tables = `${names.join(', ')}; columns of a table: transcribench query 'DESCRIBE ${names[0]}'`
  return resultsErrors.make('QUERY_FAILED', {
    message,
    hint:
      advice === '' ? `tables: ${tables}` : `${advice}${/[?.]$/.test(advice) ? '' : '.'} Tables: ${tables}`,
    problems: findPlace(rest.join('\n')),
    cause,
  })
}

/** The position of an error, from the line and the caret that DuckDB prints. */
function findPlace(drawing: string): readonly Problem[] {
  const [, number, line = '', before = ''] = /^LINE (\d+): (.*)\n(\s*)\^/m.exec(drawing) ?? []
  if (number === undefined) return []
  const near = line.slice(Math.max(0, before.length - `LINE ${number}: `.length))
  return [{ where: `line ${number} of the query`, what: `at: ${near.trim() === '' ? 'its end' : near}` }]
}

export interface QuerySources {
  readonly runFolders: readonly string[]
  /** Folders with exported Parquet. */
  readonly exportFolders: readonly string[]
  /** Exports in object storage: `s3://bucket/folder`. */
  readonly addresses: readonly string[]
}

/**
 * Finds the sources of a query: exports, as folders or in object storage, and runs; by default all runs.
 *
 * @param names as typed
 * @param results absolute path of the folder with the runs
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS, NOTHING_TO_QUERY, OBJECT_STORAGE_UNREADABLE; all missing runs at
 * once
 */
export async function findSources(
  names: readonly string[],
  { results, cwd }: { readonly results: string; readonly cwd: string },
): Promise<QuerySources> {
  if (names.length === 0) {
    const runFolders = await listRuns(results)
    if (runFolders.length > 0) return { runFolders, exportFolders: [], addresses: [] }
    throw resultsErrors.make('NOTHING_TO_QUERY', {
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
 * @returns null if a folder is not an export
 * @throws BenchError NOTHING_TO_QUERY for an export in other formats
 */
async function exportFolder(folder: string): Promise<string | null> {
  if ((await parquetFiles(folder)).length > 0) return folder
  if (await succeeds(access(join(folder, descriptionFile)))) throw noParquet(folder)
  return null
}

function noParquet(source: string): BenchError {
  return resultsErrors.make('NOTHING_TO_QUERY', {
    message: `${source} has no Parquet files`,
    hint: 'write them next to the others: transcribench export <runs> -o <folder>',
  })
}

async function parquetFiles(
  folder: string,
  tables: readonly string[] = resultTables.map(({ name }) => name),
): Promise<readonly string[]> {
  const patterns = tables.map((table) => tablePath(table, '*', parquet.name))
  const paths: string[] = []
  for await (const path of glob(patterns, { cwd: folder })) paths.push(join(folder, path))
  return paths.sort()
}

export function isAddress(name: string): boolean {
  return name.startsWith('s3://')
}

/**
 * @param name an address as typed
 * @returns the address without a trailing slash
 * @throws BenchError OBJECT_STORAGE_UNREADABLE, which repeats no parameters, because they may contain keys
 */
export function checkAddress(name: string): string {
  if (/^s3:\/\/[^/?#@]+(\/[^?#]*)?$/.test(name)) return name.replace(/\/+$/, '')
  throw resultsErrors.make('OBJECT_STORAGE_UNREADABLE', {
    message:
      'an address in object storage is s3://<bucket>/<folder>, without a password and without parameters',
    hint: keysHint,
  })
}

/**
 * Prepares DuckDB for addresses. Its extension is fetched once, into DuckDB's own folder of the user.
 *
 * @throws BenchError OBJECT_STORAGE_UNREADABLE if it cannot be fetched
 */
async function loadObjectStorage(connection: DuckDBConnection, addresses: readonly string[]): Promise<void> {
  const [address] = addresses
  if (address === undefined) return
  try {
    await connection.run('INSTALL httpfs')
    await connection.run('LOAD httpfs')
  } catch (cause) {
    throw unreadable(
      address,
      cause,
      `copy it here: aws s3 cp --recursive ${shellWord(address)} tables; then name the folder tables`,
    )
  }
}

/**
 * @param root address of an export, of any kind that DuckDB reads
 * @returns addresses of the files of one table; empty if the export lacks it
 * @throws BenchError OBJECT_STORAGE_UNREADABLE
 */
export async function storedFiles(
  connection: DuckDBConnection,
  root: string,
  table: string,
): Promise<readonly string[]> {
  try {
    const pattern = `${root}/${tablePath(table, '*', parquet.name)}`
    const found = await connection.runAndReadAll('SELECT file FROM glob($pattern) ORDER BY file', { pattern })
    return found.getRows().map(([file]) => String(file))
  } catch (cause) {
    throw unreadable(root, cause, keysHint)
  }
}

const keysHint =
  'keys are read from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION; ' +
  'storage of other makers: CREATE PERSISTENT SECRET in DuckDB'

function unreadable(address: string, cause: unknown, hint: string): BenchError {
  const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  return resultsErrors.make('OBJECT_STORAGE_UNREADABLE', {
    message: `${address} cannot be read: ${reason}`,
    hint,
    cause,
  })
}

/**
 * Opens DuckDB, an optional package, with an empty database in memory. It installs extensions only by INSTALL.
 *
 * @throws BenchError DUCKDB_MISSING
 */
export async function openDuckDb() {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw resultsErrors.make('DUCKDB_MISSING', {
      message: 'queries need the package @duckdb/node-api, which is not installed',
      hint: 'npm install @duckdb/node-api',
      cause,
    })
  })
  const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' })
  const connection = await instance.connect()
  return {
    connection,
    [Symbol.dispose]() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
