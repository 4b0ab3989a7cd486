import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { scoreRequests } from '#analysis'
import { lazily } from '#prelude'
import { type FileCell, type ResultTable, resultTables, type TabledRun } from '#reports'
import type { ExportFormat, ExportRequest } from './export-format.ts'

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
    await replaceWhole(join(output, path), (partial) => writer.write(partial, table, rows))
    paths.push(path)
  }
  return paths
}

/** A reader sees the old file or the new one, never a part. */
async function replaceWhole(path: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${path}.partial`
  await mkdir(dirname(path), { recursive: true })
  try {
    await write(partial)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
