import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

/** Runs a command with its output sent where a shell sends it. */
const redirected = (redirection: string, args: readonly string[], cwd: string): Promise<CliResult> =>
  runCli(args, { cwd, through: ['bash', '-c', `"$@" ${redirection}; exit $?`, 'bash'] })

describe.skipIf(process.platform !== 'linux')('a result that cannot be written', () => {
  test.concurrent.each([
    ['a full disk', '> /dev/full', 'no space left on device (ENOSPC)'],
    ['a closed stdout', '>&-', 'stdout is closed'],
  ])('on %s ends every command with exit code 2 and no stack', async (_, redirection, reason) => {
    await using home = await workplace()
    await home.write('a.txt', 'one two\n')
    for (const args of [
      ['wer', 'a.txt', 'a.txt'],
      ['explain', 'wer'],
      ['--help'],
      ['explain', 'nothing', '--json'],
    ]) {
      const { code, stderr } = await redirected(redirection, args, home.path)
      expect({ args, code }, stderr).toEqual({ args, code: 2 })
      expect(stderr).toContain(`the result could not be written to stdout: ${reason}`)
      expect(stderr).not.toMatch(/\n +at /)
      expect(stderr).not.toContain('This is a bug')
    }
  })

  test.concurrent('in a further file leaves stdout the one document that --json asks for', async () => {
    await using home = await workplace()
    const run = join(import.meta.dirname, '../../docs/example/run')
    await symlink('/dev/full', join(home.path, 'comparison.html'))
    const compared = ['compare', run, run, '--json', '-o']
    const { code, stdout, stderr } = await home.cli(...compared, 'comparison.html')
    expect(code, stderr).toBe(2)
    expect(stderr).toContain('FILE_UNWRITABLE')
    expect(JSON.parse(stdout)).toHaveProperty('base')
    const both = await home.cli(...compared, '-')
    expect(both.code, both.stderr).toBe(2)
    expect(JSON.parse(both.stdout)).toMatchObject({ error: { code: 'COMMAND_LINE_INVALID' } })
  })

  test.concurrent('is no failure where it is not wanted: ignored by a parent, or read in part', async () => {
    await using home = await workplace()
    const main = join(import.meta.dirname, '../../src/cli/main.js')
    const ignored = spawn(process.execPath, [main, 'explain', 'wer'], {
      cwd: home.path,
      stdio: 'ignore',
    })
    expect(await once(ignored, 'exit')).toEqual([0, null])
    const partly = await redirected('| true; exit $PIPESTATUS', ['explain', 'wer'], home.path)
    expect(partly).toMatchObject({ code: 0, stderr: '' })
  })

  test.concurrent('leaves the exit code as it is where only stderr cannot be written', async () => {
    await using home = await workplace()
    expect(await redirected('2> /dev/full', ['explain', 'wer'], home.path)).toMatchObject({ code: 0 })
    expect(await redirected('2> /dev/full', ['explain', 'nothing'], home.path)).toMatchObject({ code: 2 })
  })
})

test.concurrent('a vocabulary that is not UTF-8 is refused, and not searched for', async () => {
  await using home = await workplace()
  await home.write('words.txt', Buffer.from('café\n', 'latin1'))
  const run = join(home.path, 'run')
  await cp(join(import.meta.dirname, '../../docs/example/run'), run, { recursive: true })
  const { code, stderr } = await home.cli('score', run, '--vocabulary', 'words.txt')
  expect(code, stderr).toBe(2)
  expect(stderr).toContain('the vocabulary words.txt cannot be read: it is not UTF-8')
})

test.concurrent('a scale of ratings whose anchor is not there is refused with its place', async () => {
  await using home = await workplace()
  await home.write('scale.yaml', 'accuracy: *mine\n')
  const run = join(import.meta.dirname, '../../docs/example/run')
  const { code, stderr } = await home.cli('report', run, '--ratings', 'scale.yaml')
  expect(code, stderr).toBe(2)
  expect(stderr).toContain('scale.yaml:1:11  "*mine" refers to an anchor that is not there')
})

