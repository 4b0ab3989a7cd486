import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AudioInput, Connection, TranscribeResult } from '#client'
import { seededRandom } from '#prelude'
import {
  connectTo,
  type Handler,
  type OddServer,
  sendJson,
  serviceWith,
  startOddServer,
  temporaryFolder,
  token,
  writeDiscovery,
} from './odd-server.ts'

const modeId = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const answer = { ok: true, text: 'seven of hearts', engine: 'moonshine', model: 'moonshine-tiny' }
const answering: Handler = (_, response) => sendJson(response, answer)

interface Bench extends AsyncDisposable {
  readonly folder: string
  readonly server: OddServer
  readonly connection: Connection
}

/** A service that does what the test says with `/transcribe`, connected. */
async function startBench(handle: Handler, connections = 4, accepts?: () => string): Promise<Bench> {
  const folder = await temporaryFolder()
  const server = await startOddServer(serviceWith(handle, accepts))
  const connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }), connections)
  return {
    folder: folder.path,
    server,
    connection,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A file of reproducible bytes, as a recording to be sent in base64. */
async function recordingOf(folder: string, sizeBytes: number): Promise<AudioInput & { transport: 'base64' }> {
  const random = seededRandom(sizeBytes)
  const path = join(folder, `${sizeBytes}.wav`)
  await writeFile(
    path,
    Uint8Array.from({ length: sizeBytes }, () => random.below(256)),
  )
  return { transport: 'base64', path, sizeBytes, mimeType: 'audio/wav' }
}

function transcribe(
  connection: Connection,
  audio: AudioInput,
  more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<TranscribeResult> {
  return connection.transcribe({
    audio,
    options: { mode_id: modeId },
    timeoutMs: more.timeoutMs ?? 20_000,
    signal: more.signal,
  })
}

test('a path is sent as a path', async () => {
  await using bench = await startBench(answering)
  const path = '/recordings/größe "1".wav'
  const { outcome, bodyBytes } = await bench.connection.transcribe({
    audio: { transport: 'path', path },
    options: {
      engine: 'moonshine',
      model: 'moonshine-tiny',
      language: 'en',
      timestamp_granularities: ['word'],
    },
    timeoutMs: 20_000,
  })
  expect(outcome).toMatchObject({ ok: true, value: { text: 'seven of hearts', engine: 'moonshine' } })
  const seen = bench.server.seen.at(-1)
  expect(JSON.parse(String(seen?.body))).toEqual({
    engine: 'moonshine',
    model: 'moonshine-tiny',
    language: 'en',
    timestamp_granularities: ['word'],
    file: path,
  })
  expect(seen?.headers['content-length']).toBe(String(bodyBytes))
})

test.each([0, 1, 2, 3, 49_151, 49_152, 49_153, 147_456, 147_457, 1_000_000])(
  'a recording of %i bytes arrives as it is, with its length sent ahead',
  async (sizeBytes) => {
    await using bench = await startBench(answering)
    const audio = await recordingOf(bench.folder, sizeBytes)
    const { outcome, bodyBytes } = await transcribe(bench.connection, audio)
    expect(outcome.ok).toBe(true)
    const seen = bench.server.seen.at(-1)
    expect(seen?.headers).toMatchObject({
      'content-length': String(bodyBytes),
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    })
    expect(seen?.headers['transfer-encoding']).toBeUndefined()
    const { audio_base64, ...others } = JSON.parse(String(seen?.body)) as { audio_base64: string }
    expect(others).toEqual({ mode_id: modeId, mime_type: 'audio/wav' })
    const random = seededRandom(sizeBytes)
    const expected = Buffer.from(Uint8Array.from({ length: sizeBytes }, () => random.below(256)))
    expect(audio_base64 === expected.toString('base64')).toBe(true)
  },
)

test('the stamps are in order: sent, first byte, last byte', async () => {
  const slow: Handler = async (_, response) => {
    await new Promise((resolve) => setTimeout(resolve, 30))
    response.writeHead(200).write('{"ok": true,')
    await new Promise((resolve) => setTimeout(resolve, 30))
    response.end('"text": "seven"}')
  }
  await using bench = await startBench(slow)
  const { outcome, times } = await transcribe(bench.connection, await recordingOf(bench.folder, 10))
  expect(outcome).toMatchObject({ ok: true })
  const { sentAtMs, firstByteAtMs, endedAtMs } = times
  // Timers may fire up to a millisecond early.
  expect(Number(firstByteAtMs) - sentAtMs).toBeGreaterThanOrEqual(29)
  expect(endedAtMs - Number(firstByteAtMs)).toBeGreaterThanOrEqual(29)
})

test('the request that is stamped is the one that was answered, after the service had a new token', async () => {
  let accepted = token
  await using bench = await startBench(answering, 4, () => accepted)
  accepted = 'generated-anew'
  await writeDiscovery(bench.folder, { port: bench.server.port, token: accepted })
  const audio = await recordingOf(bench.folder, 100_000)
  const { outcome, times, bodyBytes } = await transcribe(bench.connection, audio)
  expect(outcome.ok).toBe(true)
  expect(times.firstByteAtMs).not.toBeNull()
  const sendings = bench.server.seen.filter(({ url }) => url === '/transcribe')
  expect(sendings.map(({ body }) => body.length)).toEqual([bodyBytes, bodyBytes])
})

test('an answer that does not come in time is timed out, and the connection can be used again', async () => {
  let isSilent = true
  await using bench = await startBench((seen, response, request) => {
    if (!isSilent) return answering(seen, response, request)
    isSilent = false
  }, 1)
  const audio = await recordingOf(bench.folder, 10)
  const { outcome, times } = await transcribe(bench.connection, audio, { timeoutMs: 50 })
  expect(outcome).toEqual({ ok: false, failure: { kind: 'timedOut', afterMs: 50 } })
  expect(times.firstByteAtMs).toBeNull()
  expect(times.endedAtMs - times.sentAtMs).toBeGreaterThanOrEqual(49)
  expect((await transcribe(bench.connection, audio)).outcome.ok).toBe(true)
})

test('an answer that stalls in its body is timed out, with the moment of its first byte', async () => {
  await using bench = await startBench((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"ok": true,')
  })
  const { outcome, times } = await transcribe(bench.connection, await recordingOf(bench.folder, 10), {
    timeoutMs: 200,
  })
  expect(outcome).toMatchObject({ ok: false, failure: { kind: 'timedOut' } })
  expect(times.firstByteAtMs).not.toBeNull()
})

test('a request that is aborted is dropped, whether it was on its way or not', async () => {
  const controller = new AbortController()
  await using bench = await startBench(() => controller.abort())
  const audio = await recordingOf(bench.folder, 200_000)
  for (const state of ['on its way', 'not begun']) {
    const { outcome } = await transcribe(bench.connection, audio, { signal: controller.signal })
    expect(outcome, state).toEqual({ ok: false, failure: { kind: 'dropped' } })
  }
  expect(bench.server.seen.filter(({ url }) => url === '/transcribe')).toHaveLength(1)
})

test('a request that waits for a free socket can be dropped before it was ever sent', async () => {
  await using bench = await startBench(() => undefined, 1)
  const audio = await recordingOf(bench.folder, 200_000)
  const controller = new AbortController()
  const first = transcribe(bench.connection, audio, { signal: controller.signal })
  const second = transcribe(bench.connection, audio, { signal: controller.signal })
  await expect.poll(() => bench.server.seen.at(-1)?.url).toBe('/transcribe')
  controller.abort()
  for (const { outcome } of await Promise.all([first, second])) {
    expect(outcome).toEqual({ ok: false, failure: { kind: 'dropped' } })
  }
})

test('what was dropped while it waited is told at once, and never sent', async () => {
  let answerFirst: () => void = () => undefined
  await using bench = await startBench((seen, response, request) => {
    answerFirst = () => void answering(seen, response, request)
  }, 1)
  const controller = new AbortController()
  const audio: AudioInput = { transport: 'path', path: '/recordings/a.wav' }
  const first = transcribe(bench.connection, audio)
  const second = transcribe(bench.connection, audio, { signal: controller.signal })
  await expect.poll(() => bench.server.seen.at(-1)?.url).toBe('/transcribe')
  controller.abort()
  expect((await second).outcome).toEqual({ ok: false, failure: { kind: 'dropped' } })
  answerFirst()
  expect((await first).outcome.ok).toBe(true)
  await bench.connection.health()
  expect(bench.server.seen.filter(({ url }) => url === '/transcribe')).toHaveLength(1)
})

test('a recording that is gone or not as long as planned is unsendable, and nothing is sent', async () => {
  await using bench = await startBench(answering)
  const audio = await recordingOf(bench.folder, 10)
  const gone = await transcribe(bench.connection, { ...audio, path: `${audio.path}.gone` })
  expect(gone.outcome).toEqual({
    ok: false,
    failure: { kind: 'unsendable', reason: `${audio.path}.gone cannot be read (ENOENT)` },
  })
  const longer = await transcribe(bench.connection, { ...audio, sizeBytes: 9 })
  expect(longer.outcome).toEqual({
    ok: false,
    failure: { kind: 'unsendable', reason: `${audio.path} has changed: 9 bytes planned, 10 found` },
  })
  const folder = await transcribe(bench.connection, { ...audio, path: bench.folder, sizeBytes: 0 })
  expect(folder.outcome).toMatchObject({ ok: false, failure: { kind: 'unsendable' } })
  expect(bench.server.seen.map(({ url }) => url)).not.toContain('/transcribe')
})

test.each([
  ['grows', (path: string) => appendFile(path, 'more')],
  ['shrinks', (path: string) => truncate(path, 1_000_000)],
  ['is written over', (path: string) => writeFile(path, 'RIFF', { flag: 'r+' })],
])(
  'a recording that %s while it is sent is unsendable, and never completes at the server',
  async (_, change) => {
    await using folder = await temporaryFolder()
    const audio = await recordingOf(folder.path, 30_000_000)
    let wasComplete = false
    // Takes nothing before the file has changed, so that the body cannot be complete by then.
    const hold = serviceWith(async (_seen, _response, request) => {
      await change(audio.path)
      request.on('end', () => {
        wasComplete = true
      })
      request.resume()
    })
    await using server = await startOddServer(hold, { readsBody: false })
    await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
    const { outcome, bodyBytes } = await transcribe(connection, audio)
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: 'unsendable', reason: expect.stringContaining(`${audio.path} has changed`) },
    })
    expect(bodyBytes).toBeGreaterThan(40_000_000)
    expect(wasComplete).toBe(false)
  },
)

