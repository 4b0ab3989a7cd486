import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answer, startBench } from '../client/transcription-bench.ts'

/** Client libraries and servers give up after 300 s unless told otherwise. */
const beyondDefaultsMs = 301_000

test('an answer that takes longer than any library waits by default is an answer: late in its head, or in its body', async () => {
  let received = 0
  await using bench = await startBench(async (_, response) => {
    received += 1
    const body = JSON.stringify(answer)
    if (received === 1) await sleep(beyondDefaultsMs)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.write(body.slice(0, 1))
    if (received === 2) await sleep(beyondDefaultsMs)
    response.end(body.slice(1))
  })
  const call = {
    audio: { transport: 'path', path: '/audio/0001.wav' },
    options: { engine: 'moonshine', model: 'moonshine-tiny' },
    timeoutMs: 400_000,
  } as const
  const results = await Promise.all([bench.connection.transcribe(call), bench.connection.transcribe(call)])
  for (const { outcome, times } of results) {
    expect(outcome.ok).toBe(true)
    expect(times.endedAtMs - times.sentAtMs).toBeGreaterThan(beyondDefaultsMs - 1_000)
  }
}, 340_000)
