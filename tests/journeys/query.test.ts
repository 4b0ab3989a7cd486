import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resultTables } from '#reports/run/result-tables'
import type { SummaryContender } from '#reports/run/summary-document'
import { type CliResult, runCli } from './run-cli.ts'

/** A recorded run with two contenders and telemetry. */
const example = join(import.meta.dirname, '../../docs/example/run')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transcribench-query-journey-'))
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

const query = (sql: string, ...args: readonly string[]): Promise<CliResult> =>
  runCli(['query', sql, ...args], { cwd: folder })

const ratesSql = `SELECT contender, count(*) AS requests,
  sum(word_substitutions + word_deletions + word_insertions) / sum(word_hits + word_substitutions + word_deletions) AS wer
  FROM utterances WHERE status = 'scored' GROUP BY ALL ORDER BY contender`

test('the help names every table of a run', async () => {
  const { stdout } = await runCli(['query', '--help'], { cwd: folder })
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `tables: ${resultTables.map(({ name }) => name).join(', ')}`,
  )
})

describe('a query in SQL', () => {
  test('about a run gives the error rates of its summary, as JSON, CSV and a table', async () => {
    const report = await runCli(['report', example, '--format', 'json'], { cwd: folder })
    const { contenders } = JSON.parse(report.stdout)
    const json = await query(ratesSql, example, '--format', 'json')
    expect(json.code, json.stderr).toBe(0)
    const rows = JSON.parse(json.stdout)
    expect(rows).toEqual(
      contenders
        .map(({ id, counts, metrics }: SummaryContender) => ({
          contender: id,
          requests: counts.answered,
          wer: metrics['wer']?.value,
        }))
        .toSorted((a: { contender: string }, b: { contender: string }) =>
          a.contender < b.contender ? -1 : 1,
        ),
    )
    const csv = await query(ratesSql, example, '--format', 'csv')
    expect(parse(csv.stdout, { columns: true, cast: true })).toEqual(rows)
    const table = await query(ratesSql, example)
    expect(table.stdout).toMatch(/^ {2}contender +requests +wer$/m)
    expect(table.stdout).toContain('2 rows')
  })

  test('about an export gives what the same query about the run gives', async () => {
    await runCli(['export', example, '-o', 'tables'], { cwd: folder })
    const about = async (...sources: readonly string[]): Promise<string> =>
      (await query(ratesSql, ...sources, '--format', 'csv')).stdout
    expect(await about('tables')).toBe(await about(example))
    const both = await query('SELECT count(*) AS n FROM attempts', 'tables', example, '--format', 'json')
    const one = await query('SELECT count(*) AS n FROM attempts', 'tables', '--format', 'json')
    expect(JSON.parse(both.stdout)[0].n).toBe(2 * JSON.parse(one.stdout)[0].n)
  })

  test('of every column of a table is answered by its name and type', async () => {
    const { stdout } = await query('DESCRIBE attempts', example, '--format', 'json')
    const types = Object.fromEntries(
      JSON.parse(stdout).map((row: Record<string, string>) => [row['column_name'], row['column_type']]),
    )
    expect(types).toMatchObject({ run: 'VARCHAR', request: 'BIGINT', sent_at_ms: 'DOUBLE', ok: 'BOOLEAN' })
  })

  test('keeps large numbers, dates, lists and absent values apart', async () => {
    const sql =
      "SELECT 9007199254740993 AS big, DATE '2026-11-23' AS day, [1, 2] AS list, NULL AS none, 0.0/0 AS nan"
    const { stdout } = await query(sql, example, '--format', 'json')
    expect(JSON.parse(stdout)).toEqual([
      { big: '9007199254740993', day: '2026-11-23T00:00:00.000Z', list: '[1,2]', none: null, nan: null },
    ])
  })

  test.each([
    ['in capital letters', 'SELECT count(*) AS n FROM ATTEMPTS'],
    ['in a pivot', 'SELECT sum("true") AS n FROM (PIVOT attempts ON ok USING count(*))'],
    ['in the second of two statements', 'SET threads = 1; SELECT count(*) AS n FROM attempts'],
  ])('finds the rows of a table that is named %s', async (_where, sql) => {
    const plain = await query('SELECT count(*) AS n FROM attempts WHERE ok', example, '--format', 'json')
    const { stdout, stderr } = await query(sql, example, '--format', 'json')
    expect(JSON.parse(plain.stdout)[0].n).toBeGreaterThan(0)
    expect(stdout, stderr).toBe(plain.stdout)
  })

  test('that nothing answers is an empty list, and a header alone as CSV', async () => {
    const sql = 'SELECT run, request FROM attempts WHERE false'
    expect(JSON.parse((await query(sql, example, '--format', 'json')).stdout)).toEqual([])
    expect((await query(sql, example, '--format', 'csv')).stdout).toBe('run,request\r\n')
  })
})

