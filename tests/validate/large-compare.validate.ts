import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { comparisonSchema } from '#analysis/documents/comparison'
import { temporaryFolder } from '../temporary-folder.ts'
import { runProgram, spend } from './program.ts'

test.each([
  ['200,000', 20_000, 30, 1200],
  ['1,000,000', 100_000, 90, 3000],
])('two runs of %s attempts are compared', async (attempts, utteranceCount, mostSeconds, mostMegabytes) => {
  await using home = await temporaryFolder()
  for (const name of ['earlier', 'later'])
    await runProgram('large-run', 'make', home.path, utteranceCount, 10, name)
  const { code, stdout, stderr, seconds, peakMegabytes } = await spend(
    ['compare', 'earlier', 'later', '--json'],
    home.path,
  )
  const { size } = await stat(join(home.path, 'earlier', 'journal.jsonl'))
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
})
