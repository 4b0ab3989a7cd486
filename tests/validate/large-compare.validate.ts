import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { comparisonSchema } from '#analysis/documents/comparison'
import { runCli } from '../journeys/run-cli.ts'

const maker = join(import.meta.dirname, 'large-run.ts')
const spentReporter = pathToFileURL(join(import.meta.dirname, 'report-spent.ts')).href

test.each([
  ['200,000', 20_000, 30, 1200],
  ['1,000,000', 100_000, 90, 3000],
])('two runs of %s attempts are compared', async (attempts, utteranceCount, mostSeconds, mostMegabytes) => {
  const results = await mkdtemp(join(tmpdir(), 'transcribench-compare-'))
  try {
    for (const name of ['earlier', 'later']) await make(results, name, utteranceCount)
    const spentFile = join(results, 'spent.json')
    const startedAt = performance.now()
    const { code, stdout, stderr } = await runCli(['compare', 'earlier', 'later', '--json'], {
      cwd: results,
      env: { NODE_OPTIONS: `--import=${spentReporter}`, SPENT_FILE: spentFile },
    })
    const seconds = (performance.now() - startedAt) / 1000
    const { peakMegabytes } = JSON.parse(await readFile(spentFile, 'utf8'))
    const { size } = await stat(join(results, 'earlier', 'journal.jsonl'))
    process.stdout.write(
      `transcribench compare of two runs of ${attempts} attempts (journals of ${(size / 1e6).toFixed(0)} MB): ` +
        `${seconds.toFixed(1)} s, peak ${peakMegabytes.toFixed(0)} MB\n`,
    )
    expect(code, stderr).toBe(0)
    const { contenders } = comparisonSchema.parse(JSON.parse(stdout))
    expect(contenders).toMatchObject([{ runContenderId: 'base', pairedUtteranceCount: utteranceCount }])
    const [{ rates, failures, worseCount } = expect.fail('one contender is compared')] = contenders
    expect(failures.base).toBeGreaterThan(0)
    expect(failures.run).toBeGreaterThan(0)
    expect(worseCount).toBeGreaterThan(utteranceCount / 10)
    // Two words more in every tenth utterance, of about 43 words each: letters and digits are parted.
    expect(rates[0]).toMatchObject({ metric: 'wer', verdict: 'worse' })
    expect(rates[0]?.difference).toBeGreaterThan(0.004)
    expect(rates[0]?.difference).toBeLessThan(0.006)
    expect(seconds).toBeLessThan(mostSeconds)
    expect(peakMegabytes).toBeLessThan(mostMegabytes)
  } finally {
    await rm(results, { recursive: true, force: true })
  }
})

async function make(results: string, name: string, utteranceCount: number): Promise<void> {
  const flags = ['--disable-warning=ExperimentalWarning']
  await promisify(execFile)(process.execPath, [
    ...flags,
    maker,
    ...['make', results, String(utteranceCount), '10', name],
  ])
}
