import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readHistory } from '#session'
import { runCli } from './run-cli.ts'

let folder: string

/** Forty runs of which the last fifteen are slower, one that is not valid and one without a score. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'asrbench-history-'))
  for (let index = 0; index < 42; index += 1) {
    const id = `2026-11-${String(1 + Math.floor(index / 2)).padStart(2, '0')}T0${index % 2}-00-00Z-nightly`
    const run = join(folder, 'results', id)
    await mkdir(run, { recursive: true })
    await writeFile(join(run, 'run.json'), '{}')
    if (index === 41) continue
    const wobble = ((index * 7) % 5) / 1000
    const summary = {
      run: {
        startedAt: id.replace(/T(\d+)-(\d+)-(\d+)Z.*/, 'T$1:$2:$3Z'),
        cpuModel: 'a processor',
        cpuCount: 2,
      },
      validity: index === 40 ? 'invalid' : 'valid',
      profile: { id: 'basic' },
      corpus: { name: 'quick', fingerprint: 'f'.repeat(64) },
      load: { description: 'closed, 1 in flight' },
      contenders: [
        { id: 'tiny', metrics: { wer: { value: 0.08 }, rtfx: { value: (index < 25 ? 20 : 15) + wobble } } },
      ],
    }
    await writeFile(join(run, 'summary.json'), JSON.stringify(summary))
  }
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

test('a history names the run at which a figure changed, and no other', async () => {
  const { code, stdout } = await runCli(['history', '--json', '--csv', 'all.csv'], { cwd: folder })
  expect(code).toBe(0)
  const { runCount, leftOut, trends } = JSON.parse(stdout)
  expect([runCount, leftOut.length]).toEqual([40, 2])
  const changes = trends.map(
    ({ metric, changes: found }: { metric: string; changes: { runId: string }[] }) => [
      metric,
      found.map(({ runId }) => runId),
    ],
  )
  expect(changes).toEqual([
    ['wer', []],
    ['rtfx', ['2026-11-13T01-00-00Z-nightly']],
  ])
  const csv = await readFile(join(folder, 'all.csv'), 'utf8')
  expect(csv.split('\r\n')[0]).toBe('run,started_at,contender,metric,unit,value,conditions')
  expect(csv.trim().split('\r\n')).toHaveLength(81)
})

test('a history is also a table for programs that read columns', async () => {
  const { code } = await runCli(['history', '--metric', 'all', '-o', 'all.parquet'], { cwd: folder })
  expect(code).toBe(0)
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'all.parquet')) })
  expect(rows).toHaveLength(80)
  expect(rows.find(({ metric }) => metric === 'rtfx')).toEqual({
    run: '2026-11-01T00-00-00Z-nightly',
    started_at: new Date('2026-11-01T00:00:00Z'),
    contender: 'tiny',
    metric: 'rtfx',
    unit: 'times',
    value: 20,
    conditions: 'quick (ffffffffffff) · basic · closed, 1 in flight · a processor, 2 processors',
  })
})

test('a history sees runs that came, changed and went since, and needs no index that can be read', async () => {
  const results = join(folder, 'results')
  const countsOf = async (): Promise<unknown> => {
    const { runCount, leftOut, figures } = await readHistory(results, ['wer', 'rtfx'])
    return [runCount, leftOut.length, figures.at(-1)?.value]
  }
  const before = await countsOf()
  const last = '2026-11-20T01-00-00Z-nightly'
  const text = await readFile(join(results, last, 'summary.json'), 'utf8')
  const added = '2026-11-22T00-00-00Z-nightly'
  await mkdir(join(results, added))
  await writeFile(join(results, added, 'run.json'), '{}')
  expect(await countsOf()).toEqual([40, 3, 15.003])
  await writeFile(
    join(results, added, 'summary.json'),
    text.replace('15.003', '99').replace('2026-11-20', '2026-11-22'),
  )
  expect(await countsOf()).toEqual([41, 2, 99])
  await writeFile(
    join(results, added, 'summary.json'),
    text.replace('15.003', '77').replace('2026-11-20', '2026-11-22'),
  )
  expect(await countsOf()).toEqual([41, 2, 77])
  await writeFile(
    join(results, 'history.sqlite'),
    'no database at all, but a text that is long enough to be looked at',
  )
  expect(await countsOf()).toEqual([41, 2, 77])
  await rm(join(results, added), { recursive: true })
  expect(await countsOf()).toEqual(before)
})

test('a history says what there is on a screen, and refuses a metric that there is not', async () => {
  const shown = await runCli(['history'], { cwd: folder })
  expect(shown.stdout).toContain('rtfx of tiny at 2026-11-13T01-00-00Z-nightly: 20.0× → 15.0×')
  expect(shown.stdout).toContain('40 runs; 2 runs without a valid score left out')
  const refused = await runCli(['history', '--metric', 'wre'], { cwd: folder })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('there is no metric "wre"')
  expect(refused.stderr).toContain('did you mean "wer"?')
  const difference = await runCli(['history', '--metric', 'wer.regression'], { cwd: folder })
  expect(difference.code).toBe(2)
  expect(difference.stderr).toContain('"wer.regression" is of two runs')
  const absent = await runCli(['history', '--metric', 'leak'], { cwd: folder })
  expect(absent.stdout).toContain('40 runs here, and none has such a figure')
})
