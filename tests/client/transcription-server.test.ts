import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parseServerAddress, readServerKey } from '#client/location'
import {
  openTranscriptionServer,
  readModelList,
  type ServerCall,
  type TranscriptionServer,
} from '#client/transcription-server'
import { failureLabel } from '#contract/failures'
import { systemClock } from '#load/clock'
import { BenchError } from '#prelude'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Handler, sendJson } from './odd-server.ts'
import { type OpenAiDouble, type OpenAiScript, startOpenAiDouble } from './openai-server.ts'

const script: OpenAiScript = { textOf: () => ' seven of hearts ' }

interface Bench extends AsyncDisposable {
  readonly double: OpenAiDouble
  readonly server: TranscriptionServer
  readonly path: string
  transcribe(
    model?: string,
    language?: string | null,
    timestamps?: ServerCall['timestamps'],
    options?: ServerCall['options'],
  ): ReturnType<TranscriptionServer['transcribe']>
}

interface BenchOptions {
  readonly key?: string | null
  readonly query?: string
  readonly fileName?: string
}

async function bench(
  change: Partial<OpenAiScript> = {},
  { key = null, query = '', fileName = 'größe "1".wav' }: BenchOptions = {},
): Promise<Bench> {
  const folder = await temporaryFolder()
  const path = join(folder.path, fileName)
  await writeFile(path, Buffer.alloc(60_000, 'ab'))
  const double = await startOpenAiDouble({ ...script, ...change })
  const address = parseServerAddress(double.target + query)
  if (address === null) throw new Error('not an address')
  const server = openTranscriptionServer(address, {
    key,
    keyFrom: 'THE_KEY',
    clock: systemClock,
    connections: 2,
  })
  return {
    double,
    server,
    path,
    transcribe: (model = 'tiny', language = null, timestamps = [], options = {}) =>
      server.transcribe({
        audio: { path, sizeBytes: 60_000, mimeType: 'audio/wav' },
        model,
        language,
        timestamps,
        options,
        timeoutMs: 5_000,
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await double[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a recording is sent as a form that asks for json, and text and processing time come back', async () => {
  await using here = await bench()
  const { outcome, times, bodyBytes, resent } = await here.transcribe('large', 'en')
  expect(outcome).toEqual({
    ok: true,
    value: { text: 'seven of hearts', language: null, processingMs: 12 },
  })
  expect(times.firstByteAtMs).not.toBeNull()
  expect(resent).toBeUndefined()
  expect(bodyBytes).toBeGreaterThan(60_000)
  const [form] = here.double.forms
  expect(form?.fields).toEqual({ model: 'large', language: 'en', response_format: 'json' })
  expect(form?.fileName).toMatch(/^[\w.-]+\.wav$/)
  expect(Buffer.from(form?.audio ?? []).equals(await readFile(here.path))).toBe(true)
})

test('verbose_json is asked for where the options say so, and brings language and length', async () => {
  await using here = await bench({ timesOf })
  const { outcome } = await here.transcribe('large', null, [], {
    response_format: 'verbose_json',
    hotwords: 'a, b',
  })
  expect(outcome).toEqual({
    ok: true,
    value: {
      text: 'seven of hearts',
      language: 'english',
      processingMs: 12,
      format: 'verbose_json',
    },
  })
  expect(here.double.forms[0]?.fields).toEqual({
    model: 'large',
    response_format: 'verbose_json',
    hotwords: 'a, b',
  })
})

/** How servers refuse a format, each in its words. */
const refusals: readonly [words: string, status: number, body: unknown][] = [
  [
    'OpenAI',
    400,
    { error: { message: "response_format 'verbose_json' is not compatible", param: 'response_format' } },
  ],
  [
    'vLLM',
    400,
    { error: { message: 'Currently do not support verbose_json for m1', type: 'BadRequestError' } },
  ],
  [
    'older vLLM',
    400,
    { object: 'error', message: 'Currently do not support verbose_json for m1', code: 400 },
  ],
  [
    'FastAPI',
    422,
    {
      detail: [
        { type: 'literal_error', loc: ['body', 'response_format'], msg: "Input should be 'json' or 'text'" },
      ],
    },
  ],
  ['a server that falls over', 500, { error: { message: "KeyError: 'verbose_json'" } }],
  ['a server that has it not yet', 501, { error: 'not implemented' }],
  ['a server without words', 400, { error: { message: 'bad request' } }],
]

test.each(refusals)('a format that %s refuses is asked for once, then json', async (_, status, body) => {
  await using here = await bench({ formats: ['json'], refusal: () => [status, body] })
  for (const sendings of [2, 3]) {
    const { outcome, resent } = await here.transcribe('tiny', null, ['word'])
    expect(outcome).toMatchObject({
      ok: true,
      value: { text: 'seven of hearts', language: null, format: 'json' },
    })
    expect(resent?.reasons).toEqual(sendings === 2 ? ['format'] : undefined)
    expect(here.double.forms).toHaveLength(sendings)
  }
})

test('a server that knows text alone is asked for text', async () => {
  await using here = await bench({ formats: ['text'], refusal: () => [422, { detail: 'Unprocessable' }] })
  const { outcome } = await here.transcribe('tiny', null, ['word'])
  expect(outcome).toMatchObject({ ok: true, value: { text: 'seven of hearts', format: 'text' } })
  expect(here.double.forms.map(({ fields }) => fields['response_format'])).toEqual([
    'verbose_json',
    'json',
    'text',
  ])
})

test('a refusal that is not for the format is reported in its words, and nothing else is asked for', async () => {
  const refusal = { detail: [{ loc: ['body', 'hotwords'], msg: 'Extra inputs are not permitted' }] }
  let count = 0
  await using here = await bench({
    instead: (_, response) => {
      count += 1
      sendJson(response, refusal, 422)
    },
  })
  const { outcome } = await here.transcribe('tiny', null, ['word'], { hotwords: 'Ada' })
  expect(outcome).toMatchObject({
    failure: {
      code: 'INVALID_REQUEST',
      message: 'hotwords: Extra inputs are not permitted',
      hint: 'the server does not take the option hotwords: correct it, or leave it out',
    },
  })
  expect(count).toBe(1)
})

test('a recording that is refused in any format is refused in the words of the first time', async () => {
  await using here = await bench({
    instead: (_, response) => sendJson(response, { error: { message: 'could not decode' } }, 400),
  })
  const { outcome } = await here.transcribe('tiny', null, ['word'])
  expect(outcome).toMatchObject({ failure: { code: 'INVALID_REQUEST', message: 'could not decode' } })
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
  expect(outcome.ok && Object.keys(outcome.value).sort()).toEqual(['language', 'processingMs', 'text'])
  expect(here.double.forms.map(({ granularities }) => granularities)).toEqual([['segment', 'word'], []])
})

test('a model that refuses to time words is asked without, and from then on at once', async () => {
  await using here = await bench({ untimed: true })
  for (const sendings of [2, 3]) {
    expect((await here.transcribe('tiny', null, ['word'])).outcome).toMatchObject({
      ok: true,
      value: { text: 'seven of hearts', language: 'english', format: 'verbose_json' },
    })
    expect(here.double.forms).toHaveLength(sendings)
  }
})

test('times of another shape than documented do not take the transcript with them', async () => {
  await using here = await bench({
    timesOf: () => ({ words: ['seven'], segments: [{ start: 'x' }], duration: '0:01.5' }),
  })
  const { outcome } = await here.transcribe('tiny', null, ['word'])
  expect(outcome).toMatchObject({ ok: true, value: { text: 'seven of hearts' } })
})

test('a list of models is read where a date in it has another shape', () => {
  const listed = { data: [{ id: 'tiny', shutdown_date: 1_772_064_000 }, { id: 'large' }] }
  expect(readModelList(listed)?.map(({ id }) => id)).toEqual(['tiny', 'large'])
})

test('the key goes with every request, and never into a failure', async () => {
  const key = 'sk-a-secret-of-some-length'
  await using right = await bench({ key }, { key })
  expect((await right.transcribe()).outcome.ok).toBe(true)
  expect(await right.server.listModels()).toEqual({
    ok: true,
    value: [
      { id: 'tiny', shutdownDate: null },
      { id: 'large', shutdownDate: null },
    ],
  })
  await using wrong = await bench({ key: 'another' }, { key })
  const { outcome } = await wrong.transcribe()
  expect(outcome).toMatchObject({
    ok: false,
    failure: {
      kind: 'refused',
      code: 'MISSING_API_KEY',
      httpStatus: 401,
      hint: expect.stringContaining('THE_KEY holds the key of this server'),
    },
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
  ['a stream of anything', 'malformed', {}, (_, response) => void response.end('data: {"progress": 1}\n\n')],
  ['an answer without text', 'malformed', {}, (_, response) => sendJson(response, { ok: true })],
])('%s counts as %s', async (_, label, more, instead) => {
  await using here = await bench({ instead })
  const { outcome } = await here.transcribe()
  if (outcome.ok) throw new Error('answered')
  expect(failureLabel(outcome.failure)).toBe(label)
  expect(outcome.failure).toMatchObject(more)
})

const text = { text: 'seven of hearts' }
const asJson = JSON.stringify(text)
const stream = (...events: readonly string[]): Handler => {
  const body = events.map((event) => `data: ${event}\n\n`).join('')
  return (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
}
const packed = (encoding: string, body: Buffer): Handler => {
  return (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body)
}

const encoded = (charset: string, body: Buffer): Handler => {
  const head = { 'content-type': `application/json; charset=${charset}` }
  return (_, response) => void response.writeHead(200, head).end(body)
}
const utf8 = Buffer.from('{"text":"déjà vu"}')
const latin1 = Buffer.from('{"text":"déjà vu"}', 'latin1')

/** Answers that every other client takes. */
/** Writes interim responses and the answer to the socket, in pieces that arrive one after the other. */
function written(pieces: (bytes: Buffer) => readonly Buffer[]): Handler {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${asJson.length}\r\n\r\n${asJson}`
  return async (_, response, { socket }) => {
    for (const piece of pieces(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${interim}${answer}`))) {
      socket.write(piece)
      await turnOfTheLoop()
    }
    response.detachSocket(socket)
  }
}

const odd: readonly [what: string, instead: Handler, answer?: string][] = [
  ['status 201', (_, response) => sendJson(response, text, 201)],
  ['a mark of the byte order', (_, response) => void response.end(`\uFEFF${asJson}`)],
  ['gzip that was not asked for', packed('gzip', gzipSync(asJson))],
  ['deflate that was not asked for', packed('deflate', deflateSync(asJson))],
  ['deflate without its frame', packed('deflate', deflateRawSync(asJson))],
  ['zstd that was not asked for', packed('zstd', zstdCompressSync(asJson))],
  ['several encodings', packed('identity, gzip, GZIP', gzipSync(gzipSync(asJson)))],
  ['the character set of an old server', encoded('ISO-8859-1', latin1), 'déjà vu'],
  ['UTF-8 under the name of another character set', encoded('iso-8859-1', utf8), 'déjà vu'],
  ['UTF-16', encoded('"utf-16le"', Buffer.from('\uFEFF{"text":"déjà vu"}', 'utf16le')), 'déjà vu'],
  ['null for silence', (_, response) => sendJson(response, { text: null }), ''],
  [
    'a 100 before the answer',
    (_, response) => {
      response.writeContinue()
      setImmediate(() => sendJson(response, text))
    },
  ],
  [
    'a 100 in one piece with the answer',
    (_, response, { socket }) => {
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${asJson.length}\r\n\r\n`
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${head}${asJson}`)
      response.detachSocket(socket)
    },
  ],
  ['two 100 and a 103 in one piece with the answer', written((bytes) => [bytes])],
  [
    'two 100 and a 103, byte by byte, before the answer',
    written((bytes) => Array.from(bytes, (byte) => Buffer.of(byte))),
  ],
  [
    'a 103 before the answer',
    (_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' }, () => sendJson(response, text)),
  ],
  [
    'events of OpenAI',
    stream(
      JSON.stringify({ type: 'transcript.text.delta', delta: 'seven of' }),
      JSON.stringify({ type: 'transcript.text.done', text: 'seven of hearts' }),
    ),
  ],
  [
    'events of vLLM',
    stream(
      JSON.stringify({ choices: [{ delta: { content: 'seven of' } }] }),
      JSON.stringify({ choices: [{ delta: { content: ' hearts' }, finish_reason: 'stop' }] }),
      '[DONE]',
    ),
  ],
  ['events of Speaches', stream(JSON.stringify({ text: ' seven of' }), JSON.stringify({ text: ' hearts' }))],
]

test.each(odd)('%s is an answer', async (_, instead, answer = 'seven of hearts') => {
  await using here = await bench({ instead })
  for (const _again of [1, 2]) {
    expect((await here.transcribe()).outcome).toMatchObject({ ok: true, value: { text: answer } })
  }
})

test.each([307, 308])(
  'a redirection to the same host is followed, and from then on asked at once: %i',
  async (status) => {
    const asked: string[] = []
    await using here = await bench({
      instead: ({ url, body }, response) => {
        asked.push(`${url} ${body.length > 60_000}`)
        response.writeHead(status, { location: `${url}?there` }).end()
      },
      elsewhere: ({ url, body }, response) => {
        asked.push(`${url} ${body.length > 60_000}`)
        sendJson(response, text)
      },
    })
    const first = await here.transcribe()
    expect(first).toMatchObject({ outcome: { ok: true }, resent: { reasons: ['redirect'] } })
    expect(await here.transcribe()).toMatchObject({ outcome: { ok: true }, resent: undefined })
    const path = '/v1/audio/transcriptions'
    expect(asked).toEqual([`${path} true`, `${path}?there true`, `${path}?there true`])
  },
)

test('a redirection to another host is shown, and not followed', async () => {
  await using here = await bench({
    instead: (_, response) =>
      void response.writeHead(308, { location: 'https://other.example/v1?x=1' }).end(),
  })
  expect((await here.transcribe()).outcome).toMatchObject({
    failure: {
      code: 'HTTP_308',
      message: expect.stringMatching(
        /transcriptions redirects to https:\/\/other\.example\/v1\?…, which is not followed/,
      ),
    },
  })
})

test('a circle of redirects is shown as one, and a 304 as an answer without an address', async () => {
  await using here = await bench({
    instead: ({ url }, response) => void response.writeHead(307, { location: url }).end(),
  })
  expect((await here.transcribe()).outcome).toMatchObject({
    failure: {
      code: 'HTTP_307',
      message: expect.stringMatching(
        /^after 3 redirects that were followed, .* redirects to \/v1\/audio\S*, which is not followed$/,
      ),
    },
  })
  await using cached = await bench({ instead: (_, response) => void response.writeHead(304).end() })
  expect((await cached.transcribe()).outcome).toMatchObject({
    failure: { code: 'HTTP_304', message: expect.stringContaining('nor another address (HTTP 304)') },
  })
})

test('of a header that is repeated, the first value counts', async () => {
  let count = 0
  await using here = await bench({
    instead: (_, response) => {
      count += 1
      const other = ['https://other.example/v1', 'https://third.example/v1']
      response.setHeader('location', other)
      if (count === 1) return void response.writeHead(307).end()
      response.setHeader('retry-after', ['7', '8'])
      response.setHeader('content-encoding', ['identity', 'identity'])
      if (count === 2) return sendJson(response, { detail: 'too many' }, 429)
      return sendJson(response, text)
    },
  })
  expect((await here.transcribe()).outcome).toMatchObject({
    failure: { code: 'HTTP_307', message: expect.stringContaining('https://other.example/v1') },
  })
  expect((await here.transcribe()).outcome).toMatchObject({
    failure: { httpStatus: 429, retryAfterSeconds: 7 },
  })
  expect((await here.transcribe()).outcome.ok).toBe(true)
})

test('a refusal without a body keeps its delay, whatever encoding it names', async () => {
  const head = { 'retry-after': '7', 'content-encoding': 'gzip' }
  await using here = await bench({ instead: (_, response) => void response.writeHead(429, head).end() })
  expect((await here.transcribe()).outcome).toMatchObject({
    failure: { code: 'RATE_LIMITED', httpStatus: 429, retryAfterSeconds: 7 },
  })
})

test('a code or field of a server that is a name of every object is nothing but a name', async () => {
  const error = { code: 'constructor', message: 'constructor: no', param: 'constructor' }
  await using here = await bench({ instead: (_, response) => sendJson(response, { error }, 418) })
  expect((await here.transcribe('tiny', null, [], { hotwords: 'Ada' })).outcome).toMatchObject({
    failure: { code: 'HTTP_418', hint: null },
  })
})

test('a query of the address goes with every request', async () => {
  const urls: string[] = []
  await using here = await bench(
    {
      instead: ({ url }, response) => {
        urls.push(url)
        sendJson(response, text)
      },
    },
    { query: '?api-version=2025-04-01' },
  )
  expect((await here.server.listModels()).ok).toBe(true)
  expect((await here.transcribe()).outcome.ok).toBe(true)
  expect(urls).toEqual(['/v1/audio/transcriptions?api-version=2025-04-01'])
  expect(here.server.baseUrl).toMatch(/\/v1\?api-version=2025-04-01$/)
})

test('Ogg files with Opus in them are uploaded by the ending of their container', async () => {
  await using here = await bench({}, { fileName: 'one.opus' })
  expect((await here.transcribe()).outcome.ok).toBe(true)
  expect(here.double.forms[0]?.fileName).toBe('one.ogg')
})

/** A server that closes what it kept open as soon as something comes by it, as after its idle time. */
function closesKept(answer: Handler): Handler {
  const used = new WeakSet<object>()
  return (seen, response, request) => {
    if (used.has(request.socket)) return void request.socket.resetAndDestroy()
    used.add(request.socket)
    return answer(seen, response, request)
  }
}

test('a kept connection that the server has closed costs one more sending, and no latency', async () => {
  // Both are answered once both have come, so that there are two connections.
  const both = Promise.withResolvers<void>()
  let count = 0
  const answer: Handler = async (_, response) => {
    count += 1
    if (count === 2) both.resolve()
    await both.promise
    sendJson(response, text)
  }
  await using here = await bench({ instead: closesKept(answer) })
  const [first, second] = await Promise.all([here.transcribe(), here.transcribe()])
  expect([first?.outcome.ok, second?.outcome.ok]).toEqual([true, true])
  const [third, fourth] = await Promise.all([here.transcribe(), here.transcribe()])
  for (const { outcome, resent, times } of [third, fourth]) {
    expect(outcome.ok).toBe(true)
    expect(resent?.reasons).toEqual(['closedConnection'])
    expect(resent?.forMs).toBeGreaterThan(0)
    expect(times.socket?.startedAtMs).toBeGreaterThanOrEqual(times.sentAtMs)
  }
  expect((await here.server.listModels()).ok).toBe(true)
})

test('a kept connection that is lost during the work is a failure, and nothing is sent again', async () => {
  const used: object[] = []
  await using here = await bench({
    instead: async (_, response, { socket }) => {
      used.push(socket)
      if (used.length !== 2) return sendJson(response, text)
      await delay(700)
      socket.resetAndDestroy()
    },
  })
  expect((await here.transcribe()).outcome.ok).toBe(true)
  // The connection is free again once its answer has been handled.
  await delay(10)
  const { outcome, resent } = await here.transcribe()
  expect(outcome).toMatchObject({ failure: { kind: 'unreachable', cause: 'ECONNRESET', during: 'waiting' } })
  expect(resent).toBeUndefined()
  expect(used).toHaveLength(2)
  expect(used[1] === used[0]).toBe(true)
})

test('a server that takes no new connection either has died with the request', async () => {
  let isOver = false
  await using here = await bench({
    instead: (_, response) => {
      if (isOver) void here.double[Symbol.asyncDispose]()
      else sendJson(response, text)
      isOver = true
    },
  })
  expect((await here.transcribe()).outcome.ok).toBe(true)
  const { outcome, resent } = await here.transcribe()
  expect(outcome).toMatchObject({ failure: { kind: 'unreachable', during: 'waiting' } })
  expect(resent).toBeUndefined()
})

test('a new connection that is lost is a lost one', async () => {
  await using here = await bench({ instead: (_, _response, { socket }) => void socket.resetAndDestroy() })
  const { outcome, resent } = await here.transcribe()
  expect(outcome).toMatchObject({ failure: { kind: 'unreachable', cause: 'ECONNRESET', during: 'waiting' } })
  expect(resent).toBeUndefined()
})

const page = (title: string, server: string): string =>
  `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center><hr><center>${server}</center></body></html>`

/** Refusals, and what a person is told of each. */
const told: readonly [what: string, status: number, body: unknown, failure: object][] = [
  [
    'a limit of nginx',
    413,
    page('413 Request Entity Too Large', 'nginx/1.25.3'),
    {
      message: 'a proxy (nginx/1.25.3) in front of the server refuses a request of this size (HTTP 413)',
      hint: expect.stringContaining('client_max_body_size'),
      isOversize: true,
    },
  ],
  [
    'a rule of Cloudflare',
    403,
    page('403 Forbidden', 'cloudflare'),
    {
      code: 'HTTP_403',
      message: 'a proxy (cloudflare) in front of the server refuses the request (HTTP 403)',
    },
  ],
  [
    'a model that open-asr-server does not allow',
    403,
    { detail: 'Model not allowed' },
    { code: 'MODEL_NOT_FOUND', message: 'Model not allowed', hint: 'name a model that the server allows' },
  ],
  [
    'a path that FastAPI does not have',
    404,
    { detail: 'Not Found' },
    {
      code: 'HTTP_404',
      message: expect.stringMatching(
        /^nothing takes recordings at http.*\/v1\/audio\/transcriptions \(HTTP 404: Not Found\)$/,
      ),
    },
  ],
  [
    'a path that whisper.cpp does not have',
    404,
    'File Not Found (/v1/audio/transcriptions)',
    { code: 'HTTP_404', hint: expect.stringContaining('--inference-path /v1/audio/transcriptions') },
  ],
  [
    'a model that Speaches does not have',
    404,
    { detail: "Model 'tiny' is not installed locally. You can download the model using `POST /v1/models`" },
    { code: 'MODEL_NOT_FOUND', message: expect.stringContaining('not installed locally') },
  ],
  [
    'a model that vLLM does not have',
    404,
    { error: { message: 'The model `tiny` does not exist.', type: 'NotFoundError', param: null, code: 404 } },
    { code: 'MODEL_NOT_FOUND' },
  ],
]

test.each(told)('%s is named by what refused it', async (_, status, body, failure) => {
  await using here = await bench({
    instead: (_seen, response) =>
      typeof body === 'string' ? void response.writeHead(status).end(body) : sendJson(response, body, status),
  })
  expect((await here.transcribe()).outcome).toMatchObject({ failure: { kind: 'refused', ...failure } })
})

test('an address with the whole path in it is named with the one that ends before', async () => {
  await using here = await bench({ instead: (_, response) => void response.end() })
  const pasted = parseServerAddress(`${here.double.target}/audio/transcriptions`)
  if (pasted === null) throw new Error('not an address')
  await using server = openTranscriptionServer(pasted, { key: null, clock: systemClock, connections: 1 })
  const audio = { path: here.path, sizeBytes: 60_000, mimeType: 'audio/wav' }
  const { outcome } = await server.transcribe({
    audio,
    model: 'tiny',
    language: null,
    timestamps: [],
    options: {},
    timeoutMs: 5_000,
  })
  expect(outcome).toMatchObject({
    failure: {
      code: 'HTTP_404',
      message: expect.stringContaining('/v1/audio/transcriptions/audio/transcriptions'),
      hint: `the address ends before /audio/transcriptions: try ${here.double.target}`,
    },
  })
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
    query: '',
  })
  expect(parseServerAddress('openai:http://h/v1?api-version=1')).toMatchObject({ query: '?api-version=1' })
  for (const text of [
    'openai:',
    'openai:127.0.0.1:8000/v1',
    'openai:http://key:secret@127.0.0.1/v1',
    'openai:http://h/v1?api_key=secret',
  ]) {
    expect(() => parseServerAddress(text)).toThrow(BenchError)
    expect(() => parseServerAddress(text)).not.toThrow(/secret/)
  }
})

