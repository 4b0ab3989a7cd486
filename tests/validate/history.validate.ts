import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { metrics } from '#analysis'
import { seededRandom } from '#prelude'

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
  const results = await mkdtemp(join(tmpdir(), 'transcribench-history-'))
  const random = seededRandom(9)
  try {
    for (let index = 0; index < runCount; index += 1) {
      const startedAt = new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString().slice(0, 19)
      const folder = join(results, `${startedAt.replaceAll(':', '-')}Z-${String(index).padStart(4, '0')}`)
      await mkdir(folder)
      const value = (): number => (index < 600 ? 1 : 1.2) * (1 + 0.05 * (random.unit() - 0.5))
      const contenders = ['tiny', 'base'].map((id) => ({
        id,
        metrics: Object.fromEntries(metrics.map((metric) => [metric.id, { value: value() }])),
      }))
      const summary = {
        run: { startedAt: `${startedAt}Z`, cpuModel: 'a processor', cpuCount: 2 },
        validity: 'valid',
        profile: { id: 'english' },
        corpus: { name: 'quick', fingerprint: 'f'.repeat(64) },
        load: { description: 'closed, 1 in flight' },
        contenders,
      }
      await writeFile(join(folder, 'run.json'), '{}')
      await writeFile(join(folder, 'summary.json'), JSON.stringify(summary))
    }
    const first = await history(results)
    const again = await history(results)
    process.stdout.write(
      `${runCount} runs, ${2 * runCount * metrics.length} figures: ${first.seconds.toFixed(1)} s without an index, ` +
        `${again.seconds.toFixed(1)} s with it\n`,
    )
    expect(first.changes).toEqual(again.changes)
    const shown = ['wer', 'cer', 'failures', 'latency.p50', 'latency.p95', 'rtfx']
    expect(new Set(first.changes)).toEqual(new Set(shown.map((metric) => `${metric} 0600`)))
    expect(first.seconds).toBeLessThan(5)
    expect(again.seconds).toBeLessThan(5)
  } finally {
    await rm(results, { recursive: true, force: true })
  }
})
