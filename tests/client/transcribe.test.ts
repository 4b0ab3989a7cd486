import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type AudioInput, countBodyBytes } from '#client/connection'
import { type Handler, sendJson, token, writeDiscovery } from './odd-server.ts'
import { answer, answering, modeId, recordingOf, startBench, transcribe } from './transcription-bench.ts'

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
  'a recording of %i bytes arrives as it is, with its length sent before it is read',
  async (sizeBytes) => {
    await using bench = await startBench(answering)
    const audio = await recordingOf(bench.folder, sizeBytes)
    const { outcome, bodyBytes } = await transcribe(bench.connection, audio)
    expect(outcome.ok).toBe(true)
    expect(bodyBytes).toBe(countBodyBytes(audio, { mode_id: modeId }))
    const seen = bench.server.seen.at(-1)
    expect(seen?.headers).toMatchObject({
      'content-length': String(bodyBytes),
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    })
    expect(seen?.headers['transfer-encoding']).toBeUndefined()
    const { audio_base64, ...others } = JSON.parse(String(seen?.body)) as { audio_base64: string }
    expect(others).toEqual({ mode_id: modeId, mime_type: 'audio/wav' })
    const expected = await readFile(audio.path)
    expect(audio_base64 === expected.toString('base64')).toBe(true)
  },
)

test.each([0, 1, 49_152, 49_153, 1_000_000])(
  'a recording of %i bytes arrives as a form, as it is, with its length sent before it is read',
  async (sizeBytes) => {
    await using bench = await startBench(answering)
    const audio = { ...(await recordingOf(bench.folder, sizeBytes)), transport: 'multipart' as const }
    const { outcome, bodyBytes } = await transcribe(bench.connection, audio)
    expect(outcome.ok).toBe(true)
    expect(bodyBytes).toBe(countBodyBytes(audio, { mode_id: modeId }))
    const seen = bench.server.seen.at(-1)
    expect(seen?.headers['content-length']).toBe(String(bodyBytes))
    const form = await new Response(new Uint8Array(seen?.body ?? []), {
      headers: { 'content-type': seen?.headers['content-type'] ?? '' },
    }).formData()
    expect(form.get('mode_id')).toBe(modeId)
    const part = form.get('audio')
    if (!(part instanceof File)) throw new Error('the audio is no file')
    expect(part.type).toBe('audio/wav')
    const expected = await readFile(audio.path)
    expect(expected.equals(new Uint8Array(await part.arrayBuffer()))).toBe(true)
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
  expect(endedAtMs - sentAtMs).toBeGreaterThanOrEqual(58)
  // On a busy machine both parts of the answer may be read at once.
  expect(endedAtMs).toBeGreaterThanOrEqual(Number(firstByteAtMs))
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
  expect(outcome).toEqual({ ok: false, failure: { kind: 'timedOut', afterMs: 50, during: 'waiting' } })
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

test('what was dropped while it waited is reported at once, and never sent', async () => {
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