test('a refusal that comes before the body is sent is a refusal', async () => {
  const error = { code: 'INVALID_REQUEST', message: 'Request exceeds the configured limit.' }
  await using folder = await temporaryFolder()
  const refuse = serviceWith((_, response, request) => {
    sendJson(response, { ok: false, error })
    request.resume()
  })
  await using server = await startOddServer(refuse, { readsBody: false })
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  const { outcome } = await transcribe(connection, await recordingOf(folder.path, 5_000_000))
  expect(outcome).toMatchObject({ ok: false, failure: { kind: 'refused', code: 'INVALID_REQUEST' } })
})

test('a server that dies while it is sent to is unreachable, not the file’s fault', async () => {
  await using folder = await temporaryFolder()
  const dying = serviceWith((_, response) => void response.socket?.resetAndDestroy())
  await using server = await startOddServer(dying, { readsBody: false })
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  const { outcome } = await transcribe(connection, await recordingOf(folder.path, 5_000_000))
  expect(outcome).toEqual({
    ok: false,
    failure: { kind: 'unreachable', cause: expect.stringMatching(/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/) },
  })
})

test('many recordings at once each get their own answer', async () => {
  await using bench = await startBench((seen, response) => {
    const { audio_base64 } = JSON.parse(String(seen.body)) as { audio_base64: string }
    sendJson(response, { ...answer, text: String(Buffer.from(audio_base64, 'base64').length) })
  }, 4)
  const sizes = Array.from({ length: 40 }, (_, position) => 1 + position * 5_000)
  const results = await Promise.all(
    sizes.map(async (size) => transcribe(bench.connection, await recordingOf(bench.folder, size))),
  )
  expect(results.map(({ outcome }) => (outcome.ok ? outcome.value.text : outcome))).toEqual(sizes.map(String))
})
