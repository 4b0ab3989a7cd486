import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readHistory } from '#results/history'
import { readRunSummaries } from '#results/summaries'
import { readLibrary } from '../../src/results/view.ts'
import { aRecord } from '../journal/a-run.ts'
import { aSummary } from '../results/a-summary.ts'
import { type Workplace, workplace } from './workplace.ts'

const historyOf = async (results: string, metrics: readonly string[]) =>
  readHistory(results, metrics, await readRunSummaries(results))

let home: Workplace
let folder: string
const busy = 'other programs kept 1.6 of 2 processors busy'

/** Faster in the first 25 runs than in those after them. */
function speedOf(index: number): object {
  const value = (index < 25 ? 20 : 15) + ((index * 7) % 5) / 1000
  return { value, interval: { low: value - 1, high: value + 1, confidence: 0.95, method: 'runs' } }
}

/** A run in a folder of results; without a summary, it has no score. */
async function addRun(results: string, id: string, summary?: object | string): Promise<string> {
  const run = join(folder, results, id)
  await mkdir(run, { recursive: true })
  await writeFile(join(run, 'run.json'), JSON.stringify(aRecord))
  const text = typeof summary === 'object' ? JSON.stringify(summary) : summary
  if (text !== undefined) await writeFile(join(run, 'summary.json'), text)
  return run
}

/** Forty runs of which the last fifteen are slower, one that is not valid and one without a score. */
beforeAll(async () => {
  home = await workplace()
  folder = home.path
  for (let index = 0; index < 42; index += 1) {
    const id = `2026-11-${String(1 + Math.floor(index / 2)).padStart(2, '0')}T0${index % 2}-00-00Z-nightly`
    const startedAt = id.replace(/T(\d+)-(\d+)-(\d+)Z.*/, 'T$1:$2:$3Z')
    const metrics = { wer: { value: 0.08 }, rtfx: speedOf(index) }
    const summary = aSummary(startedAt, [{ id: 'tiny', metrics }], {
      validity: index === 40 ? 'invalid' : 'valid',
      speeds: { withheld: index === 38 ? busy : null },
    })
    await addRun('results', id, index === 41 ? undefined : summary)
  }
})
afterAll(() => home[Symbol.asyncDispose]())

test('a history names the run at which a figure changed, and no other', async () => {
  const { code, stdout } = await home.cli('history', '--json', '--csv', 'all.csv')
  expect(code).toBe(0)
  const shown = await home.cli('history')
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain('~ latency and speed of 1 run are not comparable')
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
  expect(csv.split('\r\n')[0]).toBe(
    'run,started_at,contender,metric,unit,value,low95,high95,conditions,not_comparable',
  )
  expect(csv.trim().split('\r\n')).toHaveLength(81)
})

test('a history is also a table for programs that read columns', async () => {
  const { code } = await home.cli('history', '--metric', 'all', '-o', 'all.parquet')
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
    low95: 19,
    high95: 21,
    conditions:
      'quick (ffffffffffff) · basic, score file f3bea9bd · closed, 1 in flight · a processor, 2 processors',
    not_comparable: null,
  })
  // Of a run on a busy machine, the error rates are comparable.
  const marked = rows.filter(({ not_comparable: reason }) => reason === busy)
  expect(marked.map(({ metric }) => metric)).toEqual(['rtfx'])
})

test('runs of several servers are several series, and the list names each server', async () => {
  const servers = ['openai http://127.0.0.1:8000/v1', 'openai http://127.0.0.1:8001/v1']
  for (const [index, target] of servers.entries()) {
    const first = join(folder, 'results', '2026-11-01T00-00-00Z-nightly', 'summary.json')
    const { run: identity, ...summary } = JSON.parse(await readFile(first, 'utf8'))
    await addRun('servers', `2026-11-0${index + 1}T00-00-00Z-nightly`, {
      ...summary,
      run: { ...identity, target },
      speeds: { withheld: index === 0 ? null : busy },
    })
  }
  const { stdout } = await home.cli('history', '--json', '--results', 'servers')
  const { trends } = JSON.parse(stdout)
  const conditions = trends.map((trend: { conditions: string }) => trend.conditions.split(' · ').at(-1))
  expect(new Set(conditions)).toEqual(new Set(servers))
  const page = await readLibrary(join(folder, 'servers'), { addressOf: () => null, canCompare: false })
  expect(page.runs.map(({ summary }) => summary?.target)).toEqual(servers.toReversed())
  // The newer one was measured on a busy machine.
  const speeds = page.runs.map(
    ({ figures }) => figures.rows.flat().find(({ text }) => text.endsWith('×'))?.text,
  )
  expect(speeds).toEqual(['~20.0×', '20.0×'])
})

