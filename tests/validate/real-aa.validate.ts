import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { calibrateRuns } from '#analysis/comparison/calibrate-runs'
import { compareSides } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import { readRun } from '#journal/run-reader'
import { runCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { env, quickConfig } from './real-engine.ts'

const pairCount = 20

const home = await temporaryFolder()
const folder = home.path
afterAll(() => home[Symbol.asyncDispose]())

/** Better or worse, where both sides are the same. */
function falseVerdicts({ contenders }: Comparison): readonly string[] {
  return contenders.flatMap(({ rates, speed }) =>
    [...rates, ...speed].flatMap(({ metric, verdict }) =>
      verdict === 'better' || verdict === 'worse' ? [`${metric} ${verdict}`] : [],
    ),
  )
}

test('of twenty pairs of equal runs on the reference service hardly any is said to differ', async () => {
  const config = quickConfig({ name: 'aa', target: 'embedded', models: ['moonshine-tiny'], rounds: 2 })
  await writeFile(join(folder, 'aa.yaml'), config)
  const { code, stdout, stderr } = await runCli(
    ['calibrate', 'aa.yaml', '--pairs', String(pairCount), '--cool-down', '500ms', '--json'],
    { cwd: folder, env },
  )
  expect(code, stderr).toBe(0)
  const { folders } = JSON.parse(stdout) as { readonly folders: readonly string[] }
  const runs = await Promise.all(folders.map((each) => readRun(each)))
  const [base, run] = [runs.slice(0, pairCount), runs.slice(pairCount)]
  const compared = (
    left: typeof runs,
    right: typeof runs,
    spreads?: ReturnType<typeof calibrateRuns>['calibration']['spreads'],
  ): Comparison => {
    const comparison = compareSides(left, right, { spreads })
    if (!comparison.ok) throw comparison.failure
    return comparison.value
  }

  // Each pair by itself, with the spread that all of them show.
  const { spreads } = calibrateRuns(base, run).calibration
  const saidToDiffer = base.flatMap((one, pair) => {
    const other = run[pair]
    if (other === undefined) throw new Error('a pair has two runs')
    const comparison = compared([one], [other], spreads)
    const latency = comparison.contenders[0]?.speed.find(({ metric }) => metric === 'latency')
    const isBeyond =
      latency?.interval !== null &&
      latency?.interval !== undefined &&
      (latency.interval.low > 0 || latency.interval.high < 0)
    return [...falseVerdicts(comparison), ...(isBeyond ? ['latency differs from nothing'] : [])].length > 0
      ? [pair + 1]
      : []
  })
  // And as an experiment of five passes sees them, at the usual margins: every stretch of five pairs.
  const fives = Array.from({ length: pairCount - 4 }, (_, from) => from).filter(
    (from) => falseVerdicts(compared(base.slice(from, from + 5), run.slice(from, from + 5))).length > 0,
  )
  process.stdout.write(
    `false alarms: ${saidToDiffer.length} of ${pairCount} pairs by themselves (latency against nothing at 95 %), ` +
      `${fives.length} of ${pairCount - 4} stretches of five pairs; load of the machine ${loadavg()[0]?.toFixed(2)}\n`,
  )
  expect(saidToDiffer.length).toBeLessThanOrEqual(3)
  expect(fives.length).toBeLessThanOrEqual(3)
})
