import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTranscriptionServer, parseServerAddress, readServerKey, type TranscriptionServer } from '#client'
import { failureLabel } from '#contract'
import { systemClock } from '#load'
import { BenchError } from '#prelude'
import { type Handler, sendJson, temporaryFolder } from './odd-server.ts'
import { type OpenAiDouble, type OpenAiScript, startOpenAiDouble } from './openai-server.ts'

const script: OpenAiScript = { textOf: () => ' seven of hearts ' }

interface Bench extends AsyncDisposable {
  readonly double: OpenAiDouble
  readonly server: TranscriptionServer
  readonly path: string
  transcribe(
    model?: string,
    language?: string | null,
    timestamps?: Parameters<TranscriptionServer['transcribe']>[0]['timestamps'],
  ): ReturnType<TranscriptionServer['transcribe']>
}

async function bench(change: Partial<OpenAiScript> = {}, key: string | null = null): Promise<Bench> {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'größe "1".wav')
  await writeFile(path, Buffer.alloc(60_000, 'ab'))
  const double = await startOpenAiDouble({ ...script, ...change })
  const address = parseServerAddress(double.target)
  if (address === null) throw new Error('not an address')
  const server = openTranscriptionServer(address, { key, clock: systemClock, connections: 2 })
  return {
    double,
    server,
    path,
    transcribe: (model = 'tiny', language = null, timestamps = []) =>
      server.transcribe({
        audio: { path, sizeBytes: 60_000, mimeType: 'audio/wav' },
        model,
        language,
        timestamps,
        options: {},
        timeoutMs: 5_000,
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await double[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a recording is sent as a form, and text, language, duration and processing time come back', async () => {
  await using here = await bench()
  const { outcome, times, bodyBytes } = await here.transcribe('large', 'en')
  expect(outcome).toEqual({
    ok: true,
    value: { text: 'seven of hearts', language: 'english', durationSeconds: 1.5, processingMs: 12 },
  })
  expect(times.firstByteAtMs).not.toBeNull()
  expect(bodyBytes).toBeGreaterThan(60_000)
  const [form] = here.double.forms
  expect(form?.fields).toEqual({ model: 'large', language: 'en', response_format: 'verbose_json' })
  expect(form?.fileName).toMatch(/^[\w.-]+\.wav$/)
  expect(Buffer.from(form?.audio ?? []).equals(await readFile(here.path))).toBe(true)
})

test('a model that knows no verbose_json is asked in json, and from then on at once', async () => {
  await using here = await bench({ plainOnly: true })
  for (const sendings of [2, 3]) {
    expect((await here.transcribe()).outcome).toMatchObject({
      ok: true,
      value: { text: 'seven of hearts', language: null, durationSeconds: null },
    })
    expect(here.double.forms).toHaveLength(sendings)
  }
})

const timesOf = () => ({
  words: [{ word: ' seven', start: 0.1, end: 0.4 }],
  segments: [{ id: 7, start: 0, end: 1.5, text: ' seven of hearts', tokens: [1] }],
})

test('times are requested and read where they are wanted, and not otherwise', async () => {
  await using here = await bench({ timesOf })
  const wanted = await here.transcribe('tiny', null, ['segment', 'word'])
  expect(wanted.outcome).toMatchObject({
    value: {
      words: [{ word: ' seven', start: 0.1, end: 0.4 }],
      segments: [{ id: 0, start: 0, end: 1.5, text: 'seven of hearts' }],
    },
  })
  const { outcome } = await here.transcribe()
  expect(outcome.ok && Object.keys(outcome.value).sort()).toEqual([
    'durationSeconds',
    'language',
    'processingMs',
    'text',
  ])
  expect(here.double.forms.map(({ granularities }) => granularities)).toEqual([['segment', 'word'], []])
})

test('a model that refuses to time words is asked without, and from then on at once', async () => {
  await using here = await bench({ untimed: true })
  for (const sendings of [2, 3]) {
    expect((await here.transcribe('tiny', null, ['word'])).outcome).toMatchObject({
      ok: true,
      value: { text: 'seven of hearts', language: 'english' },
    })
    expect(here.double.forms).toHaveLength(sendings)
  }
})

test('times of another shape than documented do not take the transcript with them', async () => {
  await using here = await bench({
    timesOf: () => ({ words: ['seven'], segments: [{ start: 'x' }], duration: '0:01.5' }),
  })
  const { outcome } = await here.transcribe('tiny', null, ['word'])
  expect(outcome).toMatchObject({ ok: true, value: { text: 'seven of hearts', durationSeconds: null } })
})

test('the key goes with every request, and never into a failure', async () => {
  const key = 'sk-a-secret-of-some-length'
  await using right = await bench({ key }, key)
  expect((await right.transcribe()).outcome.ok).toBe(true)
  expect(await right.server.listModels()).toEqual({
    ok: true,
    value: [
      { id: 'tiny', shutdownDate: null },
      { id: 'large', shutdownDate: null },
    ],
  })
  await using wrong = await bench({ key: 'another' }, key)
  const { outcome } = await wrong.transcribe()
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: 'refused', code: 'MISSING_API_KEY', httpStatus: 401 },
  })
  expect(JSON.stringify(outcome)).not.toContain(key)
})

