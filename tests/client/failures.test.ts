import { expect, test } from 'vitest'
import type { Connection } from '#client/connection'
import { failureLabel, limitMessages, meansOversize, type RequestFailure } from '#contract/failures'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  connectTo,
  type Handler,
  sendJson,
  serviceWith,
  startOddServer,
  token,
  writeDiscovery,
} from './odd-server.ts'

/** What `GET /modes` comes to where the server answers it in the given way. */
async function failureOf(answer: Handler): Promise<RequestFailure> {
  return withConnection(answer, async (connection) => {
    const outcome = await connection.listModes()
    if (outcome.ok) throw new Error('the call succeeded')
    return outcome.failure
  })
}

async function withConnection<Result>(
  answer: Handler,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(serviceWith(answer))
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  return await use(connection)
}

test('an error envelope with status 200 is a refusal with its code and hint', async () => {
  const error = { code: 'MODEL_NOT_INSTALLED', message: 'Not here.', hint: 'Install it.' }
  expect(await failureOf((_, response) => sendJson(response, { ok: false, error }))).toEqual({
    kind: 'refused',
    code: 'MODEL_NOT_INSTALLED',
    message: 'Not here.',
    hint: 'Install it.',
    httpStatus: 200,
  })
})

test('a code that the contract does not list is kept as it came, and a null hint is no hint', async () => {
  const error = { code: 'QUOTA_SPENT', message: 'Later.', hint: null }
  expect(await failureOf((_, response) => sendJson(response, { ok: false, error }))).toMatchObject({
    kind: 'refused',
    code: 'QUOTA_SPENT',
    hint: null,
  })
})

test('a refusal says when to come back, in seconds, from a number and from a date', async () => {
  const error = { code: 'RATE_LIMITED', message: 'Slow down.' }
  const answering =
    (retryAfter: string): Handler =>
    (_, response) => {
      response.setHeader('retry-after', retryAfter)
      sendJson(response, { ok: false, error })
    }
  expect(await failureOf(answering('17'))).toMatchObject({ retryAfterSeconds: 17 })
  const inAnHour = await failureOf(answering(new Date(Date.now() + 3_600_000).toUTCString()))
  expect(inAnHour).toHaveProperty('retryAfterSeconds')
  expect('retryAfterSeconds' in inAnHour ? inAnHour.retryAfterSeconds : 0).toBeGreaterThan(3_500)
  expect(await failureOf(answering('soon'))).not.toHaveProperty('retryAfterSeconds')
})

test.each([
  ['a bare 413', 413, ''],
  ['a bare 431', 431, ''],
  ['HTML with status 502', 502, '<h1>Bad gateway</h1>'],
  ['truncated JSON', 200, '{"ok": true, "modes": [{"id": "a'],
  ['JSON of another shape', 200, '{"ok": true, "modes": "none"}'],
  ['a bare number', 200, '42'],
  ['an error without an envelope', 401, '{"error": "Unauthorized"}'],
  ['a success with a failing status', 500, '{"ok": true, "modes": []}'],
])('%s is malformed, with its status and what it said', async (_, status, body) => {
  const failure = await failureOf((_seen, response) => void response.writeHead(status).end(body))
  expect(failure).toMatchObject({ kind: 'malformed', httpStatus: status })
  expect(failure).toHaveProperty('excerpt', expect.stringContaining(body))
})

test.each([
  [
    200,
    '<!DOCTYPE html><head><style>p {}</style><title>Log in</title></head><body><p>Sign in</p></body>',
    'Sign in',
  ],
  [
    502,
    '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502 Bad Gateway</h1><hr>nginx</body>',
    '502 Bad Gateway nginx',
  ],
  [503, '<?xml version="1.0"?>\n<!DOCTYPE html><html><h1>503 Unavailable</h1></html>', '503 Unavailable'],
  [200, '<html><title>Dashboard</title><body><script>start("<p>")</script></body></html>', 'Dashboard'],
  [200, '<html></html>', '<html></html>'],
])('an HTML page with status %i is malformed, and its words are kept', async (status, body, words) => {
  const failure = await failureOf((_seen, response) => void response.writeHead(status).end(body))
  expect(failure).toMatchObject({ kind: 'malformed', httpStatus: status, excerpt: words })
})

