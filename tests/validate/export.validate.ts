import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliResult, runCli } from '../journeys/run-cli.ts'

const script = join(import.meta.dirname, 'large-run.ts')
const spentReporter = pathToFileURL(join(import.meta.dirname, 'report-spent.ts')).href
/** What grows with the rows would take gigabytes. */
const mostMegabytes = 500

const queries = {
  'words by kind of error': {
    sql: 'SELECT contender, kind, count(*) AS n FROM words GROUP BY ALL ORDER BY ALL',
    expected: 'substitution',
  },
  'latency and errors by contender': {
    sql: 'SELECT contender, count(*) AS attempts, round(quantile_cont(ended_at_ms - sent_at_ms, 0.95), 1) AS p95_ms FROM attempts GROUP BY ALL ORDER BY ALL',
    expected: '500000',
  },
}

interface Taken extends CliResult {
  readonly seconds: number
  readonly peakMegabytes: number
}

async function measured(args: readonly string[], cwd: string): Promise<Taken> {
  const startedAt = performance.now()
  const file = join(cwd, 'spent.json')
  const env = { NODE_OPTIONS: `--import=${spentReporter}`, SPENT_FILE: file }
  const result = await runCli(args, { cwd, env })
  const seconds = (performance.now() - startedAt) / 1000
  expect(result.code, result.stderr).toBe(0)
  return {
    ...result,
    seconds,
    peakMegabytes: Math.round(JSON.parse(await readFile(file, 'utf8')).peakMegabytes),
  }
}

async function sizes(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter((path) =>
    /\.(parquet|csv|jsonl)$/.test(path),
  )
  const texts = await Promise.all(
    files.map(
      async (path) =>
        `${path.split('/').at(-1)} ${((await stat(join(folder, path))).size / 1e6).toFixed(0)} MB`,
    ),
  )
  return texts.join(', ')
}

describe('a million attempts of 100,000 utterances', () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'transcribench-export-large-'))
    const make = [
      '--disable-warning=ExperimentalWarning',
      script,
      'make',
      join(home, 'results'),
      '100000',
      '5',
    ]
    await promisify(execFile)(process.execPath, make)
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  test.each(['parquet', 'csv', 'jsonl'])('are exported as %s within 500 MB', async (format) => {
    const run = join(home, 'results', 'large')
    const { seconds, peakMegabytes } = await measured(['export', run, '-o', format, '--format', format], home)
    const report = `${format}: ${seconds.toFixed(0)} s, peak ${peakMegabytes} MB; ${await sizes(join(home, format))}\n`
    process.stdout.write(report)
    expect(peakMegabytes).toBeLessThan(mostMegabytes)
  })

  test.each(Object.entries(queries))('are queried: %s', async (_name, { sql, expected }) => {
    const { seconds, peakMegabytes, stdout } = await measured(
      ['query', sql, 'parquet', '--format', 'csv'],
      home,
    )
    process.stdout.write(`${sql}\n${seconds.toFixed(1)} s, peak ${peakMegabytes} MB\n${stdout}`)
    expect(stdout).toContain(expected)
  })
})
