import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { base64, startTestService, type TestService, tone } from './running-service.ts'

const mebibyte = 2 ** 20

interface Dripping extends AsyncDisposable {
  /** What the service has said to each, so far. */
  answers(): readonly string[]
}

interface Uploads {
  readonly count: number
  readonly announcedBytes: number
  readonly atOnceBytes: number
}

/** Uploads that announce so much, send a part of it at once, and then a byte now and then. */
async function drip(
  { service }: TestService,
  { count, announcedBytes, atOnceBytes }: Uploads,
): Promise<Dripping> {
  const said: string[] = []
  const sockets = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Socket> => {
      const socket = connect(service.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.setEncoding('utf8').on('data', (text) => {
        said[index] = (said[index] ?? '') + text
      })
      await once(socket, 'connect')
      socket.write(
        `POST /transcribe HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${announcedBytes}\r\n\r\n{"audio_base64":"`,
      )
      socket.write(Buffer.alloc(atOnceBytes, 'A'))
      return socket
    }),
  )
  await untilTaken(sockets)
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('A')
  }, 100)
  return {
    answers: () => said.filter((text) => text !== undefined),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Waits until the service has taken what it will take of what was sent. */
async function untilTaken(sockets: readonly Socket[]): Promise<void> {
  let before = -1
  for (;;) {
    const waiting = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0)
    if (waiting === before) return
    before = waiting
    await sleep(300)
  }
}

/** Sends a small clip, or one that is large for a body. */
async function ask(started: TestService, seconds: number): Promise<void> {
  const audio_base64 = base64(tone(seconds))
  const answer = await started.transcribe({ engine: 'scripted', model: 'echo', audio_base64 })
  expect(answer.json).toMatchObject({ ok: true, text: 'Hello world.' })
}

describe('uploads that drip', () => {
  test.each([
    ['and have sent next to nothing', { count: 24, announcedBytes: 48 * mebibyte, atOnceBytes: 100 }],
    [
      'and fill the memory for small bodies',
      { count: 30, announcedBytes: 2 * mebibyte, atOnceBytes: 2_000_000 },
    ],
    [
      'and fill the memory for large bodies',
      { count: 24, announcedBytes: 40 * mebibyte, atOnceBytes: 3 * mebibyte },
    ],
  ])('%s hold up no other client', async (_what, uploading) => {
    await using started = await startTestService()
    await using dripping = await drip(started, uploading)
    // Both would wait for the five minutes that an upload may take, and this test does not last as long.
    await ask(started, 5)
    await ask(started, 80)
    for (const answer of dripping.answers()) expect(answer).toContain('"RATE_LIMITED"')
  })

  test('are left alone while no request waits', async () => {
    await using started = await startTestService()
    await using dripping = await drip(started, {
      count: 24,
      announcedBytes: 40 * mebibyte,
      atOnceBytes: mebibyte,
    })
    await sleep(2_500)
    expect(dripping.answers()).toEqual([])
  })
})
