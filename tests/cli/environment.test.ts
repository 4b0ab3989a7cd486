import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { listFlags } from '#config/flags'
import { cleanCommand, resumeCommand } from '#run/commands'
import { settings } from '../../src/config/flags.ts'
import { measuredRun } from '../analysis/measured-run.ts'
import { runCli } from '../journeys/run-cli.ts'
import { writeRunFolder } from '../journeys/run-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A value of each setting, as its variable holds it; those of one group go together. */
const groups: readonly Readonly<Record<string, string>>[] = [
  {
    TRANSCRIBENCH_NAME: 'mine',
    TRANSCRIBENCH_TARGET: 'openai:http://127.0.0.1:8000/v1',
    TRANSCRIBENCH_CORPUS: 'some/manifest.jsonl',
    TRANSCRIBENCH_WORKLOAD: 'transcribe',
    TRANSCRIBENCH_EXCLUDE: 'a,b',
    TRANSCRIBENCH_SAMPLE: '7',
    TRANSCRIBENCH_CONTENDER: 'any:tiny',
    TRANSCRIBENCH_SKIP_UNREADY: 'true',
    TRANSCRIBENCH_PARALLEL: 'true',
    TRANSCRIBENCH_LOAD: 'closed',
    TRANSCRIBENCH_CONCURRENCY: '3',
    TRANSCRIBENCH_ROUNDS: '5',
    TRANSCRIBENCH_WARMUP: '0',
    TRANSCRIBENCH_MAX_WARMUP: '0',
    TRANSCRIBENCH_TIMEOUT: '90s',
    TRANSCRIBENCH_RETRY: 'RATE_LIMITED,TIMEOUT',
    TRANSCRIBENCH_RETRIES_MOST: '3',
    TRANSCRIBENCH_RETRIES_BACK_OFF: '2s',
    TRANSCRIBENCH_RETRIES_BUDGET: '0.2',
    TRANSCRIBENCH_RATE_LIMIT: 'fail',
    TRANSCRIBENCH_TRANSPORT: 'auto',
    TRANSCRIBENCH_STAGE: 'auto',
    TRANSCRIBENCH_PLATFORM: 'linux',
    TRANSCRIBENCH_KEY_FROM: 'MY_KEY',
    TRANSCRIBENCH_MAX_BILLED_MINUTES: '12.5',
    TRANSCRIBENCH_REUSE: '7d',
    TRANSCRIBENCH_PROFILE: 'basic',
    TRANSCRIBENCH_SCORING_FILLERS: '[um, uh]',
    TRANSCRIBENCH_SCORING_REPLACEMENTS: '[{ from: gonna, to: going to }]',
    TRANSCRIBENCH_SCORING_EQUIVALENCES: '[[okay, OK]]',
    TRANSCRIBENCH_SCORING_VOCABULARY: '[WiFi]',
    TRANSCRIBENCH_SCORING_NO_SPEECH: '[{ code: TRANSCRIPTION_FAILED }]',
    TRANSCRIBENCH_THRESHOLD: 'wer <= 8%',
    TRANSCRIBENCH_MARGINS: '[latency=5%]',
    TRANSCRIBENCH_SEED: '9',
    TRANSCRIBENCH_RESULTS: 'elsewhere',
  },
  {
    TRANSCRIBENCH_ENGINES: 'engines.yaml',
    TRANSCRIBENCH_MATRIX_MODEL: '[moonshine:moonshine-tiny]',
    TRANSCRIBENCH_MATRIX_THREADS: '[1, 2]',
    TRANSCRIBENCH_MATRIX_CONCURRENCY: '[1, 4]',
    TRANSCRIBENCH_MATRIX_TRANSPORT: '[path]',
  },
  {
    TRANSCRIBENCH_LOAD: 'gamma',
    TRANSCRIBENCH_RATE: '2/s',
    TRANSCRIBENCH_DURATION: '1min',
    TRANSCRIBENCH_BURSTINESS: '0.5',
  },
  { TRANSCRIBENCH_TRACE: 'monday.csv', TRANSCRIBENCH_SPEED: '2' },
  { TRANSCRIBENCH_USERS: '20', TRANSCRIBENCH_PAUSE: '10s' },
  { TRANSCRIBENCH_LOAD_FROM: '1/s', TRANSCRIBENCH_LOAD_TO: '4/s', TRANSCRIBENCH_DURATION: '1min' },
  { TRANSCRIBENCH_LOAD_STEPS: '[1/s for 60s, 2/s for 60s]', TRANSCRIBENCH_LOAD_INTERVALS: 'even' },
]

test('every setting has an environment variable, which config check names as the source', async () => {
  await using home = await temporaryFolder()
  await writeFile(join(home.path, 'transcribench.config.yaml'), 'seed: 1\n')
  const set = new Set<string>()
  for (const env of groups) {
    const { code, stdout, stderr } = await runCli(['config', 'check', '--json'], { cwd: home.path, env })
    expect(code, stderr).toBe(0)
    const { sources } = JSON.parse(stdout) as { readonly sources: Readonly<Record<string, string>> }
    for (const [keyPath, source] of Object.entries(sources)) if (source === 'environment') set.add(keyPath)
  }
  expect([...settings.keys()].filter((keyPath) => !set.has(keyPath))).toEqual([])
  const variables = groups.flatMap((group) => Object.keys(group))
  expect(listFlags().filter(({ environment }) => !variables.includes(environment))).toEqual([])
})

