import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measuredRun, timedOut } from '../analysis/measured-run.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { cliHere, type Ended } from './cli-here.ts'
import { type CliResult, runCli, withPermissions } from './run-cli.ts'
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
      /^Worse: failed requests \(0 of 60 → 9 of 60\); speed not judged: one run a side, −15\.0% speed seen;\s+equivalent: WER, CER \(within 0\.2 pp\)\.\n/,
    )
    expect(stdout).toMatch(/failed +0 +9 +\+15\.00 pp +\+\d+\.\d+ to \+\d+\.\d+ +✗ worse/)
  })

  test('fails on any figure that is worse where it is asked to, and shows it as a failed test', async () => {
    const junit = join(home.path, 'cases.xml')
    const worse = await compare('2026-11-20', '2026-11-22', '--fail-if-worse', '--junit', junit)
    expect(worse.code).toBe(3)
    expect(await readFile(junit, 'utf8')).toMatch(/<testsuites name="transcribench" tests="4" failures="1"/)
    expect((await compare('2026-11-22', '2026-11-20', '--fail-if-worse')).code).toBe(0)
    expect((await compare('2026-11-20', '2026-11-21', '--fail-if-worse')).code).toBe(0)
    expect((await compare('2026-11-20', '2026-11-21', '--fail-if-worse', '--strict')).code).toBe(6)
  })

  test('says first that a speed is not judged, calls nothing good next to it, and fails under --strict', async () => {
    const slow = measuredRun({
      utterances,
      fate: ({ utterance }) => utterance.reference,
      durationMs: ({ utterance: { id } }) => (Number(id.slice(1)) % 10 === 9 ? 400 : 130),
    })
    await writeRunFolder(slow, join(home.path, 'results'), '2026-11-23T07-00-00Z-slow')
    const markdown = join(home.path, 'slow.md')
    const { code, stdout } = await compare('2026-11-20', '2026-11-23', '--markdown', markdown)
    expect(code).toBe(0)
    expect(stdout.trimStart()).toMatch(
      /^Speed not judged: one run a side, [+−]\d+\.\d% \w+ seen; equivalent: WER, CER/,
    )
    expect(await readFile(markdown, 'utf8')).toContain(
      '### ❓ transcribench: Speed not judged: one run a side',
    )
    expect((await compare('2026-11-20', '2026-11-23', '--strict')).code).toBe(6)
    // Thresholds say what is asked: the rest is said, and no failure.
    const limit = ['--threshold', 'failures.regression <= 10pp', '--strict']
    expect((await compare('2026-11-20', '2026-11-23', ...limit)).code).toBe(0)
    const speed = ['--threshold', 'latency.regression <= 10%', '--strict']
    expect((await compare('2026-11-20', '2026-11-23', ...speed)).code).toBe(6)
  })

  test('claims of two long recordings that are alike that these two are, and resolves no threshold', async () => {
    const results = join(home.path, 'results')
    const long = ['one', 'two'].map((id) => ({ id, reference: `${id} `.repeat(3000).trim() }))
    const alike = measuredRun({ utterances: long, fate: ({ utterance }) => utterance.reference })
    await writeRunFolder(alike, results, '2026-11-24T07-00-00Z-long')
    await writeRunFolder(alike, results, '2026-11-25T07-00-00Z-long')
    const { stdout } = await compare('2026-11-24', '2026-11-25', '--threshold', 'wer.regression <= 0.5pp')
    const words = stdout.replaceAll(/\s+/g, ' ')
    expect(words).toContain('equivalent: WER, CER (on these 2 utterances only)')
    expect(words).toContain('unresolved: 2 utterances say too little of other speech')
    const { stderr } = await compare('2026-11-24', '2026-11-25', '--threshold', 'wer.regression <= 0.5pp')
    expect(stderr).toContain(
      '"wer.regression <= 0.5pp" needs about 3,900 utterances to be detected; this corpus has 2',
    )
    const limit = ['--threshold', 'wer.regression <= 0.5pp', '--strict']
    expect((await compare('2026-11-24', '2026-11-25', ...limit)).code).toBe(6)
    const gate = await compare('2026-11-24', '2026-11-25', '--fail-if-worse')
    expect(gate.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /--fail-if-worse finds rises of about \d+ pp and more in 2 utterances: the margin of 0\.2 pp needs about 24,000 utterances/,
    )
  })
})