test.each([
  [413, '<html><hr><center>nginx/1.22.1</center></html>', 'OVERSIZE', 'client_max_body_size'],
  [403, '<!DOCTYPE html><p>Forbidden</p>', 'HTTP_403', 'name the server itself'],
])(
  'a page with status %i is the refusal of a proxy, with what to change',
  async (status, body, label, hint) => {
    const failure = await failureOf((_seen, response) => void response.writeHead(status).end(body))
    expect(failure).toMatchObject({ kind: 'refused', hint: expect.stringContaining(hint) })
    expect(failureLabel(failure)).toBe(label)
  },
)

test('a bare 429 or 503 keeps when to come back', async () => {
  for (const status of [429, 503]) {
    const failure = await failureOf(
      (_, response) => void response.writeHead(status, { 'retry-after': '7' }).end(),
    )
    expect(failure).toMatchObject({ kind: 'malformed', httpStatus: status, retryAfterSeconds: 7 })
    expect(failureLabel(failure)).toBe(`HTTP_${status}`)
  }
})

/** Each with the word that it is counted under. */
const kinds: readonly [string, string, Handler, failure?: object][] = [
  [
    'a reset before the head',
    'connectionLost',
    (_, response) => void response.socket?.resetAndDestroy(),
    { kind: 'unreachable', cause: 'ECONNRESET', during: 'waiting' },
  ],
  [
    'a reset in the body',
    'answerCut',
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"ok": true,', () => response.socket?.resetAndDestroy())
    },
    { kind: 'unreachable', cause: expect.stringMatching(/^[A-Z_]+$/), during: 'receiving' },
  ],
  [
    'an answer that is not HTTP',
    'connectionLost',
    (_, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
    { kind: 'unreachable', cause: 'HTTPParserError', during: 'waiting' },
  ],
  [
    'a content-length that promises more than comes',
    'answerCut',
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"ok": true, "text": "x"}', () => response.socket?.end())
    },
  ],
  [
    'a content-length that cuts the answer short',
    'malformed',
    (_, response) =>
      void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"ok": true, "text": "x"}'),
  ],
  ['a server that never answers', 'timedOut', () => undefined],
  [
    'a byte a second',
    'answerStalled',
    (_, response) => {
      response.writeHead(200)
      response.write('{')
    },
  ],
  ['HTML with status 200', 'malformed', (_, response) => void response.end('<html></html>')],
  ['a bare 413', 'HTTP_413', (_, response) => void response.writeHead(413).end()],
  ['a bare 431', 'HTTP_431', (_, response) => void response.writeHead(431).end()],
  ['500', 'HTTP_500', (_, response) => void response.writeHead(500).end('oops')],
  [
    'the time-out of the service',
    'TIMEOUT',
    (_, response) => sendJson(response, { ok: false, error: { code: 'TIMEOUT', message: 'Too long.' } }),
  ],
  [
    'audio that is too large',
    'OVERSIZE',
    (_, response) =>
      sendJson(response, { ok: false, error: { code: 'INVALID_REQUEST', message: limitMessages.audio } }),
  ],
]

test.each(kinds)('a transcription that meets %s counts as %s', async (_, label, handle, failure = {}) => {
  await withConnection(handle, async (connection) => {
    const { outcome } = await connection.transcribe({
      audio: { transport: 'path', path: '/a.wav' },
      options: { engine: 'e', model: 'm' },
      // What is answered is answered at once, on a busy machine within seconds.
      timeoutMs: label === 'timedOut' || label === 'answerStalled' ? 150 : 10_000,
    })
    if (outcome.ok) throw new Error('answered')
    expect(failureLabel(outcome.failure)).toBe(label)
    expect(outcome.failure).toMatchObject(failure)
  })
})