test('a history sees runs that came, changed and went since', async () => {
  const results = join(folder, 'results')
  const countsOf = async (): Promise<unknown> => {
    const { runCount, leftOut, figures } = await historyOf(results, ['wer', 'rtfx'])
    return [runCount, leftOut.length, figures.at(-1)?.value]
  }
  const before = await countsOf()
  const last = '2026-11-20T01-00-00Z-nightly'
  const text = await readFile(join(results, last, 'summary.json'), 'utf8')
  const added = '2026-11-22T00-00-00Z-nightly'
  await addRun('results', added)
  expect(await countsOf()).toEqual([40, 3, 15.003])
  for (const value of [99, 77]) {
    await addRun('results', added, text.replace('15.003', `${value}`).replace('2026-11-20', '2026-11-22'))
    expect(await countsOf()).toEqual([41, 2, value])
  }
  await rm(join(results, added), { recursive: true })
  expect(await countsOf()).toEqual(before)
})

test('a figure that becomes worse twice and recovers in between is three changes on every screen', async () => {
  const levels = [
    ...new Array(16).fill(0.046),
    ...new Array(5).fill(0.0685),
    ...new Array(10).fill(0.046),
    ...new Array(5).fill(0.069),
  ]
  for (const [index, level] of levels.entries()) {
    const id = `2026-${index < 30 ? '11' : '12'}-${String(1 + (index % 30)).padStart(2, '0')}T00-00-00Z-steps`
    const startedAt = id.replace(/T(\d+)-(\d+)-(\d+)Z.*/, 'T$1:$2:$3Z')
    const metrics = {
      wer: { value: level + ((index * 7) % 5) / 10_000 },
      'latency.p95': { value: (level === 0.046 ? 320 : 480) + ((index * 11) % 7) },
    }
    await addRun('steps', id, aSummary(startedAt, [{ id: 'tiny', metrics }]))
  }
  const { stdout } = await home.cli('history', '--results', 'steps', '-o', 'steps.md')
  expect(stdout).toContain(
    'From 2026-12-02T00-00-00Z-steps on: wer of tiny became worse, 4.62% → 6.92%; latency.p95',
  )
  const markdown = await readFile(join(folder, 'steps.md'), 'utf8')
  for (const screen of [stdout, markdown]) {
    const found = [...screen.matchAll(/(\d+) of 36 .*? (wer|latency\.p95) .*?(better|worse)/g)]
    expect(found.map(([, run, metric, verdict]) => [run, metric, verdict])).toEqual([
      ['17', 'wer', 'worse'],
      ['17', 'latency.p95', 'worse'],
      ['22', 'wer', 'better'],
      ['22', 'latency.p95', 'better'],
      ['32', 'wer', 'worse'],
      ['32', 'latency.p95', 'worse'],
    ])
  }
})

