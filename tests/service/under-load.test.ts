import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type ScriptedEvent, type ScriptedModel, scriptedCatalogue } from '#service/engines/scripted'
import type { ServiceOptions } from '#service/settings'
import { type Answer, base64, startTestService, type TestService, tone } from './running-service.ts'

const audio_base64 = base64(tone(0.1))

/** A service with one scripted model, `it`, whose calls can be waited for. */
async function startWatched(
  script: ScriptedModel,
  options: ServiceOptions = {},
): Promise<
  TestService & { readonly events: ScriptedEvent[]; until(count: number, kind: string): Promise<void> }
> {
  const events: ScriptedEvent[] = []
  const waiting: (() => void)[] = []
  const observe = (event: ScriptedEvent): void => {
    events.push(event)
    for (const check of waiting) check()
  }
  const started = await startTestService({
    catalogue: scriptedCatalogue({ it: script }, observe),
    ...options,
  })
  const until = (count: number, kind: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (events.filter((event) => event.kind === kind).length >= count) resolve()
      }
      waiting.push(check)
      check()
    })
  return { ...started, events, until }
}

const ask = (started: TestService, signal?: AbortSignal): Promise<Answer> =>
  started.transcribe({ engine: 'scripted', model: 'it', audio_base64 }, signal)

/** A request whose client goes away on command. */
function askAndLeave(started: TestService): { leave(): Promise<void> } {
  const controller = new AbortController()
  const asked = ask(started, controller.signal).then(
    () => undefined,
    () => undefined,
  )
  return {
    leave() {
      controller.abort()
      return asked
    },
  }
}

describe('one model', () => {
  test('is loaded once for many first requests, and unloaded at the end', async () => {
    const events: ScriptedEvent[] = []
    {
      await using started = await startWatched({ loadMs: 10 }, { concurrency: 4 })
      await Promise.all(Array.from({ length: 4 }, () => ask(started)))
      events.push(...started.events)
      await started.service.stop()
      expect(started.events.at(-1)).toEqual({ kind: 'unloaded', model: 'it' })
    }
    expect(events.filter((event) => event.kind === 'loaded')).toHaveLength(1)
  })

  test('refuses one request more than may wait, at once', async () => {
    await using started = await startWatched({ otherwise: { hang: true } }, { concurrency: 1, maxQueue: 1 })
    const first = askAndLeave(started)
    await started.until(1, 'started')
    const others = [ask(started), ask(started)]
    expect((await Promise.race(others)).json).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } })
    await started.service.stop()
    await Promise.all([first.leave(), ...others])
  })
})

describe('a client that goes away', () => {
  test('ends the work for it, and the next one has its place', async () => {
    await using started = await startWatched(
      { inOrder: [{ hang: true }], otherwise: { text: 'next' } },
      { concurrency: 1 },
    )
    const leaving = askAndLeave(started)
    await started.until(1, 'started')
    const next = ask(started)
    await leaving.leave()
    expect((await next).json).toMatchObject({ ok: true, text: 'next' })
    expect(started.events.map(({ kind }) => kind)).toEqual([
      'loaded',
      'started',
      'abandoned',
      'started',
      'answered',
    ])
  })
})

describe('the time-out of the service', () => {
  test('answers TIMEOUT, and the next request has the place', async () => {
    // Long enough for the start of what decodes, which is part of the first request.
    await using started = await startWatched(
      { inOrder: [{ hang: true }], otherwise: { text: 'next' } },
      { concurrency: 1, requestTimeoutSeconds: 15 },
    )
    expect(await ask(started)).toMatchObject({ status: 200, json: { ok: false, error: { code: 'TIMEOUT' } } })
    expect((await ask(started)).json).toMatchObject({ ok: true, text: 'next' })
  })
})

describe('stopping', () => {
  test('answers what is under way with a failure, and unloads the models', async () => {
    await using started = await startWatched({ otherwise: { hang: true } }, { concurrency: 2 })
    const asked = [ask(started), ask(started)]
    await started.until(2, 'started')
    await started.service.stop()
    for (const answer of await Promise.all(asked)) {
      expect(answer.json).toMatchObject({ ok: false, error: { code: 'TRANSCRIPTION_FAILED' } })
    }
    expect(started.events.at(-1)).toEqual({ kind: 'unloaded', model: 'it' })
  })

  test('does not wait for a client that never ends its request', async () => {
    await using started = await startWatched({})
    const socket = connect(started.service.port, '127.0.0.1')
    const { port, token } = started.service
    const head = [
      'POST /transcribe HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      'Content-Length: 1000',
      'Expect: 100-continue',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n{`)
    await once(socket, 'data')
    const closed = once(socket.resume(), 'close')
    await started.service.stop()
    await closed
  })
})