describe('a query that cannot be answered', () => {
  test.each([
    ['a misspelt word', 'SELEC 1', 'syntax error at or near "SELEC"', 'line 1 of the query'],
    [
      'a misspelt table',
      'SELECT * FROM attempt',
      'attempt does not exist',
      'Did you mean "attempts"? Tables: utterances,',
    ],
    ['a misspelt column', 'SELECT latency FROM utterances', '"latency" not found', 'latency_ms'],
    ['a text without a statement', ' ; -- later', 'there is no statement in this query', 'DESCRIBE'],
    ['a wrong type', "SELECT 'x'::INTEGER", "Could not convert string 'x'", 'DESCRIBE'],
  ])('for %s is reported with the place and what there is', async (_what, sql, message, advice) => {
    const { code, stderr, stdout } = await query(sql, example)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(advice)
    expect(stderr).not.toMatch(/^\s+at \S+ \(/m)
  })

  test('for a folder without Parquet is reported with the command that makes one', async () => {
    await runCli(['export', example, '-o', 'only-csv', '--format', 'csv'], { cwd: folder })
    const { code, stderr } = await query('SELECT 1', 'only-csv')
    expect(code).toBe(2)
    expect(stderr).toContain('transcribench export')
  })

  test('for object storage without the extension says what is missing and how to go on without it', async () => {
    // An empty home has no extension, and nothing answers at the proxy.
    const env = { HOME: folder, HTTP_PROXY: 'http://127.0.0.1:9' }
    const { code, stderr } = await runCli(['query', 'FROM attempts', 's3://bucket/tables/'], {
      cwd: folder,
      env,
    })
    expect(code).toBe(2)
    const said = stderr.replaceAll(/\s+/g, ' ')
    expect(said).toContain('s3://bucket/tables cannot be read: ')
    expect(said).toContain('extension "httpfs"')
    expect(said).toContain('aws s3 cp --recursive s3://bucket/tables tables')
  })

  test('for an address with keys in it is refused without repeating them', async () => {
    const { code, stderr } = await query(
      'FROM attempts',
      's3://bucket/tables?s3_secret_access_key=hidden-key',
    )
    expect(code).toBe(2)
    expect(stderr).toContain('s3://<bucket>/<folder>')
    expect(stderr).not.toContain('hidden-key')
  })

  test('without any run is reported with where runs are', async () => {
    const { code, stderr } = await query('SELECT 1')
    expect(code).toBe(2)
    expect(stderr).toContain('--results <folder>')
  })

  test('without DuckDB names the package and the command that installs it', async () => {
    // A resolver that knows no such package, as where it was never installed.
    const hook = `import { registerHooks } from 'node:module'
registerHooks({ resolve(specifier, context, next) {
  if (specifier !== '@duckdb/node-api') return next(specifier, context)
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
} })`
    const { code, stderr } = await runCli(['query', 'SELECT 1', example], {
      cwd: folder,
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` },
    })
    expect(code).toBe(2)
    expect(stderr).toContain('npm install @duckdb/node-api')
  })
})