const busy: Handler = (_, response) => {
  response.setHeader('retry-after', '3')
  sendJson(response, { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } }, 429)
}

test.each<[string, string, object, Handler]>([
  ['too many requests', 'RATE_LIMITED', { retryAfterSeconds: 3 }, busy],
  [
    'a form that is too large',
    'OVERSIZE',
    {},
    (_, response) => sendJson(response, { detail: 'Maximum content size limit exceeded' }, 413),
  ],
  [
    'a gateway that gave up',
    'TIMEOUT',
    {},
    (_, response) => void response.writeHead(504).end('<h1>504</h1>'),
  ],
  ['a server that fell over', 'HTTP_500', {}, (_, response) => void response.writeHead(500).end('oops')],
  ['a page instead of an answer', 'malformed', {}, (_, response) => void response.end('<html></html>')],
  ['an answer without text', 'malformed', {}, (_, response) => sendJson(response, { ok: true })],
])('%s counts as %s', async (_, label, more, instead) => {
  await using here = await bench({ instead })
  const { outcome } = await here.transcribe()
  if (outcome.ok) throw new Error('answered')
  expect(failureLabel(outcome.failure)).toBe(label)
  expect(outcome.failure).toMatchObject(more)
})

test('a model that is not there is reported as such', async () => {
  await using here = await bench()
  expect((await here.transcribe('gone')).outcome).toMatchObject({ failure: { code: 'MODEL_NOT_FOUND' } })
})

test('only what begins with openai: is such an address, and it needs a path', () => {
  expect(parseServerAddress('http://127.0.0.1:8000/v1')).toBeNull()
  expect(parseServerAddress('openai:https://api.example.org/openai/v1/')).toEqual({
    origin: 'https://api.example.org',
    basePath: '/openai/v1',
  })
  for (const text of ['openai:', 'openai:127.0.0.1:8000/v1', 'openai:http://key:secret@127.0.0.1/v1']) {
    expect(() => parseServerAddress(text)).toThrow(BenchError)
    expect(() => parseServerAddress(text)).not.toThrow(/secret/)
  }
})

test('a key is read from the variable that is named, and its absence is reported without it', () => {
  expect(readServerKey(null, { env: { KEY: 'x' } })).toBeNull()
  expect(readServerKey('KEY', { env: { KEY: ' x ' } })).toBe('x')
  expect(() => readServerKey('KEY', { env: {} })).toThrow(
    'KEY, which should hold the key of the server, is not set',
  )
  expect(() => readServerKey('KEY', { env: { KEY: 'a b' } })).toThrow('does not hold a key')
})
