import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Evaluation } from '#analysis'
import { listRuns, readRun, runFiles } from '#journal'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'

const references = { one: 'the cat sat', two: 'on the mat' }
const textOf = (fileName: string): string => (fileName === 'one.wav' ? 'the cat sat' : 'on the hat')

test('a transcription server is measured through the same run, journal and reports', async () => {
  await using home = await temporaryFolder()
  await using double = await startOpenAiDouble({ key: 'secret-key', textOf })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), references)
  const keyed = ['--key-from', 'SERVER_KEY']
  const flags = ['--corpus', manifest, '--rounds', '2', '--warmup', '1', ...keyed]
  const contenders = ['--contender', 'any:tiny', '--contender', 'any:large']
  const options = { cwd: home.path, env: { SERVER_KEY: 'secret-key' } }
  const run = await runCli(['run', '--target', double.target, ...flags, ...contenders], options)
  expect(run, run.stderr).toMatchObject({ code: 0 })
  expect(run.stdout).toContain('16.7%')
  expect(run.stderr).toContain(double.target.replace('openai:', ''))
  const [folder = ''] = await listRuns(join(home.path, 'results'))
  const { record, attempts, telemetry } = await readRun(folder)
  expect(record).toMatchObject({
    status: 'finished',
    target: { kind: 'openai', health: null },
    counts: { planned: 8, answered: 8, failed: 0, dropped: 0, notSent: 0 },
  })
  expect(new Set(attempts.map(({ transport, modeId }) => `${transport} ${modeId}`))).toEqual(
    new Set(['multipart null']),
  )
  // Its process, which names itself nowhere, is found by its socket.
  const seen = telemetry.filter(({ serverCpuSeconds }) => serverCpuSeconds !== null)
  expect(seen.length, JSON.stringify(telemetry[0])).toBe(telemetry.length)
  expect(JSON.stringify(record) + run.stdout + run.stderr).not.toContain('secret-key')
  expect(new Set(double.forms.map(({ fields }) => fields['model']))).toEqual(new Set(['tiny', 'large']))
  // The corpus names no language, so the server is asked to detect it.
  expect(double.forms.filter(({ fields }) => 'language' in fields)).toEqual([])

  const doctor = await runCli(['doctor', double.target, ...keyed], options)
  expect(doctor).toMatchObject({ code: 0 })
  expect(doctor.stdout).toContain('tiny, large')
  const refused = await runCli(['doctor', double.target], options)
  expect(refused).toMatchObject({ code: 4 })
  expect(refused.stdout).toContain('--key-from')
})

test('a server that answers with the text of the request before is named as such by run, score, report and page', async () => {
  await using home = await temporaryFolder()
  const letters = [...'bcdfghjklmnp']
  const sentences = Object.fromEntries(
    letters.map((letter) => [`s-${letter}`, [...'aeioukty'].map((vowel) => `${letter}${vowel}x`).join(' ')]),
  )
  let before = ''
  await using double = await startOpenAiDouble({
    textOf: (fileName) => {
      const own = sentences[fileName.replace('.wav', '')] ?? ''
      const text = before
      before = own
      return text
    },
  })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), sentences)
  const typed = ['run', '--target', double.target, '--corpus', manifest, '--contender', 'any:tiny']
  const run = await runCli([...typed, '--rounds', '1'], { cwd: home.path })
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const words = run.stdout.replaceAll(/\s+/g, ' ')
  const sentence = 'of 12 answers are the text of another recording sent within'
  expect(words.indexOf(sentence)).toBeGreaterThan(0)
  expect(words.indexOf(sentence)).toBeLessThan(words.indexOf('measured 12 of 12'))
  const score = await runCli(['score', 'latest'], { cwd: home.path })
  expect(score.stdout.replaceAll(/\s+/g, ' ')).toContain(sentence)
  const markdown = await runCli(['report', 'latest', '--format', 'md'], { cwd: home.path })
  expect(markdown.stdout).toContain(sentence)
  const quick = [
    '--known-capacity',
    '10',
    '--budget',
    '3s',
    '--in-flight',
    '1',
    '--overload',
    '0s',
    '--no-prices',
  ]
  const capacity = await runCli(['capacity', ...typed.slice(1), ...quick], { cwd: home.path })
  const shown = capacity.stdout.replaceAll(/\s+/g, ' ')
  expect(shown, capacity.stderr).toMatch(
    /! tiny: \d+ of \d+ answers are the text of another recording sent within/,
  )
  expect(shown.indexOf('! tiny')).toBeLessThan(shown.indexOf('the capacity was given'))
})

test('what a transcription server cannot do is reported before anything is sent', async () => {
  await using home = await temporaryFolder()
  await using double = await startOpenAiDouble({ textOf })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), references)
  const run = (...flags: string[]) =>
    runCli(['run', '--target', double.target, '--corpus', manifest, ...flags], { cwd: home.path })
  const missing = await run('--contender', 'any:huge')
  expect(missing).toMatchObject({ code: 4 })
  expect(missing.stderr).toContain('huge')
  const keyless = await run('--contender', 'any:tiny', '--key-from', 'NOT_SET')
  expect(keyless).toMatchObject({ code: 2 })
  expect(keyless.stderr).toContain('TARGET_KEY_MISSING')
  const clean = await runCli(['modes', 'clean', '--target', double.target], { cwd: home.path })
  expect(clean).toMatchObject({ code: 2 })
  expect(clean.stderr).toContain('TARGET_HAS_NO_MODES')
  expect(double.forms).toEqual([])
})

