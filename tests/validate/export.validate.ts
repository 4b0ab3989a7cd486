import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { runProgram, spend } from './program.ts'

/** The attempts of a run are in memory; what grows with the rows of words would take more. */
const mostMegabytes = 3500

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

const { path: home, [Symbol.asyncDispose]: remove } = await temporaryFolder()
afterAll(remove)

describe('a million attempts of 100,000 utterances', () => {
  beforeAll(async () => {
    await runProgram('large-run', 'make', join(home, 'results'), 100_000, 5)
  })

  test.each(['parquet', 'csv', 'jsonl'])('are exported as %s within 3.5 GB', async (format) => {
    const run = join(home, 'results', 'large')
    const { code, stderr, seconds, peakMegabytes } = await spend(
      ['export', run, '-o', format, '--format', format],
      home,
    )
    expect(code, stderr).toBe(0)
    process.stdout.write(
      `${format}: ${seconds.toFixed(0)} s, peak ${peakMegabytes.toFixed(0)} MB; ${await sizes(join(home, format))}\n`,
    )
    expect(peakMegabytes).toBeLessThan(mostMegabytes)
  })

  test.each(Object.entries(queries))('are queried: %s', async (_name, { sql, expected }) => {
    const { code, stdout, stderr, seconds, peakMegabytes } = await spend(
      ['query', sql, 'parquet', '--format', 'csv'],
      home,
    )
    expect(code, stderr).toBe(0)
    process.stdout.write(`${sql}\n${seconds.toFixed(1)} s, peak ${peakMegabytes.toFixed(0)} MB\n${stdout}`)
    expect(stdout).toContain(expected)
  })
})