test('a history says what there is on a screen, and refuses a metric that there is not', async () => {
  const shown = await home.cli('history')
  const sentence = 'From 2026-11-13T01-00-00Z-nightly on: rtfx of tiny became worse, 20.0× → 15.0×.'
  expect(shown.stdout.trimStart().startsWith(sentence)).toBe(true)
  expect(shown.stdout).toMatch(
    /26 of 40 {2}2026-11-13T01-00-00Z-nightly {2}tiny +rtfx +20\.0× +15\.0× +−25\.0% +worse/,
  )
  expect(shown.stdout).toMatch(
    /40 runs; 2 runs without a valid score excluded:\s+2026-11-21T00-00-00Z-nightly,\s+2026-11-21T01/,
  )
  expect(shown.stderr).toContain(
    'transcribench compare 2026-11-13T00-00-00Z-nightly 2026-11-13T01-00-00Z-nightly\n',
  )
  const refused = await home.cli('history', '--metric', 'wre')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('there is no metric "wre"')
  expect(refused.stderr).toContain('did you mean "wer"?')
  const difference = await home.cli('history', '--metric', 'wer.regression')
  expect(difference.code).toBe(2)
  expect(difference.stderr).toContain('"wer.regression" is of two runs')
  const absent = await home.cli('history', '--metric', 'leak')
  expect(absent.stdout).toContain('40 runs here, and none has such a figure')
})

test('a history has the error rate first that leads in the score of a run', async () => {
  for (const leads of ['words', 'characters']) {
    const metrics = { wer: { value: 0.3 }, cer: { value: 0.1 }, rtfx: { value: 20 } }
    const summary = aSummary('2026-11-01T00:00:00Z', [{ id: 'tiny', metrics }], { profile: { leads } })
    await addRun('unspaced', `2026-11-01T00-00-00Z-${leads}`, summary)
  }
  const { figures } = await historyOf(join(folder, 'unspaced'), ['leading', 'other', 'rtfx'])
  expect(figures.map(({ runId, metric }) => `${runId.split('-').at(-1)} ${metric}`)).toEqual([
    'characters cer',
    'characters wer',
    'characters rtfx',
    'words wer',
    'words cer',
    'words rtfx',
  ])
})

test('a run that report refuses is in no history, and named', async () => {
  const results = join(folder, 'refused')
  const id = '2026-11-01T00-00-00Z-nightly'
  await cp(join(folder, 'results', id), join(results, id), { recursive: true })
  expect(await historyOf(results, ['wer'])).toMatchObject({ runCount: 1, leftOut: [] })
  await writeFile(join(results, id, 'run.json'), '{}')
  expect(await historyOf(results, ['wer'])).toMatchObject({ runCount: 0, leftOut: [id], figures: [] })
})

test('a history reads every run by the score that is named, and names the runs without it', async () => {
  await using copy = await workplace()
  await cp(join(folder, 'results'), join(copy.path, 'results'), { recursive: true })
  const ids = ['2026-11-01T00-00-00Z-nightly', '2026-11-01T01-00-00Z-nightly']
  for (const id of ids) {
    const run = join(copy.path, 'results', id)
    const own = JSON.parse(await readFile(join(run, 'summary.json'), 'utf8'))
    const other = {
      ...own,
      profile: { id: 'whisper-english@1', leads: 'words' },
      score: 'whisper-english-1.f3bea9bd',
      contenders: [{ id: 'tiny', metrics: { wer: { value: 0.05 } } }],
    }
    await writeFile(join(run, 'evaluation.whisper-english-1.f3bea9bd.json'), '{}')
    await writeFile(join(run, 'summary.whisper-english-1.f3bea9bd.json'), JSON.stringify(other))
  }
  for (const name of ['whisper-english', 'whisper-english@1', 'f3be', 'f3bea9bd44']) {
    const { code, stdout, stderr } = await copy.cli('history', '--score', name, '--json')
    expect(code, stderr).toBe(0)
    const { runCount, leftOut, trends } = JSON.parse(stdout)
    expect([runCount, leftOut.length]).toEqual([2, 40])
    expect(trends[0].figures.map(({ value }: { value: number }) => value)).toEqual([0.05, 0.05])
    expect(trends[0].conditions).toContain('whisper-english@1')
  }
  const shown = await copy.cli('history', '--score', 'whisper-english')
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(/whisper-english@1.*40 runs without a valid score/)
  const none = await copy.cli('history', '--score', 'basic@9')
  expect(none.code).toBe(2)
  expect(none.stderr).toContain('no run in results has a score "basic@9"')
  expect(none.stderr).toContain('transcribench report latest --scores')
})
