import { expect, test } from 'vitest'
import { failed, succeeded } from '#prelude'
import { createTranscriber } from '../../src/service/transcription/transcriber.ts'
import { createLane, createMemory, minMemoryBytes } from '../../src/service/waiting.ts'
import { type Answer, base64, startWatched, type TestService, tone } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const audio_base64 = base64(tone(0.1))

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

test('one model refuses one request more than may wait, at once', async () => {
  await using started = await startWatched({ otherwise: { hang: true } }, { concurrency: 1, maxQueue: 1 })
  const first = askAndLeave(started)
  await started.until(1, 'started')
  const others = [ask(started), ask(started)]
  expect((await Promise.race(others)).json).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } })
  await started.service.stop()
  await Promise.all([first.leave(), ...others])
})

test('a client that goes away ends the work for it, and the next one has its place', async () => {
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

test('the time-out of the service answers TIMEOUT, and the next request has the place', async () => {
  // Long enough for the start of what decodes, which is part of the first request.
  await using started = await startWatched(
    { inOrder: [{ hang: true }], otherwise: { text: 'next' } },
    { concurrency: 1, requestTimeoutSeconds: 15 },
  )
  expect(await ask(started)).toMatchObject({ status: 200, json: { ok: false, error: { code: 'TIMEOUT' } } })
  expect((await ask(started)).json).toMatchObject({ ok: true, text: 'next' })
})

test('stopping answers what is under way with a failure, and unloads the models', async () => {
  await using started = await startWatched({ otherwise: { hang: true } }, { concurrency: 2 })
  const asked = [ask(started), ask(started)]
  await started.until(2, 'started')
  await started.service.stop()
  for (const answer of await Promise.all(asked)) {
    expect(answer.json).toMatchObject({ ok: false, error: { code: 'TRANSCRIPTION_FAILED' } })
  }
  expect(started.events.at(-1)).toEqual({ kind: 'unloaded', model: 'it' })
})

test('as many long recordings wait as before after thousands of them were refused', async () => {
  const never = new AbortController().signal
  const waiting = createLane(2)
  const before = waiting.reserve(never)
  before?.tryTake(2)
  const transcriber = createTranscriber({
    requestTimeoutSeconds: 60,
    anyLanguage: false,
    logTexts: false,
    memory: { ...createMemory(minMemoryBytes), waiting },
    decoder: { decode: async () => succeeded(null), close: async () => undefined },
    models: {
      maxClipSeconds: () => 30,
      transcribe: async () => failed({ code: 'TIMEOUT', message: 'It was accepted.' }),
    },
    log: () => undefined,
  })
  const [model] = scriptedCatalogue({ it: {} }).models
  if (model === undefined) throw new Error('there is no model')
  const send = () =>
    transcriber.transcribe({ bytes: new Uint8Array(1), fileName: null, model, mode: null }, never)
  for (let count = 0; count < 4_096; count += 1) {
    expect(await send()).toMatchObject({ failure: { code: 'RATE_LIMITED' } })
  }
  before?.[Symbol.dispose]()
  expect([await send(), await send()]).toMatchObject([
    { failure: { message: 'It was accepted.' } },
    { failure: { message: 'It was accepted.' } },
  ])
})