test('a variable with a wrong value is named with what it takes', async () => {
  await using home = await temporaryFolder()
  const env = { TRANSCRIBENCH_ROUNDS: 'many', TRANSCRIBENCH_RETRIES_MOST: '[1' }
  const { code, stderr } = await runCli(['run', '--dry-run'], { cwd: home.path, env })
  expect(code).toBe(2)
  expect(stderr).toMatch(/TRANSCRIBENCH_ROUNDS +rounds must be a whole number/)
  expect(stderr).toContain('TRANSCRIBENCH_RETRIES_MOST')
})

test('runs are found where the variable says that they are written', async () => {
  await using home = await temporaryFolder()
  const run = measuredRun({ utterances: [{ id: 'a', reference: 'the cat' }], fate: () => 'the cat' })
  const env = { TRANSCRIBENCH_RESULTS: 'other' }
  await writeRunFolder(run, join(home.path, 'other'), '2026-11-20T07-00-00Z-nightly')
  const cli = (args: readonly string[], variables: Readonly<Record<string, string>> = env) =>
    runCli(args, { cwd: home.path, env: variables })
  const report = await cli(['report', 'latest'])
  expect(report.code, report.stderr).toBe(0)
  expect(report.stdout).toContain('2026-11-20T07-00-00Z-nightly')
  expect(report.stdout).not.toContain('--results')
  expect((await cli(['view', '--export', 'site'])).stderr).toContain('1 of other')
  expect((await cli(['report', '--help'])).stdout).toMatch(
    /default: "results",\s+env:\s+TRANSCRIBENCH_RESULTS/,
  )
  expect((await cli(['report', 'latest', '--results', 'results'])).code).toBe(2)
  // An empty variable is none, as for a setting.
  expect((await cli(['report', 'latest'], { TRANSCRIBENCH_RESULTS: '' })).stderr).toContain('results')
})

test('a command in a hint names no results folder that the variable names', () => {
  vi.stubEnv('TRANSCRIBENCH_RESULTS', 'other')
  expect(cleanCommand('auto', 'other')).toBe('transcribench modes clean')
  expect(resumeCommand('other/a')).toBe('transcribench run --resume a')
  expect(cleanCommand('auto', 'results')).toBe('transcribench modes clean --results results')
  vi.unstubAllEnvs()
})

test('a command in the text about a run finds the run, wherever the runs are', async () => {
  await using home = await temporaryFolder()
  const utterances = ['a', 'b', 'c'].map((id) => ({ id, reference: 'one two three four five six seven' }))
  const run = measuredRun({
    utterances,
    fate: ({ utterance }) => (utterance.id === 'a' ? 'x '.repeat(12) : utterance.reference),
  })
  const id = run.record.id
  await writeRunFolder(run, join(home.path, 'else where'), id)
  await writeRunFolder(run, join(home.path, 'results'), id)
  const said = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runCli(args, { cwd: home.path })
    return (stdout + stderr).replaceAll(/\s+/g, ' ')
  }
  const there = "--results 'else where'"
  expect(await said('report', id)).toContain(`transcribench review ${id}`)
  for (const command of ['report', 'score']) {
    const named = await said(command, 'latest', '--results', 'else where')
    expect(named).toContain(`transcribench review ${there} ${id}`)
    expect(await said(command, `else where/${id}`)).toContain(`transcribench review ${there} ${id}`)
  }
  await said('report', `else where/${id}`, '-o', 'out.md')
  const written = await readFile(join(home.path, 'out.md'), 'utf8')
  expect(written).toContain(`transcribench review ${there} ${id}`)
  expect(written).not.toContain(`transcribench review ${id}`)
  expect(await said('baseline', 'list', '--results', 'else where')).toContain(
    `transcribench baseline set ${there} main latest`,
  )
  expect(await said('baseline', 'remove', 'none', '--results', 'else where')).toContain(
    `transcribench baseline list ${there}`,
  )
  // Where a command has the flag already, it is not given twice.
  const elsewhere = await said('baseline', 'set', 'main', `else where/${id}`, '--results', 'third')
  expect(elsewhere).toMatch(/transcribench baseline set main \S+ --results \S+else where'/)
  expect(elsewhere).not.toContain('--results third')
})

test('an empty variable of the target is none for doctor and modes clean, as for every setting', async () => {
  await using home = await temporaryFolder()
  const options = { cwd: home.path, env: { TRANSCRIBENCH_TARGET: '' } }
  const diagnosis = await runCli(['doctor', '--no-send', '--json'], options)
  expect(diagnosis.stdout).not.toContain('is not a target')
  // The default of modes clean is the application of this machine, and none runs here.
  expect((await runCli(['modes', 'clean'], options)).stderr).toContain('no service was found')
})
