import { expect, test } from 'vitest'
import type { TranscribeResult } from '#client/connection'
import { systemClock } from '#load/clock'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  connectTo,
  type Handler,
  sendJson,
  serviceWith,
  startOddServer,
  writeDiscovery,
} from './odd-server.ts'
import { answer, answering, recordingOf, startBench, transcribe } from './transcription-bench.ts'

function stampsOf({ times }: TranscribeResult): {
  readonly sentAtMs: number
  readonly startedAtMs: number
  readonly connectMs: number
  readonly uploadedAtMs: number
  readonly firstByteAtMs: number
  readonly endedAtMs: number
} {
  const { socket, firstByteAtMs, sentAtMs, endedAtMs } = times
  if (socket === undefined || socket.uploadedAtMs === null || firstByteAtMs === null) {
    throw new TypeError(`not all stamps are there: ${JSON.stringify(times)}`)
  }
  return { ...socket, uploadedAtMs: socket.uploadedAtMs, firstByteAtMs, sentAtMs, endedAtMs }
}

test('a request reports when it had a socket and when its body was out, in order', async () => {
  await using bench = await startBench(answering)
  const audio = await recordingOf(bench.folder, 1000)
  const stamps = stampsOf(await transcribe(bench.connection, audio))
  const { sentAtMs, startedAtMs, uploadedAtMs, firstByteAtMs, endedAtMs } = stamps
  const inOrder = [sentAtMs, startedAtMs, uploadedAtMs, firstByteAtMs, endedAtMs]
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
})

test('connecting is reported for the request that had to, and for no other', async () => {
  // Answered when all of them are there, so that each has a separate socket.
  let waiting: (() => void)[] = []
  const together: Handler = (seen, response, request) => {
    waiting.push(() => answering(seen, response, request))
    if (waiting.length < 8) return
    for (const answerNow of waiting) answerNow()
    waiting = []
  }
  await using bench = await startBench(together, 8)
  const audio = await recordingOf(bench.folder, 1000)
  const eight = (): Promise<TranscribeResult[]> =>
    Promise.all(Array.from({ length: 8 }, () => transcribe(bench.connection, audio)))
  // Some sockets were opened when the server was found; the others have to be.
  const connecting = (await eight()).map(stampsOf).filter(({ connectMs }) => connectMs > 0)
  expect(connecting.length).toBeGreaterThan(0)
  expect(connecting.length).toBeLessThan(8)
  for (const { sentAtMs, startedAtMs, connectMs } of connecting) {
    expect(connectMs).toBeLessThanOrEqual(startedAtMs - sentAtMs)
  }
  expect((await eight()).map((result) => stampsOf(result).connectMs)).toEqual(Array(8).fill(0))
})

test('waiting for the only socket is distinguished from connecting', async () => {
  await using bench = await startBench(answering, 1)
  const audio = await recordingOf(bench.folder, 1000)
  const both = await Promise.all([transcribe(bench.connection, audio), transcribe(bench.connection, audio)])
  const [first, second] = both.map(stampsOf).toSorted((a, b) => a.startedAtMs - b.startedAtMs)
  expect(second?.startedAtMs).toBeGreaterThanOrEqual(first?.endedAtMs ?? Number.POSITIVE_INFINITY)
  expect(second?.connectMs).toBe(0)
})

test('an upload lasts as long as the server does not read', async () => {
  await using folder = await temporaryFolder()
  const audio = await recordingOf(folder.path, 12_000_000)
  let readFromMs = 0
  const hold = serviceWith(async (_seen, response, request) => {
    // The client is given turns to fill every buffer on the way.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    readFromMs = systemClock.nowMs()
    request.on('end', () => sendJson(response, answer)).resume()
  })
  await using server = await startOddServer(hold, { readsBody: false })
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  const { uploadedAtMs, firstByteAtMs } = stampsOf(await transcribe(connection, audio))
  expect(uploadedAtMs).toBeGreaterThan(readFromMs)
  expect(firstByteAtMs).toBeGreaterThanOrEqual(uploadedAtMs)
})