test('a parameter that may hold a key is refused by its name', () => {
  const names = [
    'api_key',
    'Ocp-Apim-Subscription-Key',
    'sig',
    'X-Amz-Signature',
    'code',
    'access_token',
    'auth',
    'pwd',
  ]
  for (const name of names) {
    expect(() => parseServerAddress(`openai:http://h/v1?${name}=hidden`)).toThrow(
      `its parameter "${name}" may hold a key`,
    )
  }
})

test('a parameter of the recognition is part of the address', () => {
  const query = '?language_code=de&keywords=Anna&keyterm=Berta&encoder=opus&design=2&author=me'
  expect(parseServerAddress(`openai:http://h/v1${query}`)).toMatchObject({ query })
})

test('a key is read from the variable that is named, and its absence is reported without it', () => {
  expect(readServerKey(null, { env: { KEY: 'x' } })).toBeNull()
  expect(readServerKey('KEY', { env: { KEY: ' x ' } })).toBe('x')
  expect(() => readServerKey('KEY', { env: {} })).toThrow(
    'KEY, which should hold the key of the server, is not set',
  )
  expect(() => readServerKey('toString', { env: {} })).toThrow('is not set')
  expect(() => readServerKey('KEY', { env: { KEY: 'a b' } })).toThrow('does not hold a key')
})
