import { glob, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import {
  type BasicType,
  type ColumnSource,
  fileWriter,
  ParquetWriter,
  schemaFromColumnData,
} from 'hyparquet-writer'
import { correctReferences } from '#analysis/requests/transcript-scorer'
import { type RowScoring, scoreRequests } from '#analysis/score-requests'
import { makeFolder, replaceFile } from '#installation/files'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { lazily } from '#prelude'
import type { FieldType, FileCell } from '#reports/layout/schema-columns'
import { batches, csvPieces, rowsInPiece } from '#reports/layout/table-files'
import { type ResultTable, resultTables, type TabledRun, type TableField } from '#reports/run/result-tables'
import { dataPackage, type TableFiles } from '#reports/run/summary-document'
import { storedScoring } from './scores.ts'

export interface TableWriter {
  /** Name of the format and extension of its files. */
  readonly name: string
  readonly summary: string
  readonly mediaType: string
  /** Writes a file from its rows, with only a part of them in memory at a time. */
  write(path: string, table: ResultTable, rows: Iterable<readonly FileCell[]>): Promise<void>
}

/**
 * The path of a table of a run. Programs with Hive partitioning read the name of the run from it.
 *
 * @returns relative to the folder of the export, with `/` between folders
 */
export function tablePath(table: string, runId: string, format: string): string {
  return `${table}/run=${runId}/${table}.${format}`
}

/** A format with one file for each table and run. */
export function tableFormat(writer: TableWriter): ExportFormat {
  return {
    name: writer.name,
    summary: writer.summary,
    write: (request) => writeTables(writer, request),
  }
}

/**
 * @param holdsRows whether a table is written with its rows, or only its columns; default: all with rows
 * @returns the files, relative to the folder
 */
export async function writeTables(
  writer: TableWriter,
  { run, scoring, output }: ExportRequest,
  holdsRows: (table: ResultTable) => boolean = () => true,
): Promise<readonly string[]> {
  const tabled: TabledRun = { run, scored: lazily(() => scoreRequests(run, scoring)) }
  const paths: string[] = []
  for (const table of resultTables) {
    const path = tablePath(table.name, run.record.id, writer.name)
    const rows = holdsRows(table) ? table.rows(tabled) : []
    await makeFolder(dirname(join(output, path)))
    await replaceFile(join(output, path), (draft) => writer.write(draft, table, rows))
    paths.push(path)
  }
  return paths
}

/** The choice of a stored score by its name, or of a profile; default: the newest score. */
export interface StoredScoringChoice {
  readonly profile?: string | undefined
  readonly score?: string | null | undefined
}

interface ExportRequest {
  readonly run: RecordedRun
  readonly scoring: RowScoring
  /** Absolute path of an existing folder. */
  readonly output: string
}

export interface ExportFormat {
  readonly name: string
  readonly summary: string
  /**
   * Writes one run. It replaces files of the same run in this format.
   *
   * @returns the files, relative to the folder
   * @throws BenchError RUN_NOT_TRACKED, and the errors of scoring
   */
  write(request: ExportRequest): Promise<readonly string[]>
}

/**
 * Reads a run for an export: with the rules and corrected references of its newest score or a named one, or by a
 * chosen profile.
 *
 * @throws BenchError of the journal's table
 */
export async function readForExport(
  folder: string,
  { profile, score = null }: StoredScoringChoice,
): Promise<Pick<ExportRequest, 'run' | 'scoring'>> {
  const [recorded, { corrections, ...newest }] = await Promise.all([
    readRun(folder),
    storedScoring(folder, score),
  ])
  const { material, applied } = correctReferences(recorded, corrections ?? null)
  const scoring = { ...(profile === undefined ? newest : { profile }), corrected: applied }
  return { run: { ...recorded, utterances: material.utterances }, scoring }
}

/**
 * Cells per row group, and so the maximum in memory, as rows and as columns: 100 bytes each. Metadata of the groups
 * stays in memory until the end; with a third of this size, it would exceed what smaller groups save.
 */
const cellsInGroup = 300_000

/** Metadata key for the description of the columns in a file. */
const columnsKey = 'transcribench.columns'

export const parquet: TableWriter = {
  name: 'parquet',
  summary: 'typed columns with units and descriptions in the metadata',
  mediaType: 'application/vnd.apache.parquet',
  async write(path, table, rows) {
    const fields = table.fields()
    const writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaFromColumnData({ columnData: columnData(fields, []) }),
      createdBy: 'transcribench',
      kvMetadata: [
        { key: 'transcribench.table', value: table.description },
        { key: columnsKey, value: JSON.stringify(fields.map(describedField)) },
      ],
    })
    const rowsInGroup = Math.ceil(cellsInGroup / fields.length)
    for (const batch of batches(rows, rowsInGroup)) {
      await writer.write({ columnData: columnData(fields, batch), rowGroupSize: rowsInGroup })
    }
    await writer.finish()
  },
}

