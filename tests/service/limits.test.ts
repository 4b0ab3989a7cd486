import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '#contract/enums'
import { limitMessages } from '#contract/failures'
import { type Answer, startTestService, type TestService } from './running-service.ts'

const echo = { engine: 'scripted', model: 'echo' }
const takingBodies = ['/transcribe', '/modes', '/post-process']

/** A JSON body of exactly this many bytes, of which the engine would make nothing. */
function bodyOf(sizeBytes: number): Buffer {
  const body = Buffer.alloc(sizeBytes, 'x')
  const frame = JSON.stringify({ ...echo, name: 'x', audio_base64: '*' })
  const [head = '', tail = ''] = frame.split('*')
  body.write(`${head}*`, 0)
  body.write(tail, sizeBytes - tail.length)
  return body
}

const enveloped = {
  status: 200,
  json: { ok: false, error: { code: 'INVALID_REQUEST', message: limitMessages.request } },
}
const malformed = {
  status: 400,
  json: { ok: false, error: { code: 'INVALID_REQUEST', message: 'Invalid JSON body' } },
}

/** Sends all of it, as a client that closes the connection afterwards and only then reads. */
function sendAndClose(
  { service }: TestService,
  path: string,
  body: Buffer,
): Promise<{ readonly answer: string; readonly error: Error | null }> {
  return new Promise((resolve) => {
    let answer = ''
    let error: Error | null = null
    const socket = connect(service.port, '127.0.0.1')
    socket.pause()
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
    })
    socket.on('error', (thrown) => {
      error = thrown
    })
    socket.on('close', () => resolve({ answer, error }))
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n` +
        `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body, () => socket.resume())
  })
}

describe('a body over the request limit', () => {
  test('is answered to a client that closes the connection after its request, too', async () => {
    await using started = await startTestService()
    const tooLong = bodyOf(limits.requestBytes + 1)
    const onTranscribe = await sendAndClose(started, '/transcribe', tooLong)
    expect(onTranscribe.error).toBeNull()
    expect(onTranscribe.answer).toContain(limitMessages.request)
    const elsewhere = await sendAndClose(started, '/modes', tooLong)
    expect(elsewhere.error).toBeNull()
    expect(elsewhere.answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('is refused before it has come, by the length that it announces', async () => {
    await using started = await startTestService()
    const headers = { 'content-length': String(limits.requestBytes + 1) }
    expect(await sendSlowly(started, headers, 0)).toMatchObject(enveloped)
  })

  test('is refused at the limit when it announces no length', async () => {
    await using started = await startTestService({ profile: 'windows-legacy' })
    const answer = await sendSlowly(
      started,
      { 'transfer-encoding': 'chunked' },
      limits.legacyWindowsRequestBytes + 1,
    )
    expect(answer).toMatchObject(malformed)
  })
})

describe('a body that takes far more memory than its text', () => {
  const values = (count: number, open: string, value: string, close: string): string =>
    `${open}${Array(count).fill(value).join(',')}${close}`
  const shapes = [
    ['brackets', () => '['.repeat(5_000_000), 'nested more than 64 levels deep'],
    ['braces', () => '{"a":'.repeat(200_000), 'nested more than 64 levels deep'],
    [
      'both in turn below a field',
      () => `{"model":${'[{"a":'.repeat(100_000)}`,
      'nested more than 64 levels',
    ],
    ['empty arrays', () => values(300_000, '{"x":[', '[]', ']}'), 'more than 50000 values'],
    ['an array of numbers', () => values(1_000_000, '{"x":[', '1', ']}'), 'more than 50000 values'],
    ['objects with a key each', () => values(200_000, '{"x":[', '{"a":1}', ']}'), 'more than 50000 values'],
    ['a long text', () => `{"model":"${'x'.repeat(2_000_000)}"}`, limitMessages.request],
    ['a long key', () => `{"${'k'.repeat(2_000_000)}":1}`, limitMessages.request],
    ['a long number', () => `{"x":${'9'.repeat(2_000_000)}}`, limitMessages.request],
    ['blanks', () => `{${' '.repeat(2_000_000)}}`, limitMessages.request],
    ['escapes', () => `{"x":"${'\\u0061'.repeat(500_000)}"}`, limitMessages.request],
  ] as const

  let windows: TestService
  beforeAll(async () => {
    windows = await startTestService({ profile: 'windows' })
  })
  afterAll(() => windows[Symbol.asyncDispose]())

  test.each(shapes)('is refused at its beginning: %s', async (_what, body, message) => {
    const sent = body()
    for (const path of takingBodies) {
      expect(await windows.send('POST', path, { body: sent })).toMatchObject({
        status: 200,
        json: { error: { code: 'INVALID_REQUEST', message: expect.stringContaining(message) } },
      })
    }
  })

  test('may have 64 levels, and audio that does not count', async () => {
    await using started = await startTestService()
    const body = JSON.stringify({
      ...echo,
      x: JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`),
      audio_base64: 'A'.repeat(4_000_000),
    })
    const answer = await started.send('POST', '/transcribe', { body })
    expect(answer.json.error?.code).toBe('AUDIO_DECODE_FAILED')
  })
})

/** Sends that many bytes of an endless body, and waits for the answer without ending it. */
async function sendSlowly(
  { service }: TestService,
  headers: Readonly<Record<string, string>>,
  sizeBytes: number,
): Promise<Partial<Answer>> {
  const { port, token } = service
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/transcribe',
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  const answered = new Promise<Partial<Answer>>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      resolve({ status: response.statusCode ?? 0, text, json: JSON.parse(text) })
    })
  })
  request.flushHeaders()
  const chunk = Buffer.alloc(1_000_000, ' ')
  for (let left = sizeBytes; left > 0; left -= chunk.length) {
    request.write(chunk.subarray(0, left))
    await nextTurn()
  }
  const answer = await answered
  request.destroy()
  return answer
}

describe('a body with 100,000 equal keys', () => {
  test('is refused at the second key, and memory for audio is reserved once', async () => {
    await using started = await startTestService()
    // Each used to reserve as much memory as the whole body announces: two minutes of work.
    const body = `{${Array(100_000).fill('"audio_base64":""').join(',')}}`
    for (const path of takingBodies) {
      expect(await started.send('POST', path, { body })).toMatchObject({
        status: 200,
        json: { error: { code: 'INVALID_REQUEST', message: 'The body has the key "audio_base64" twice.' } },
      })
    }
  })

  test('is malformed JSON where what comes before the second one is', async () => {
    await using started = await startTestService()
    for (const body of ['{"model":1,,"model":2}', '{"model" "model":1}', '{"model":1 "model":2}']) {
      expect(await started.send('POST', '/transcribe', { body })).toMatchObject(malformed)
    }
  })
})
