import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readStoredDocument } from '#results/stored-document'
import { type ExperimentGround, experimentGround } from '../journeys/experiment-ground.ts'
import type { CliResult } from '../journeys/run-cli.ts'

let home: ExperimentGround
const cli = (...args: string[]): Promise<CliResult> => home.cli(...args)
beforeAll(async () => {
  home = await experimentGround()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Where other programs take the processors, speeds are not judged: then a test of their verdict has nothing to look at. */
const busy = 'other programs kept the processors of this machine busy'
const isBusy = (findings: readonly { readonly code: string }[] = []): boolean =>
  findings.some(({ code }) => code === 'HOST_BUSY')

describe('transcribench experiment', () => {
  test('measures two contenders interleaved until it is known which is faster, and says how to look again', async ({
    skip,
  }) => {
    const shown = await cli('experiment', 'both.yaml', '--cool-down', '0s', '-o', 'experiment.json')
    expect(shown, shown.stderr).toMatchObject({ code: 0 })
    expect(shown.stderr).toContain('pass 1')
    const document = await readStoredDocument(join(home.path, 'experiment.json'))
    if (document.kind !== 'experiment') throw new Error(document.kind)
    const { stopped, sides, comparisons } = document.experiment
    skip(isBusy(comparisons[0]?.findings), busy)
    expect(stopped).toBe('resolved')
    expect(sides.map(({ name, folders }) => [name, folders.length >= 5])).toEqual([
      ['quick', true],
      ['slow', true],
    ])
    // In turn: no side is ahead of the other by more than two runs in the order of time.
    const order = sides
      .flatMap(({ name, folders }) => folders.map((folder) => ({ name, folder: basename(folder) })))
      .sort((a, b) => (a.folder < b.folder ? -1 : 1))
    let ahead = 0
    for (const { name } of order) {
      ahead += name === 'quick' ? 1 : -1
      expect(Math.abs(ahead)).toBeLessThanOrEqual(2)
    }
    const latency = comparisons[0]?.contenders[0]?.speed.find(({ metric }) => metric === 'latency')
    expect(latency).toMatchObject({ verdict: 'worse', basis: 'pairs of runs' })
    expect(latency?.interval?.low).toBeGreaterThan(0.05)
    expect(shown.stdout).toMatch(/slow against quick: worse: latency \(\+\d+\.\d%/)
    const again = /transcribench compare \S+ \S+$/m.exec(shown.stdout)?.[0]
    const [, ...args] = again?.split(' ') ?? []
    const looked = await cli(...args, '--json')
    expect(looked, again).toMatchObject({ code: 0 })
    // It ended when the interval was narrow enough: one for a number of runs that was fixed before would be too narrow.
    const shownAgain = JSON.parse(looked.stdout).contenders[0].speed[0]
    expect(shownAgain).toMatchObject({ metric: 'latency', interval: latency?.interval, verdict: 'worse' })
  })

  test('is a gate on speed: a limit is held to the interval that holds at every look', async ({ skip }) => {
    const files = ['--markdown', 'comment.md', '--junit', 'cases.xml', '-o', 'gate.json']
    const limits = ['--threshold', 'latency.regression <= 5%', '--threshold', 'failures <= 1%']
    const shown = await cli('experiment', 'both.yaml', '--cool-down', '0s', ...limits, ...files)
    const document = await readStoredDocument(join(home.path, 'gate.json'))
    if (document.kind !== 'experiment') throw new Error(document.kind)
    skip(isBusy(document.experiment.comparisons[0]?.findings), busy)
    expect(shown, shown.stderr).toMatchObject({ code: 3 })
    expect(document.experiment.comparisons[0]?.thresholds?.map(({ outcome }) => outcome)).toEqual([
      'failed',
      'passed',
    ])
    const comment = await home.read('comment.md')
    expect(comment).toMatch(
      /^<!-- transcribench experiment -->\n\n### ❌ transcribench: 1 threshold failed; worse: .*latency/,
    )
    expect(comment).toContain('- slow against quick: 1 threshold failed; worse: latency')
    expect(comment).toContain('Stopped: resolved')
    expect(await home.read('cases.xml')).toContain('failures="1"')
  })
})
