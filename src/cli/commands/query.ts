import { resolve } from 'node:path'
import type { Command } from 'commander'
import { csvLines } from '#reports/layout/table-files'
import type { QueryCell } from '#reports/run/listings'
import type { QueryResult } from '#results/query-runs'
import type { Attach, CommandContext } from '../command-context.ts'
import { profileOption, resultsOption, scoreOption } from '../options.ts'
import { choice } from '../typed-options.ts'

const queryOptions = () => [
  choice('--format <format>', 'what to print', Object.keys(writers) as (keyof typeof writers)[], 'text'),
  profileOption("normalisation (default: each run's own)"),
  scoreOption(),
  resultsOption(),
]

/** Names of `resultTables`, copied because their schemas load too slowly for the help; a test compares both. */
const tableNames = ['utterances', 'words', 'attempts', 'telemetry']

/** Maximum number of rows on a terminal. */
const maxShown = 1000

type Writer = (result: QueryResult, context: CommandContext) => Promise<unknown>

const writers = { text: writeTable, csv: writeCsv, json: writeJson } satisfies Record<string, Writer>

/** `transcribench query <sql>`: runs an SQL query over runs with DuckDB. */
export function defineQueryCommand(command: Command, attach: Attach): void {
  command
    .argument('<sql>', `DuckDB's SQL; tables: ${tableNames.join(', ')}`)
    .argument(
      '[runs...]',
      'runs, or exports with Parquet: a folder or s3://bucket/folder (default: all runs)',
    )
    .addHelpText('after', `\nColumns of a table:\n  transcribench query 'DESCRIBE attempts'`)
  attach(
    command,
    queryOptions,
    async (context, { format, profile, score, results }, [sql = '', ...names]) => {
      const { findSources, queryRuns } = await import('#results/query-runs')
      const sources = await findSources(names, { results: resolve(context.cwd, results), cwd: context.cwd })
      await queryRuns(sql, sources, { profile, score }, (result) => writers[format](result, context))
      return 'done'
    },
  )
}

async function writeTable({ columns, parts }: QueryResult, context: CommandContext): Promise<void> {
  const rows: (readonly QueryCell[])[] = []
  let rowCount = 0
  for await (const part of parts) {
    rows.push(...part.slice(0, maxShown - rows.length))
    rowCount += part.length
  }
  const { renderQuery } = await import('#reports/run/listings')
  context.print(renderQuery({ columns, rows, rowCount }, context.output))
}

async function writeCsv({ columns, parts }: QueryResult, { write }: CommandContext): Promise<void> {
  let isTaken = await write(csvLines([columns]))
  for await (const part of parts) {
    if (!isTaken) return
    isTaken = await write(csvLines(part))
  }
}

/** Writes a list of objects, one per line. */
async function writeJson({ columns, parts }: QueryResult, { write }: CommandContext): Promise<void> {
  let separator = '[\n'
  for await (const part of parts) {
    const objects = part.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map((name, place) => [name, row[place] ?? null]))),
    )
    if (!(await write(`${separator}${objects.join(',\n')}`))) return
    separator = ',\n'
  }
  await write(separator === '[\n' ? '[]\n' : '\n]\n')
}
