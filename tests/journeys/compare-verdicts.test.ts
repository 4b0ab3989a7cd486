import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measuredRun, timedOut } from '../analysis/measured-run.ts'
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-folder.ts'
import { cliHere, type Ended } from './cli-here.ts'
import { writeRunFolder } from './run-folder.ts'

let home: TemporaryFolder
const compare = (...args: string[]): Promise<Ended> =>
  cliHere('compare', ...args, '--results', join(home.path, 'results'))

const utterances = Array.from({ length: 60 }, (_, index) => ({
  id: `u${String(index).padStart(2, '0')}`,
  reference: 'one two three four',
}))

/** Runs of one contender, of which so many requests fail. */
beforeAll(async () => {
  home = await temporaryFolder()
  const results = join(home.path, 'results')
  const failing = (count: number) =>
    measuredRun({
      utterances,
      fate: ({ utterance }) => (Number(utterance.id.slice(1)) < count ? timedOut : utterance.reference),
    })
  await writeRunFolder(failing(0), results, '2026-11-20T07-00-00Z-clean')
  await writeRunFolder(failing(1), results, '2026-11-21T07-00-00Z-once')
  await writeRunFolder(failing(9), results, '2026-11-22T07-00-00Z-often')
})
afterAll(async () => home[Symbol.asyncDispose]())

describe('transcribench compare', () => {
  test('begins with a sentence that names what became worse, failures among it', async () => {
    const { code, stdout } = await compare('2026-11-20', '2026-11-22')
    expect(code).toBe(0)
    expect(stdout.trimStart()).toMatch(
      /^Worse: failed requests \(0 of 60 → 9 of 60\); equivalent: WER, CER\.\n/,
    )
    expect(stdout).toMatch(/failed +0 +9 +\+15\.00 pp +\+\d+\.\d+ to \+\d+\.\d+ +✗ worse/)
  })

  test('fails on any figure that is worse where it is asked to, and shows it as a failed test', async () => {
    const junit = join(home.path, 'cases.xml')
    const worse = await compare('2026-11-20', '2026-11-22', '--fail-if-worse', '--junit', junit)
    expect(worse.code).toBe(3)
    expect(await readFile(junit, 'utf8')).toMatch(/<testsuites name="transcribench" tests="3" failures="1"/)
    expect((await compare('2026-11-22', '2026-11-20', '--fail-if-worse')).code).toBe(0)
    expect((await compare('2026-11-20', '2026-11-21', '--fail-if-worse')).code).toBe(0)
    expect((await compare('2026-11-20', '2026-11-21', '--fail-if-worse', '--strict')).code).toBe(6)
  })

  test('holds failures to a limit on their rise', async () => {
    const limit = ['--threshold', 'failures.regression <= 1pp']
    expect((await compare('2026-11-20', '2026-11-22', ...limit)).code).toBe(3)
    expect((await compare('2026-11-20', '2026-11-20', ...limit)).code).toBe(0)
  })
})