test('a transcription server without a contender is refused with the command that names its first model', async () => {
  await using home = await temporaryFolder()
  await using double = await startOpenAiDouble({ textOf })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), references)
  const typed = ['run', '--target', double.target, '--corpus', manifest, '--rounds', '1', '--warmup', '1']
  const refused = await runCli(typed, { cwd: home.path })
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  const words = refused.stderr.replaceAll(/\s+/g, ' ')
  expect(words).toContain('; its models: tiny, large')
  expect(words).toContain(`transcribench ${typed.join(' ')} --contender openai:tiny`)
  expect(double.forms).toEqual([])
  const done = await runCli([...typed, '--contender', 'openai:tiny'], { cwd: home.path })
  expect(done.code, done.stderr).toBe(0)
})

test('what a server does not take, and what it closes, is asked for once more and said in the report', async () => {
  await using home = await temporaryFolder()
  const closed = new WeakSet<object>()
  let isFirst = true
  await using double = await startOpenAiDouble({
    ...{ textOf, models: null, formats: ['json'] },
    refusal: () => [400, { error: { message: 'Currently do not support verbose_json for m1' } }],
    before({ socket }, { fields }) {
      if (fields['model'] === 'closing') {
        if (closed.has(socket)) return socket.resetAndDestroy()
        closed.add(socket)
      }
      if (fields['model'] !== 'stumbling' || !isFirst) return null
      isFirst = false
      return [500, { error: { message: 'still loading' } }]
    },
  })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), references)
  const rows = (await readFile(manifest, 'utf8')).trimEnd().split('\n')
  const timed = rows.map((row, index) => (index > 0 ? row : row.replace(/\}$/, ',"times":"all.ctm"}')))
  await writeFile(manifest, `${timed.join('\n')}\n`)
  await writeFile(
    join(home.path, 'corpus', 'all.ctm'),
    'one A 0.1 0.1 the\none A 0.2 0.1 cat\none A 0.3 0.1 sat\n',
  )
  const contenders = [
    'closing',
    'stumbling',
    'plain?response_format=json&hotwords=Ada&vad_filter=true&beam=0.50',
  ]
  const typed = ['run', '--target', double.target, '--corpus', manifest, '--rounds', '2', '--warmup', '2']
  const flags = contenders.flatMap((text) => ['--contender', `any:${text}`])
  const dry = await runCli([...typed, ...flags, '--dry-run'], { cwd: home.path })
  expect(dry.code, dry.stderr).toBe(0)
  expect(dry.stdout.replaceAll(/\s+/g, ' ')).toContain('which asks servers for verbose_json')
  const run = await runCli([...typed, ...flags], { cwd: home.path })
  expect(run.code, run.stderr).toBe(0)
  const said = `${run.stdout}${run.stderr}`.replaceAll(/\s+/g, ' ')
  expect(said).toContain('which asks servers for verbose_json')
  expect(said).toContain('in the warm-up of stumbling: HTTP_500: still loading')
  const [folder = ''] = await listRuns(join(home.path, 'results'))
  const { record, attempts } = await readRun(folder)
  const evaluation: Evaluation = JSON.parse(await readFile(join(folder, runFiles.evaluation), 'utf8'))
  const found = evaluation.findings.map(({ message }) => message)
  expect(found).toContain('1 of 2 warm-up requests to stumbling failed: HTTP_500: still loading')
  expect(found).toContainEqual(
    expect.stringMatching(
      /answers of closing were asked for in json, because the server refuses fuller formats/,
    ),
  )
  expect(found).toContainEqual(
    expect.stringMatching(
      /met a connection that the server had closed since the request before, and went once more to closing/,
    ),
  )
  expect(double.forms.find(({ fields }) => fields['model'] === 'plain')?.fields).toEqual({
    ...{ model: 'plain', response_format: 'json', hotwords: 'Ada', vad_filter: 'true', beam: '0.50' },
  })
  expect(record.counts).toMatchObject({ planned: 12, answered: 12, failed: 0 })
  expect(record.contenders[2]?.options).toEqual({
    ...{ response_format: 'json', hotwords: 'Ada', vad_filter: true, beam: '0.50' },
  })
  expect(attempts.filter(({ resentFor = [] }) => resentFor.includes('format'))).toHaveLength(2)
  const closing = attempts.filter(
    ({ contenderId, phase }) => contenderId === 'closing' && phase === 'measure',
  )
  expect(
    closing.filter(({ resentFor = [] }) => resentFor.includes('closedConnection')).length,
  ).toBeGreaterThan(0)
  for (const { dueAtMs, sentAtMs } of closing) expect(sentAtMs).toBeGreaterThanOrEqual(dueAtMs)
})
