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
import { csvLines } from '#reports/layout/table-files'
import { type ResultTable, resultTables, type TabledRun, type TableField } from '#reports/run/result-tables'
import { dataPackage, type TableFiles } from '#reports/run/summary-document'
import { storedScoring } from './scores.ts'

/** How the tables of a run are written in one format. */
export interface TableWriter {
  /** Of the format, and the ending of its files. */
  readonly name: string
  readonly summary: string
  readonly mediaType: string
  /** Writes a file from its rows, of which a part is in memory at a time. */
  write(path: string, table: ResultTable, rows: Iterable<readonly FileCell[]>): Promise<void>
}

/**
 * The path of a table of a run. Programs that know partitions in the manner of Hive read the name of the run from it.
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
 * @param holdsRows whether the rows of a table are written, or its columns alone; default: those of all are
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

/** A stored score by its name, or a profile; without both the newest score. */
export interface StoredScoringChoice {
  readonly profile?: string | undefined
  readonly score?: string | null | undefined
}

/** A run to be written, and how its texts are scored. */
interface ExportRequest {
  readonly run: RecordedRun
  readonly scoring: RowScoring
  /** Absolute path of a folder that exists. */
  readonly output: string
}

/** A way to write runs for other programs. */
export interface ExportFormat {
  /** As typed after `--format`. */
  readonly name: string
  readonly summary: string
  /**
   * Writes one run. What the folder has of the same run in this format is replaced.
   *
   * @returns the files, relative to the folder
   * @throws BenchError RUN_NOT_TRACKED, and what scoring throws
   */
  write(request: ExportRequest): Promise<readonly string[]>
}

/**
 * Reads a run as it is exported: with the rules and the corrected references of its newest score or a named one, or by a profile that is
 * asked for.
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

/** The rows in lists of equal length; the last one is shorter. */
function* batches<Row>(rows: Iterable<Row>, length: number): Iterable<readonly Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < length) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/**
 * Cells that are in memory at a time, as rows and as columns: 100 bytes each. A group of rows is as long as that. What describes
 * the groups waits in memory for the end of the file: of a third of that, it would be larger than what it saves.
 */
const cellsInGroup = 300_000

/** Key of the description of the columns in the metadata of a file. */
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

/** A column's way to its values is not part of its description. */
function describedField({ name, type, unit, description }: TableField): TableField {
  return { name, type, unit, description }
}

/** Arrays and objects are JSON text: the writer's own JSON type would encode the text again. */
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
    // A group has one page of each column: an index of pages would say nothing, and wait in memory for the end of the file.
    offsetIndex: false,
    data: rows.map((row) => {
      const cell = row[place] ?? null
      return type === 'integer' && typeof cell === 'number' ? BigInt(cell) : cell
    }),
  }))
}

const rowsInPiece = 1000

const csv: TableWriter = {
  name: 'csv',
  summary: 'RFC 4180, a header row, empty cells for what is absent',
  mediaType: 'text/csv',
  write: (path, table, rows) =>
    writeFile(
      path,
      csvPieces(
        table.fields().map(({ name }) => name),
        rows,
      ),
    ),
}

function* csvPieces(names: readonly string[], rows: Iterable<readonly FileCell[]>): Iterable<string> {
  yield csvLines([names])
  for (const batch of batches(rows, rowsInPiece)) yield csvLines(batch)
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

/** The formats that hold the tables of runs. */
export const tableWriters: readonly TableWriter[] = [parquet, csv, jsonl]

/** Name of the file that describes the tables of an export: their files and columns. */
export const descriptionFile = 'datapackage.json'

/**
 * Describes all tables that a folder holds, also those of earlier exports.
 *
 * @returns the name of the file; null where there is no table
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
