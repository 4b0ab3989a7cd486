import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { metrics } from '#analysis/metrics/metrics'
import { seededRandom } from '#prelude'
import { findChangePoints, findDrift } from '#statistics/series/change-points'
import { aRecord } from '../journal/a-run.ts'
import { aSummary } from '../results/a-summary.ts'
import { normalDraws } from '../statistics/normal-draws.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const runCount = 1000
const command = join(import.meta.dirname, '../../src/cli/main.js')

async function history(results: string): Promise<{ seconds: number; changes: readonly string[] }> {
  const flags = ['--disable-warning=ExperimentalWarning']
  const startedAt = performance.now()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, command, 'history', '--json', '--results', results],
    { maxBuffer: 1e9 },
  )
  const seconds = (performance.now() - startedAt) / 1000
  const { trends } = JSON.parse(stdout)
  const changes = trends.flatMap(
    ({ metric, changes: found }: { metric: string; changes: readonly { runId: string }[] }) =>
      found.map(({ runId }) => `${metric} ${runId.slice(-4)}`),
  )
  return { seconds, changes }
}

test('a thousand runs of two contenders with every metric are a history in less than five seconds', async () => {
  await using home = await temporaryFolder()
  const results = home.path
  const random = seededRandom(9)
  for (let index = 0; index < runCount; index += 1) {
    const startedAt = new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString().slice(0, 19)
    const folder = join(results, `${startedAt.replaceAll(':', '-')}Z-${String(index).padStart(4, '0')}`)
    await mkdir(folder)
    const value = (): number => (index < 600 ? 1 : 1.2) * (1 + 0.05 * (random.unit() - 0.5))
    const contenders = ['tiny', 'base'].map((id) => ({
      id,
      metrics: Object.fromEntries(metrics.map((metric) => [metric.id, { value: value() }])),
    }))
    const summary = aSummary(`${startedAt}Z`, contenders)
    await writeFile(join(folder, 'run.json'), JSON.stringify(aRecord))
    await writeFile(join(folder, 'summary.json'), JSON.stringify(summary))
  }
  const { seconds, changes } = await history(results)
  process.stdout.write(
    `${runCount} runs, ${2 * runCount * metrics.length} figures: ${seconds.toFixed(1)} s\n`,
  )
  const shown = ['wer', 'cer', 'failures', 'latency.p50', 'latency.p95', 'rtfx']
  expect(new Set(changes)).toEqual(new Set(shown.map((metric) => `${metric} 0600`)))
  expect(seconds).toBeLessThan(5)
})

const histories = 400
const drawn = normalDraws(seededRandom(77))

/** Runs of one build that differ by 2 %, each like the one before by a share. */
function alike(runs: number, share: number): number[] {
  let last = drawn()
  return Array.from({ length: runs }, () => {
    last = share * last + Math.sqrt(1 - share ** 2) * drawn()
    return 100 + 2 * last
  })
}

test.each([0, 0.5, 0.8])(
  'histories of 10 to 130 runs, each like the one before by %s: false changes, steps and drifts of a tenth',
  (share) => {
    const tried = (move: (index: number, runs: number) => number) =>
      Array.from({ length: histories }, (_, history) => {
        const runs = 10 + ((history * 7) % 121)
        const values = alike(runs, share).map((value, index) => value + move(index, runs))
        const changes = findChangePoints(values, { random: seededRandom(1) })
        const isDrift = findDrift(values, changes) !== null
        return { runs, isDrift, changes: isDrift ? [] : changes.map(({ index }) => index) }
      })
    const percent = (count: number, of: number): string => `${((100 * count) / of).toFixed(1)} %`
    const still = tried(() => 0)
    const moved = still.filter(({ isDrift, changes }) => isDrift || changes.length > 0).length
    const isFound = ({ runs, changes }: (typeof still)[number]): boolean =>
      changes.some((index) => Math.abs(index - (runs >> 1)) <= 1)
    const stepped = tried((index, runs) => (index < runs >> 1 ? 0 : 10))
    const long = stepped.filter(({ runs }) => runs >= 16)
    const drifted = tried((index, runs) => (10 * index) / (runs - 1)).filter(({ runs }) => runs >= 30)
    const drifts = drifted.filter(({ isDrift }) => isDrift).length
    const steps = drifted.filter(({ changes }) => changes.length > 0).length
    process.stdout.write(
      `alike by ${share}: false changes or drifts ${percent(moved, histories)}; a step of 10 % within one run ` +
        `${percent(long.filter(isFound).length, long.length)} from 16 runs on, ` +
        `${percent(stepped.filter(isFound).length, histories)} of all; a drift of 10 % over 30 runs or more: ` +
        `${percent(drifts, drifted.length)} called a drift, ${percent(steps, drifted.length)} called steps\n`,
    )
    expect(moved).toBeLessThanOrEqual(0.05 * histories)
    if (share === 0) expect(long.filter(isFound).length).toBeGreaterThanOrEqual(0.9 * long.length)
    if (share === 0) expect(drifts).toBeGreaterThanOrEqual(0.9 * drifted.length)
  },
)
