import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answer, startBench } from '../client/transcription-bench.ts'

/** Client libraries and servers give up after 300 s by default. */
const beyondDefaultsMs = 301_000

/** Both at once: the waiting is most of it. */
test.concurrent.each(['head', 'body'])(
  'an answer that takes longer than any library waits by default is an answer: late in its %s',
  async (late) => {
    await using bench = await startBench(async (_, response) => {
      const body = JSON.stringify(answer)
      if (late === 'head') await sleep(beyondDefaultsMs)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.write(body.slice(0, 1))
      if (late === 'body') await sleep(beyondDefaultsMs)
      response.end(body.slice(1))
    })
    const { outcome, times } = await bench.connection.transcribe({
      audio: { transport: 'path', path: '/audio/0001.wav' },
      options: { engine: 'moonshine', model: 'moonshine-tiny' },
      timeoutMs: 400_000,
    })
    expect(outcome.ok).toBe(true)
    expect(times.endedAtMs - times.sentAtMs).toBeGreaterThan(beyondDefaultsMs - 1_000)
  },
  340_000,
)
