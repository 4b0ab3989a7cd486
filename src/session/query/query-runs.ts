import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, JS } from '@duckdb/node-api'
import type { BenchError, Problem } from '#prelude'
import { type QueryCell, resultTables } from '#reports'
import { sessionErrors } from '../errors.ts'
import { readForExport, type StoredScoringChoice } from '../export/export-format.ts'
import { parquet } from '../export/formats/parquet.ts'
import { writeTables } from '../export/table-format.ts'
import { loadObjectStorage, storedFiles } from './object-storage.ts'
import { openDuckDb } from './open-duckdb.ts'
import { noParquet, parquetFiles, type QuerySources } from './query-sources.ts'

export interface QueryOptions {
  readonly scoring: StoredScoringChoice
}

/** The result of a query while it is being read. */
export interface QueryResult {
  readonly columns: readonly string[]
  /** Parts of the result, about two thousand rows each. */
  readonly parts: AsyncIterable<readonly (readonly QueryCell[])[]>
}

/**
 * Answers a question in SQL about runs and exported Parquet. Every table of an export is a view. Runs are written as Parquet
 * into a temporary folder first, with the rows of the tables that the question names.
 *
 * @param use reads the result, which is gone after it
 * @throws BenchError DUCKDB_MISSING, NOTHING_TO_QUERY, OBJECT_STORAGE_UNREADABLE, QUERY_FAILED, EXPORT_UNWRITABLE, and of the journal's table
 */
export async function queryRuns<Value>(
  sql: string,
  { runFolders, exportFolders, addresses }: QuerySources,
  { scoring }: QueryOptions,
  use: (result: QueryResult) => Promise<Value>,
): Promise<Value> {
  using database = await openDuckDb()
  const { connection } = database
  // What cannot be parsed is reported before any run is read.
  await explained(() => connection.extractStatements(sql), 'there is no statement in this query')
  await loadObjectStorage(connection, addresses)
  const temporary = await mkdtemp(join(tmpdir(), 'transcribench-query-'))
  try {
    for (const folder of runFolders) {
      const request = { ...(await readForExport(folder, scoring)), output: temporary }
      await writeTables(parquet, request, ({ name }) => names(sql, name))
    }
    await createViews(connection, [temporary, ...exportFolders], addresses)
    const result = await explained(() => connection.stream(sql))
    const parts = async function* (): AsyncIterable<readonly (readonly QueryCell[])[]> {
      for await (const rows of result.yieldRowsJs()) yield rows.map((row) => row.map(cellOf))
    }
    return await explained(() => use({ columns: result.deduplicatedColumnNames(), parts: parts() }))
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/**
 * Whether the word is anywhere in a query: `getTableNames` of DuckDB finds no table of a pivot, nor of several statements.
 * Rows that are written for nothing cost time; rows that are missing would be a wrong answer.
 */
function names(sql: string, table: string): boolean {
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

/** Whole numbers of 64 bits and more are numbers where they are exact; what is no number is absent. */
function cellOf(value: JS): QueryCell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value !== 'object' || value === null) return value ?? null
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? Number(part) : part))
}

/**
 * @param standard what is wrong where DuckDB gives no reason
 * @throws BenchError QUERY_FAILED in place of what DuckDB throws
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

/** It begins with its kind: `Parser Error: syntax error at or near "SELEC"`. */
const messageOfDuckDb = /\b[A-Z][\w ]*Error: [\s\S]*/

function queryFailed(text: string, cause: unknown): BenchError {
  const [message = '', ...rest] = text.split('\n')
  const advice = rest.filter((line) => /^(Did you mean|Candidate bindings)/.test(line)).join(' ')
  const describe = `columns of a table: transcribench query 'DESCRIBE ${resultTables[0]?.name}'`
  return sessionErrors.make('QUERY_FAILED', {
    message,
    hint: `${advice === '' ? '' : `${advice}; `}tables: ${resultTables.map(({ name }) => name).join(', ')}; ${describe}`,
    problems: placeOf(rest.join('\n')),
    cause,
  })
}

/** DuckDB draws the line with a caret below the place. */
function placeOf(drawing: string): readonly Problem[] {
  const [, number, line = '', before = ''] = /^LINE (\d+): (.*)\n(\s*)\^/m.exec(drawing) ?? []
  if (number === undefined) return []
  const near = line.slice(Math.max(0, before.length - `LINE ${number}: `.length))
  return [{ where: `line ${number} of the query`, what: `at: ${near.trim() === '' ? 'its end' : near}` }]
}
