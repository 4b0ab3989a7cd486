import { createHash } from 'node:crypto'
import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { connectTo, sendJson, serviceWith, startOddServer, writeDiscovery } from './odd-server.ts'
import { answer, answering, recordingOf, startBench, transcribe } from './transcription-bench.ts'

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

test('a short recording is read once and sent again as it was; a long one is read each time', async () => {
  await using bench = await startBench(answering)
  const sentTwice = async (sizeBytes: number) => {
    const audio = await recordingOf(bench.folder, sizeBytes)
    const first = await transcribe(bench.connection, audio)
    await rm(audio.path)
    const second = await transcribe(bench.connection, audio)
    const bodies = bench.server.seen.flatMap(({ url, body }) => (url === '/transcribe' ? [String(body)] : []))
    return { oks: [first.outcome.ok, second.outcome.ok], areAlike: bodies.at(-1) === bodies.at(-2) }
  }
  expect(await sentTwice(3_000_000)).toEqual({ oks: [true, true], areAlike: true })
  expect((await sentTwice(3_200_000)).oks).toEqual([true, false])
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

test.each(['base64', 'multipart'] as const)(
  'a recording in %s arrives unchanged at a server that takes less than the sockets hold',
  async (transport) => {
    const pieces: Buffer[] = []
    const slow = serviceWith(async (_seen, response, request) => {
      // Client and server share this event loop: in so many turns the client fills all buffers of the system.
      for (let turn = 0; turn < 2_000; turn += 1) await setImmediate()
      for await (const piece of request) {
        pieces.push(piece as Buffer)
        await setImmediate()
      }
      sendJson(response, answer)
    })
    await using folder = await temporaryFolder()
    await using server = await startOddServer(slow, { readsBody: false })
    await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
    const audio = { ...(await recordingOf(folder.path, 12_000_000)), transport }
    expect((await transcribe(connection, audio)).outcome.ok).toBe(true)
    const body = Buffer.concat(pieces)
    const expected = await readFile(audio.path)
    const sent =
      transport === 'base64'
        ? Buffer.from((JSON.parse(String(body)) as { audio_base64: string }).audio_base64, 'base64')
        : body
            .subarray(body.lastIndexOf('\r\n\r\n', body.length - expected.length) + 4)
            .subarray(0, expected.length)
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
    expect(digest(sent)).toBe(digest(expected))
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
    failure: {
      kind: 'unreachable',
      cause: expect.stringMatching(/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/),
      during: 'waiting',
    },
  })
})
