import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type CliResult, runCli } from '../journeys/run-cli.ts'

const script = join(import.meta.dirname, 'large-run.ts')
const spentReporter = pathToFileURL(join(import.meta.dirname, 'report-spent.ts')).href
/** A million attempts took 510 MB; what grows with the rows would take gigabytes. */
const mostMegabytes = 550

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

test('a million attempts of 100,000 utterances are exported and queried within 550 MB', async () => {
  const home = await mkdtemp(join(tmpdir(), 'transcribench-export-large-'))
  try {
    const flags = ['--disable-warning=ExperimentalWarning']
    await promisify(execFile)(process.execPath, [
      ...flags,
      script,
      'make',
      join(home, 'results'),
      '100000',
      '5',
    ])
    const run = join(home, 'results', 'large')
    for (const format of ['parquet', 'csv', 'jsonl']) {
      const { seconds, peakMegabytes } = await measured(
        ['export', run, '-o', format, '--format', format],
        home,
      )
      const report = `${format}: ${seconds.toFixed(0)} s, peak ${peakMegabytes} MB; ${await sizes(join(home, format))}\n`
      process.stdout.write(report)
      expect(peakMegabytes).toBeLessThan(mostMegabytes)
    }
    const sql = 'SELECT contender, kind, count(*) AS n FROM words GROUP BY ALL ORDER BY ALL'
    const { seconds, stdout } = await measured(['query', sql, 'parquet', '--format', 'csv'], home)
    process.stdout.write(`query over the words: ${seconds.toFixed(1)} s\n${stdout}`)
    expect(stdout).toContain('substitution')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