test.skipIf(process.platform === 'win32')(
  'a temporary folder that cannot be written is a fault of this machine, not a bug',
  async () => {
    await using home = await workplace()
    const { code, stderr } = await runCli(['doctor'], { cwd: home.path, env: { TMPDIR: '/dev/null' } })
    expect(code, stderr).toBe(2)
    expect(stderr).toMatch(/error {2}\/dev\/null\/.* cannot be read or written: not a directory \(ENOTDIR\)/)
    expect(stderr).toContain('TMPDIR')
  },
)

test.concurrent('the next command of a report finds the same run with the same score, wherever the run is', async () => {
  await using home = await workplace()
  const example = join(import.meta.dirname, '../../docs/example/run')
  const results = join(home.path, 'results')
  // A relative path: where its lines break does not depend on where this checkout is.
  const elsewhere = 'elsewhere/run'
  await cp(example, join(home.path, elsewhere), { recursive: true })
  const nextOf = async (...options: readonly string[]): Promise<string | undefined> => {
    const { stdout } = await home.cli('report', ...options)
    return /transcribench (report .*? --details.*?) {4}/.exec(stdout.replaceAll(/\s*\n {10}/g, ' '))?.[1]
  }
  await cp(example, join(results, '2026-11-24T00-00-00Z-renamed'), { recursive: true })
  const named = 'report --results elsewhere run'
  expect(await nextOf(elsewhere, '--profile', 'basic')).toBe(`${named} --details --profile basic`)
  expect(await nextOf('latest')).toBe('report 2026-11-24T00-00-00Z-renamed --details')
  const asked = ['report', elsewhere, '--profile', 'basic'] as const
  const { stdout } = await home.cli(...asked, '--table', 'confusions')
  const command = `${named} --profile basic --format csv --table confusions`
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`more rows: transcribench ${command}`)
  const { stdout: rows } = await home.cli(...command.split(' '))
  expect(rows).toMatch(/^contender,/)
  const { stderr } = await home.cli(...asked, '--format', 'csv', '--table', 'confusions,rates')
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`transcribench ${command}`)
})

test.concurrent('a text file has no colours, also where the terminal has', async () => {
  await using home = await workplace()
  const run = join(import.meta.dirname, '../../docs/example/run')
  for (const [index, args] of [
    ['report', run],
    ['report', run, '--table', 'rates'],
    ['report', run, '--ratings'],
    ['compare', run, run],
  ].entries()) {
    const { code, stderr } = await home.cli(...args, '--color', '-o', `${index}.txt`)
    expect(code, stderr).toBe(0)
    expect(await home.read(`${index}.txt`)).not.toContain('\u001b')
  }
  expect((await home.cli('report', run, '--color')).stdout).toContain('\u001b')
})

test.concurrent('the scores of a run are written where they are asked for, and no file for two documents', async () => {
  await using home = await workplace()
  const run = join(import.meta.dirname, '../../docs/example/run')
  const scores = await home.cli('report', run, '--scores', '-o', 'scores.txt')
  expect(scores, scores.stderr).toMatchObject({ code: 0 })
  const listed = (await home.cli('report', run, '--scores')).stdout
  expect((await readFile(join(home.path, 'scores.txt'), 'utf8')).trim()).toBe(listed.trim())
  const twice = await home.cli('compare', run, run, '-o', 'both.html', '--markdown', './both.html')
  expect(twice).toMatchObject({ code: 2, stdout: '' })
  expect(twice.stderr).toContain('both.html is named for two documents')
})

test.concurrent('a report has the thresholds of the run in JSON as in JUnit', async () => {
  await using home = await workplace()
  const run = join(home.path, 'run')
  await cp(join(import.meta.dirname, '../../docs/example/run'), run, { recursive: true })
  const record = JSON.parse(await readFile(join(run, 'run.json'), 'utf8'))
  record.config.thresholds = ['wer <= 0.1%']
  await writeFile(join(run, 'run.json'), JSON.stringify(record))
  const [json, junit] = await Promise.all(
    ['json', 'junit'].map((format) => home.cli('report', run, '--format', format)),
  )
  const { thresholds } = JSON.parse(json?.stdout ?? '') as { thresholds: readonly { threshold: string }[] }
  expect(thresholds.length).toBeGreaterThan(0)
  for (const { threshold } of thresholds) {
    expect(junit?.stdout).toContain(`name="${threshold.replace('<', '&lt;')} (`)
  }
})