/** The description of a column without its accessor. */
function describedField({ name, type, unit, description }: TableField): TableField {
  return { name, type, unit, description }
}

/** Arrays and objects are strings of JSON text, because the writer's own JSON type would encode it again. */
const parquetTypes: Readonly<Record<FieldType, BasicType>> = {
  string: 'STRING',
  integer: 'INT64',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  array: 'STRING',
  object: 'STRING',
}

function columnData(fields: readonly TableField[], rows: readonly (readonly FileCell[])[]): ColumnSource[] {
  return fields.map(({ name, type }, place) => ({
    name,
    type: parquetTypes[type],
    // A group has one page of each column, so a page index would be useless, and would stay in memory.
    offsetIndex: false,
    data: rows.map((row) => {
      const cell = row[place] ?? null
      return type === 'integer' && typeof cell === 'number' ? BigInt(cell) : cell
    }),
  }))
}

const csv: TableWriter = {
  name: 'csv',
  summary: 'RFC 4180, a header row, empty cells for what is absent',
  mediaType: 'text/csv',
  write: (path, table, rows) =>
    writeFile(
      path,
      csvPieces(
        table
          .fields()
          .map(({ name }, place) => ({ name, value: (row: readonly FileCell[]) => row[place] ?? null })),
        rows,
      ),
    ),
}

const jsonl: TableWriter = {
  name: 'jsonl',
  summary: 'one JSON object a line, null for what is absent',
  mediaType: 'application/jsonl',
  write: (path, table, rows) => writeFile(path, jsonPieces(table.fields(), rows)),
}

function* jsonPieces(fields: readonly TableField[], rows: Iterable<readonly FileCell[]>): Iterable<string> {
  const keys = fields.map(({ name }) => JSON.stringify(name))
  const isJson = fields.map(({ type }) => type === 'array' || type === 'object')
  const textOf = (cell: FileCell, place: number): string =>
    isJson[place] === true ? String(cell) : JSON.stringify(cell)
  for (const batch of batches(rows, rowsInPiece)) {
    yield batch
      .map((row) => `{${row.map((cell, place) => `${keys[place]}:${textOf(cell, place)}`)}}\n`)
      .join('')
  }
}

export const tableWriters: readonly TableWriter[] = [parquet, csv, jsonl]

/** Name of the file that describes the tables of an export. */
export const descriptionFile = 'datapackage.json'

/**
 * Describes all tables in a folder, including those of earlier exports.
 *
 * @returns the name of the file; null if there is no table
 */
export async function describeExport(output: string): Promise<string | null> {
  const files: TableFiles[] = []
  for (const table of resultTables) {
    for (const { name: format, mediaType } of tableWriters) {
      const paths: string[] = []
      for await (const path of glob(tablePath(table.name, '*', format), { cwd: output })) {
        paths.push(path.replaceAll(sep, '/'))
      }
      if (paths.length > 0) files.push({ table, format, mediaType, paths: paths.sort() })
    }
  }
  if (files.length === 0) return null
  await writeFile(join(output, descriptionFile), dataPackage(files))
  return descriptionFile
}
