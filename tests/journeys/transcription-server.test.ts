import { generateKeyPairSync, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { readLibrary } from '#results/view'
import { type OpenAiScript, startOpenAiDouble } from '../client/openai-server.ts'
import { argv, runCli } from './run-cli.ts'
import { serverWorkplace, workplace } from './workplace.ts'

const quickCapacity = '--known-capacity 10 --budget 3s --in-flight 1 --overload 0s --no-prices'.split(' ')

const references = { one: 'the cat sat', two: 'on the mat' }
const textOf = (fileName: string): string => (fileName === 'one.wav' ? 'the cat sat' : 'on the hat')

test.concurrent('a transcription server is measured through the same run, journal and reports', async () => {
  await using home = await serverWorkplace({ key: 'secret-key', textOf }, references)
  const double = home.service
  const keyed = ['--key-from', 'SERVER_KEY']
  const options = { cwd: home.path, env: { SERVER_KEY: 'secret-key' } }
  const flags = argv`--rounds 2 --warmup 1 ${keyed} --contender any:tiny --contender any:large`
  const run = await runCli(home.typed(...flags), options)
  expect(run, run.stderr).toMatchObject({ code: 0 })
  expect(run.stdout).toContain('16.7%')
  expect(run.stderr).toContain(double.target.replace('openai:', ''))
  const { record, attempts, telemetry } = await home.recorded()
  expect(record).toMatchObject({
    status: 'finished',
    target: { kind: 'openai', health: null },
    counts: { planned: 8, answered: 8, failed: 0, dropped: 0, notSent: 0 },
  })
  expect(new Set(attempts.map(({ transport, modeId }) => `${transport} ${modeId}`))).toEqual(
    new Set(['multipart null']),
  )
  // Its process names itself nowhere. It is looked for by its socket, and is the one that started this program.
  if (process.platform === 'linux')
    expect(telemetry[0]?.unread?.server).toContain('or by the one that started it')
  expect(JSON.stringify(record) + run.stdout + run.stderr).not.toContain('secret-key')
  expect(new Set(double.forms.map(({ fields }) => fields['model']))).toEqual(new Set(['tiny', 'large']))
  // The corpus names no language, so the server is asked to detect it.
  expect(double.forms.filter(({ fields }) => 'language' in fields)).toEqual([])

  const expected = async (...more: readonly string[]): Promise<string | undefined> =>
    /expect +.*/.exec((await home.run(...flags, '--dry-run', ...more)).stdout)?.[0]
  expect(await expected()).toContain(`as in ${record.id}`)
  // What another server will need is not known from this one.
  expect(await expected('--target', 'openai:http://127.0.0.1:1/v1')).toContain('at 10 times real time')

  const doctor = await runCli(['doctor', double.target, ...keyed], options)
  expect(doctor).toMatchObject({ code: 0 })
  expect(doctor.stdout).toContain('tiny, large')
  expect(doctor.stdout).toMatch(
    /transcribes +tiny: "on the hat" in \d\.\d\d s \(json\), of [\d.]+ s of (speech|a tone)\n/,
  )
  expect(doctor.stdout).toMatch(/transcribes +large: "on the hat"/)
  const refused = await runCli(['doctor', double.target], options)
  expect(refused).toMatchObject({ code: 4 })
  expect(refused.stdout).toContain('--key-from')
})

test.concurrent('a server that answers with the text of the request before is named as such by run, score, report and page', async () => {
  const letters = [...'bcdfghjklmnp']
  const sentences = Object.fromEntries(
    letters.map((letter) => [`s-${letter}`, [...'aeioukty'].map((vowel) => `${letter}${vowel}x`).join(' ')]),
  )
  let before = ''
  const late = (fileName: string): string => {
    const text = before
    before = sentences[fileName.replace('.wav', '')] ?? ''
    return text
  }
  await using home = await serverWorkplace({ textOf: late }, sentences, ['--contender', 'any:tiny'])
  const run = await home.run('--rounds', '1')
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const words = run.stdout.replaceAll(/\s+/g, ' ')
  const sentence = 'of 12 answers are the text of another recording sent within'
  expect(words.indexOf(sentence)).toBeGreaterThan(0)
  expect(words.indexOf(sentence)).toBeLessThan(words.indexOf('measured 12 of 12'))
  const score = await home.cli('score', 'latest')
  expect(score.stdout.replaceAll(/\s+/g, ' ')).toContain(sentence)
  const markdown = await home.cli('report', 'latest', '--format', 'md')
  expect(markdown.stdout).toContain(sentence)
  const capacity = await home.cli('capacity', ...home.target, ...quickCapacity)
  const shown = capacity.stdout.replaceAll(/\s+/g, ' ')
  expect(shown, capacity.stderr).toMatch(
    /! tiny: at least \d+ of \d+ answers are the text of another recording sent within/,
  )
  expect(shown.indexOf('! tiny')).toBeLessThan(shown.indexOf('the capacity was given'))
})

test.concurrent('what a transcription server cannot do is reported before the run begins', async () => {
  await using home = await serverWorkplace({ textOf }, references)
  const double = home.service
  const missing = await home.run('--contender', 'any:huge')
  expect(missing).toMatchObject({ code: 4 })
  expect(missing.stderr).toContain('huge')
  const keyless = await home.run('--contender', 'any:tiny', '--key-from', 'NOT_SET')
  expect(keyless).toMatchObject({ code: 2 })
  expect(keyless.stderr).toContain('TARGET_KEY_MISSING')
  const clean = await home.cli('modes', 'clean', '--target', double.target)
  expect(clean).toMatchObject({ code: 2 })
  expect(clean.stderr).toContain('TARGET_HAS_NO_MODES')
  // A model that is not listed may be an alias: one recording shows that it is none.
  expect(double.forms.map(({ fields }) => fields['model'])).toEqual(['huge'])
  for (const unused of [
    ['--stage', home.path],
    ['--transport', 'base64'],
  ]) {
    const sent = await home.run('--contender', 'any:tiny', '--rounds', '1', ...unused)
    expect(sent.stderr.replaceAll(/\s+/g, ' ')).toContain('so transport and staging have no effect')
  }
})

test.concurrent('a transcription server without a contender is refused with the command that names its first model', async () => {
  await using home = await serverWorkplace({ textOf }, references)
  const { service: double, manifest } = home
  const typed = home.typed('--rounds', '1', '--warmup', '1')
  const refused = await home.cli(...typed)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  const words = refused.stderr.replaceAll(/\s+/g, ' ')
  expect(words).toContain('; its models: tiny, large')
  expect(words).toContain(`transcribench ${typed.join(' ')} --contender openai:tiny`)
  expect(double.forms).toEqual([])
  const done = await home.cli(...typed, '--contender', 'openai:tiny')
  expect(done.code, done.stderr).toBe(0)
  // Whatever measures plans the same contenders.
  const config = 'sides.json'
  await home.write(config, JSON.stringify({ target: double.target, corpus: manifest }))
  for (const command of [
    ['run', config, '--dry-run'],
    ['capacity', config],
    ['calibrate', config],
    ['experiment', config],
    ['fleet', 'run', config],
  ]) {
    const { code, stderr } = await home.cli(...command)
    const plain = stderr.replaceAll(/\s+/g, ' ')
    expect(plain, command.join(' ')).toContain('; its models: tiny, large')
    expect(plain).toContain(
      ['calibrate', 'experiment'].includes(command[0] ?? '')
        ? 'name one in the config: contenders: ["openai:tiny"]'
        : `transcribench ${command.join(' ')} --contender openai:tiny`,
    )
    expect(code).toBe(2)
  }
})

test.concurrent('the only model of a server needs no name, for whatever measures', async () => {
  await using home = await serverWorkplace({ models: ['only'], textOf }, references)
  const { service: double, manifest } = home
  const settings = { target: double.target, corpus: manifest, rounds: 1, warmupRequests: 0 }
  for (const name of ['a.json', 'b.json']) await home.write(name, JSON.stringify(settings))
  const run = await home.cli('run', 'a.json')
  expect(run.code, run.stderr).toBe(0)
  const planned = await home.cli('run', 'a.json', '--dry-run', '--json')
  const { config, requestCount } = JSON.parse(planned.stdout)
  expect(config.contenders.map(({ id }: { id: string }) => id)).toEqual(['only'])
  expect(requestCount).toBe(2)
  const sides = ['experiment', 'a.json', 'b.json', '--max-runs', '2', '--json']
  const experiment = await home.cli(...sides)
  expect(JSON.parse(experiment.stdout).comparisons[0].contenders[0].baseContenderId, experiment.stderr).toBe(
    'only',
  )
  expect(new Set(double.forms.map(({ fields }) => fields['model']))).toEqual(new Set(['only']))
})

test.concurrent('what a server does not take, and what it closes, is asked for once more and said in the report', async () => {
  const closed = new WeakSet<object>()
  let isFirst = true
  const script: OpenAiScript = {
    textOf,
    models: null,
    formats: ['json'],
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
  }
  await using home = await serverWorkplace(script, references)
  const { service: double, manifest } = home
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
  const named = contenders.flatMap((text) => ['--contender', `any:${text}`])
  const flags = ['--rounds', '2', '--warmup', '2', ...named]
  const dry = await home.run(...flags, '--dry-run')
  expect(dry.code, dry.stderr).toBe(0)
  expect(dry.stdout.replaceAll(/\s+/g, ' ')).toContain('which asks servers for verbose_json')
  const run = await home.run(...flags)
  expect(run.code, run.stderr).toBe(0)
  const said = `${run.stdout}${run.stderr}`.replaceAll(/\s+/g, ' ')
  expect(said).toContain('which asks servers for verbose_json')
  expect(said).toContain('in the warm-up of stumbling: HTTP_500: still loading')
  const { record, attempts, evaluation } = await home.evaluated()
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
    model: 'plain',
    response_format: 'json',
    hotwords: 'Ada',
    vad_filter: 'true',
    beam: '0.50',
  })
  expect(record.counts).toMatchObject({ planned: 12, answered: 12, failed: 0 })
  expect(record.contenders[2]?.options).toEqual({
    response_format: 'json',
    hotwords: 'Ada',
    vad_filter: true,
    beam: '0.50',
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

test.concurrent('doctor sends a clip to each model, and is ready where one of them answers', async () => {
  await using home = await workplace()
  const options = { cwd: home.path }
  const loading = (_: unknown, { fields }: { readonly fields: Readonly<Record<string, string>> }) =>
    fields['model'] === 'tiny' ? ([500, { detail: 'out of memory' }] as const) : null
  await using double = await startOpenAiDouble({ textOf, before: loading })
  const doctor = await runCli(['doctor', double.target], options)
  expect(doctor, doctor.stdout).toMatchObject({ code: 0 })
  expect(doctor.stdout).toMatch(/~ transcribes +tiny: HTTP_500: out of memory/)
  expect(doctor.stdout).toMatch(/✓ transcribes +large: "on the hat"/)
  expect(doctor.stdout).toContain('--contender any:large --fetch')
  const sentCount = double.forms.length
  const elsewhere = double.target.replace('127.0.0.1', '0.0.0.0')
  const billed = await runCli(['doctor', elsewhere], options)
  expect(billed.stdout).toContain('--yes sends a clip')
  const quiet = await runCli(['doctor', double.target, '--no-send'], options)
  expect(quiet.code, quiet.stdout).toBe(0)
  expect(double.forms).toHaveLength(sentCount)
  const paid = await runCli(['doctor', elsewhere, '--yes'], options)
  expect(paid.stdout).toMatch(/large: "on the hat"/)

  // It lists its models to everybody.
  const closed = () => [401, { error: { message: 'Incorrect API key provided' } }] as const
  await using keyed = await startOpenAiDouble({ textOf, before: closed })
  const wrong = await runCli(['doctor', keyed.target, '--key-from', 'MY_KEY'], {
    ...options,
    env: { MY_KEY: 'old' },
  })
  expect(wrong.code, wrong.stdout).toBe(4)
  expect(wrong.stdout).toContain('see that MY_KEY holds the key of this server: export MY_KEY=<key>')
  expect((await runCli(['doctor', keyed.target], options)).stdout).toContain('--key-from <variable>')

  await using patterns = await startOpenAiDouble({ textOf, models: ['base*', 'tiny'] })
  const named = await runCli(['doctor', patterns.target], options)
  expect(named, named.stdout).toMatchObject({ code: 0 })
  expect(patterns.forms.map(({ fields }) => fields['model'])).toEqual(['tiny'])

  await using unlisted = await startOpenAiDouble({ textOf, models: null })
  const any = await runCli(['doctor', unlisted.target], options)
  expect(any.stdout).toMatch(/✓ transcribes +whisper-1: "on the hat"/)
  expect(any.stdout).toContain('--contender any:whisper-1 --fetch')
})

test.concurrent('a path that takes no recordings is named by doctor and run, with those that may', async () => {
  await using home = await serverWorkplace({ textOf }, references)
  const { service: double, manifest } = home
  const wrong = double.target.replace('/v1', '')
  const pasted = `${double.target}/audio/transcriptions`
  for (const target of [wrong, pasted]) {
    const doctor = await home.cli('doctor', target)
    expect(doctor, doctor.stdout).toMatchObject({ code: 4 })
    const typed = argv`run --target ${target} --corpus ${manifest} --contender any:tiny --warmup 1`
    const run = await home.cli(...typed)
    expect(run.code, run.stderr).toBe(5)
    for (const text of [doctor.stdout, run.stderr]) {
      const said = text.replaceAll(/\s+/g, ' ')
      expect(said).toContain(`${target.replace('openai:', '')}/audio/transcriptions (HTTP 404: Not Found)`)
      expect(said).toMatch(new RegExp(`try ${double.target}( |;|$)`))
    }
    expect(doctor.stdout).not.toContain('transcribench doctor')
    expect(doctor.stdout).not.toContain('transcribench run')
  }
})

test.concurrent('a model that a server takes and does not list is measured with a note; one that it refuses is not', async () => {
  const script = { textOf, models: ['Systran/faster-whisper-base'], aliases: ['whisper-1'] }
  await using home = await serverWorkplace(script, references)
  const flags = argv`--rounds 1 --warmup 0 --contender`
  const dry = await home.run(...flags, 'any:whisper-1', '--dry-run')
  expect(dry.code, dry.stderr).toBe(0)
  const run = await home.run(...flags, 'any:whisper-1')
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(
    'does not list whisper-1 and answers to it all the same',
  )
  const capacity = await home.type`capacity ${home.target} --contender any:whisper-1
    ${quickCapacity}`
  expect(capacity.stderr).not.toContain('TARGET_MODEL_MISSING')
  expect(capacity.stdout, capacity.stderr).toContain('whisper-1')
  const refused = await home.run(...flags, 'any:whisper-2')
  expect(refused.code, refused.stderr).toBe(4)
  expect(refused.stderr).toContain('TARGET_MODEL_MISSING')
})

test.concurrent('a certificate of no known authority is named with the variable that trusts it', async () => {
  await using home = await workplace()
  const { key, cert } = selfSigned('localhost')
  const server = createServer({ key, cert }, (_, response) => void response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const doctor = await home.cli('doctor', `openai:https://localhost:${port}/v1`)
  server.close()
  expect(doctor.code).toBe(4)
  expect(doctor.stdout).toContain('NODE_EXTRA_CA_CERTS=<file.pem>')
})

/** A certificate that signs itself, of today and tomorrow. @see RFC 5280, 4.1 */
function selfSigned(name: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
    const content = Buffer.concat(parts)
    const size = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255]
    return Buffer.concat([Buffer.from([tag, ...size]), content])
  }
  const [sequence, set, objectId, bits] = [0x30, 0x31, 0x06, 0x03]
  const ecdsaWithSha256 = der(sequence, der(objectId, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = der(sequence, der(objectId, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(name)))
  const subject = der(sequence, der(set, commonName))
  const day = (days: number): Buffer => {
    const at = new Date(Date.now() + days * 86_400_000).toISOString()
    return der(0x17, Buffer.from(`${at.slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))
  }
  const body = der(
    sequence,
    ...[der(0x02, Buffer.from([1])), ecdsaWithSha256, subject, der(sequence, day(-1), day(1)), subject],
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(bits, Buffer.from([0]), sign('sha256', body, privateKey))
  const text = der(sequence, body, ecdsaWithSha256, signature).toString('base64')
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  }
}

test.concurrent('every command shows the newest score of a run, and later runs of the corpus apply its corrections', async () => {
  await using home = await serverWorkplace({ textOf }, references)
  const cli = async (...typed: string[]) => {
    const { code, stdout, stderr } = await home.cli(...typed)
    expect(code, stderr).toBe(0)
    return stdout.replaceAll(/\s+/g, ' ')
  }
  const contender = [...home.target, '--contender', 'any:tiny', '--rounds', '1']
  expect(await cli('run', ...contender, '--name', 'first')).toContain(' 16.7%')
  // A listener hears what the engine heard.
  const line = {
    utteranceId: 'two',
    before: 'on the mat',
    after: 'on the hat',
    when: '2026-11-27T20:00:00.000Z',
    by: 'test',
    seen: 'seen',
  }
  await writeFile(join(home.path, 'corpus', 'corrections.jsonl'), `${JSON.stringify(line)}\n`)
  const scored = await cli('score', 'latest', '--corrections')
  expect(scored).toMatch(/basic, score file [0-9a-f]{8} .*· 1 corrected reference/)
  const score = /score file ([0-9a-f]{8})/.exec(scored)?.[1] ?? ''
  expect(await cli('report', 'latest')).toContain(`score file ${score}`)
  const sql =
    "SELECT sum(word_substitutions) AS wrong, min(reference) AS text FROM utterances WHERE utterance = 'two'"
  expect(await cli('query', sql, '--format', 'csv')).toBe('wrong,text 0,on the hat ')
  expect(await cli('query', 'SELECT DISTINCT score FROM words', '--format', 'csv')).toContain(score)
  await cli('export', 'latest', '-o', 'out', '--format', 'csv')
  const [folder = ''] = await home.runs()
  const exported = join(home.path, 'out', 'utterances', `run=${basename(folder)}`, 'utterances.csv')
  expect(await readFile(exported, 'utf8')).toMatch(new RegExp(`basic\\.${score},.*on the hat`))
  for (const format of ['md', 'json', 'csv', 'utterances-csv', 'junit'])
    expect(await cli('report', 'latest', '--format', format), format).toContain(score)
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain(score)

  // The next run of the corpus is scored with the corrections, and says so; compare and history agree with both.
  const second = await cli('run', ...contender, '--name', 'second')
  expect(second).toContain('1 corrected reference')
  expect(second).toContain(' 0.0%')
  const compared = await cli('compare', basename(folder), 'latest')
  expect(compared).toMatch(/WER 0\.00% 0\.00%/)
  expect(compared).toContain(`scored again with basic, score file ${score} · 1 corrected reference`)
  const files = ['--markdown', 'c.md', '--junit', 'c.xml', '--output', 'c.html']
  expect(await cli('compare', basename(folder), 'latest', '--json', ...files)).toContain(score)
  for (const file of ['c.md', 'c.xml', 'c.html'])
    expect(await home.read(file), file).toContain(`basic, score file ${score}`)
  const history = await cli('history')
  expect(history).toContain(`basic, score file ${score} · 1 corrected reference`)
  const library = await readLibrary(join(home.path, 'results'), { addressOf: () => null, canCompare: false })
  const named = `basic, score file ${score} · 1 corrected reference`
  expect(library.runs.map(({ summary }) => summary?.score)).toEqual([named, named])
  expect(library.history.groups.map(({ conditions }) => conditions.includes(named))).toEqual([true])
  expect(history).not.toContain('16.7%')
})