describe('a file that a comparison is written to', () => {
  /** As a user whom the permissions of files hold. */
  const written = async (file: string, modes: { file: number; folder: number }): Promise<CliResult> => {
    const folder = join(home.path, file)
    await mkdir(folder)
    await writeFile(join(folder, 'answer.md'), '', { mode: modes.file })
    await chmod(folder, modes.folder)
    const args = ['compare', '2026-11-20', '2026-11-22', '-o', join(file, 'answer.md')]
    const result = await runCli(args, { cwd: home.path, through: withPermissions })
    await chmod(folder, 0o755)
    return result
  }

  test('is written where it is there and may be written to, in a folder that takes no new files', async () => {
    const { code, stderr } = await written('writable', { file: 0o644, folder: 0o555 })
    expect(code, stderr).toBe(0)
    expect(await readFile(join(home.path, 'writable', 'answer.md'), 'utf8')).toContain('failed requests')
  })

  test('is refused before anything is compared where it is read-only', async () => {
    const { code, stdout, stderr } = await written('read-only', { file: 0o444, folder: 0o755 })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('FILE_UNWRITABLE')
  })

  test.skipIf(process.platform !== 'linux')('costs no answer on stdout where its disk is full', async () => {
    const { code, stdout, stderr } = await compare('2026-11-20', '2026-11-22', '--markdown', '/dev/full')
    expect(code).toBe(2)
    expect(stderr).toContain('FILE_UNWRITABLE')
    expect(stdout).toContain('Worse: failed requests')
  })
})

test('a comparison reports all mistakes of its command line at once', async () => {
  const typed = ['compare', 'nope,none', 'latest', '--threshold', 'wer << 8', '--threshold', 'wre <= 8%']
  const { code, stderr } = await runCli(typed, { cwd: home.path })
  expect(code).toBe(2)
  const words = stderr.replaceAll(/\s+/g, ' ')
  expect(words).toContain('4 problems; nothing was run')
  for (const problem of ['no run "nope"', 'no run "none"', 'wer << 8', '"wre" is not a metric'])
    expect(words).toContain(problem)
  const withOutput = await runCli([...typed, '--output', 'answer.foo'], { cwd: home.path })
  expect(withOutput.code).toBe(2)
  expect(withOutput.stderr).toContain('5 problems; nothing was run')
  expect(withOutput.stderr.replaceAll(/\s+/g, ' ')).toContain('"answer.foo" does not say in which format')
})

test('a comparison that is refused says so in every file, and leaves no older result there', async () => {
  const other = measuredRun({
    utterances: utterances.map((utterance) => ({ ...utterance, sha256: 'f'.repeat(64) })),
    fate: ({ utterance }) => utterance.reference,
  })
  await writeRunFolder(other, join(home.path, 'results'), '2026-11-26T07-00-00Z-other')
  const [junit, markdown] = [join(home.path, 'refused.xml'), join(home.path, 'refused.md')]
  await writeFile(junit, '<testsuites failures="0"/>')
  const { code } = await compare('2026-11-20', '2026-11-26', '--junit', junit, '-o', markdown)
  expect(code).toBe(2)
  const xml = await readFile(junit, 'utf8')
  expect(xml).toContain('tests="1" failures="0" errors="1"')
  expect(xml).toContain('NOT_COMPARABLE')
  expect(await readFile(markdown, 'utf8')).toContain('NOT_COMPARABLE')
  for (const ending of ['html', 'json', 'txt']) {
    const old = join(home.path, `refused.${ending}`)
    await writeFile(old, 'equivalent')
    await compare('2026-11-20', '2026-11-26', '-o', old)
    const written = await readFile(old, 'utf8')
    expect(written).toContain('NOT_COMPARABLE')
    expect(written).not.toMatch(/equivalent|### |transcribench comparison/)
  }
})

test.each(['', ' , '])('a side that names no run is refused: "%s"', async (base) => {
  const { code, stderr } = await compare(base, '2026-11-22')
  expect(code, stderr).toBe(2)
  expect(stderr).toContain(`"${base}" names no run`)
})