test('malformed JSON that an older Windows build complains of is oversize only over its limit', () => {
  const legacy = { message: 'Invalid JSON body', httpStatus: 400 }
  expect(meansOversize(legacy, 30_000_000)).toBe(false)
  expect(meansOversize(legacy, 30_000_001)).toBe(true)
  expect(meansOversize({ ...legacy, message: 'Request exceeds the configured limit.' }, 1)).toBe(true)
})

test('413 with an envelope is a refusal', async () => {
  const error = { code: 'INVALID_REQUEST', message: 'Request exceeds the configured limit.' }
  const failure = await failureOf((_, response) => sendJson(response, { ok: false, error }, 413))
  expect(failure).toMatchObject({ kind: 'refused', code: 'INVALID_REQUEST', httpStatus: 413 })
})

test('an excerpt is one line of bounded length, and says which field was wrong', async () => {
  const failure = await failureOf((_, response) =>
    sendJson(response, { ok: true, modes: [{ id: 7, padding: 'x\n'.repeat(10_000) }] }),
  )
  if (failure.kind !== 'malformed') throw new Error(failure.kind)
  expect(failure.excerpt).toMatch(/^modes\.0\.id: .*expected string/)
  expect(failure.excerpt.length).toBeLessThanOrEqual(240)
  expect(failure.excerpt).not.toContain('\n')
})

test('an answer of more than 64 MiB is malformed, declared or not, and is not read to its end', async () => {
  const piece = Buffer.alloc(1_048_576, ' ')
  let sentPieces = 0
  const endless: Handler = (_, response) => {
    const push = (): void => {
      while (!response.destroyed && response.write(piece)) sentPieces += 1
      sentPieces += 1
    }
    response.on('drain', push)
    push()
  }
  expect(await failureOf(endless)).toEqual({
    kind: 'malformed',
    httpStatus: 200,
    excerpt: 'an answer of more than 64 MiB',
  })
  expect(sentPieces).toBeLessThan(128)
  const declared: Handler = (seen, response, request) => {
    response.setHeader('content-length', 1_073_741_824)
    return endless(seen, response, request)
  }
  expect(await failureOf(declared)).toMatchObject({ kind: 'malformed' })
})

test('unknown fields and unlisted values of an answer are kept', async () => {
  const model = { id: 'm', kind: 'video', provider: 'local', displayName: 'M', installed: true, size_mb: 1 }
  await using folder = await temporaryFolder()
  await using server = await startOddServer((seen, response) =>
    seen.url === '/health'
      ? sendJson(response, {
          ok: true,
          app_version: '9',
          api_version: 7,
          port: 1,
          pid: process.pid,
          mood: 'good',
        })
      : sendJson(response, { ok: true, models: [{ ...model, colour: 'red' }], more: 1 }),
  )
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  expect(await connection.listModels()).toEqual({
    ok: true,
    value: { ok: true, models: [{ ...model, colour: 'red' }], more: 1 },
  })
  expect(await connection.health()).toMatchObject({ value: { api_version: 7, mood: 'good' } })
})

test('a server that repeats the token does not get it into a failure', async () => {
  const echoing: Handler = (seen, response) =>
    void response.writeHead(400).end(`Bad request: ${seen.headers.authorization}`)
  const refusing: Handler = (seen, response) =>
    sendJson(response, {
      ok: false,
      error: { code: 'X', message: `${seen.headers.authorization}`, hint: `${seen.headers.authorization}` },
    })
  for (const answer of [echoing, refusing]) {
    const text = JSON.stringify(await failureOf(answer))
    expect(text).not.toContain(token)
    expect(text).toContain('[token]')
  }
})
