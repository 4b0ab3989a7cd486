import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { Transcription } from '#contract/transcription'
import { type Answer, base64, startTestService, type TestService, tone } from './running-service.ts'
import { type ScriptedCall, type ScriptedModel, scriptedCatalogue } from './scripted-catalogue.ts'

const clip = tone(0.25)
const audio_base64 = base64(clip)
const segments = [{ id: 0, start: 0, end: 0.2, text: 'Hello world.' }]
const words = [{ word: 'Hello', start: 0, end: 0.1 }]
const calls: ScriptedCall[] = []

const models: Readonly<Record<string, ScriptedModel>> = {
  echo: {
    otherwise: (call) => {
      calls.push(call)
      return { text: 'Hello world.' }
    },
  },
  timed: { otherwise: { text: 'Hello world.', segments, words } },
  silent: {},
  shaky: { byFile: { 'a.wav': { failure: 'TRANSCRIPTION_FAILED' } }, otherwise: { text: 'Fine.' } },
  busy: { otherwise: { failure: 'RATE_LIMITED' } },
  slow: { loadMs: 30, otherwise: { text: 'Late.', delayMs: 20 } },
  absent: { installed: false },
  english: { languages: ['en'], otherwise: { text: 'Hello world.' } },
}

let started: TestService

beforeAll(async () => {
  started = await startTestService({ catalogue: scriptedCatalogue(models) })
  await writeFile(join(started.folder, 'recordings', 'a.wav'), clip)
})
afterAll(() => started[Symbol.asyncDispose]())

function transcription(answer: Answer): Transcription {
  return endpoints.transcribe.answer.parse(answer.json)
}

function expectRefused(answer: Answer, code: string, status = 200): void {
  expect(answer).toMatchObject({ status, json: { ok: false, error: { code } } })
}

const echo = { engine: 'scripted', model: 'echo' }

const createMode = (fields: object): Promise<string> => started.createMode({ model: 'echo', ...fields })

describe('a transcription', () => {
  test('comes with the text as the engine gave it where that is asked for, as JSON and as a form', async () => {
    const asked = await started.transcribe({ ...echo, audio_base64, raw_text: true })
    expect(asked.json).toMatchObject({ raw_text: 'Hello world.' })
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...echo, raw_text: 'true' })) form.append(name, value)
    form.append('audio', new File([clip], 'a.wav', { type: 'audio/wav' }))
    const request = new Request(started.service.baseUrl, { method: 'POST', body: form })
    const sent = await started.send('POST', '/transcribe', {
      body: new Uint8Array(await request.arrayBuffer()),
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    })
    expect(sent.json).toMatchObject({ raw_text: 'Hello world.' })
    for (const unasked of [{}, { raw_text: false }, { raw_text: null }]) {
      expect((await started.transcribe({ ...echo, audio_base64, ...unasked })).json).not.toHaveProperty(
        'raw_text',
      )
    }
    expectRefused(await started.transcribe({ ...echo, audio_base64, raw_text: 'maybe' }), 'INVALID_REQUEST')
  })

  test('writes a vocabulary of 10,000 words, which no line of the log repeats', async () => {
    await using own = await startTestService()
    const customVocabulary = ['WORLD', ...Array.from({ length: 9_999 }, (_, index) => `Entry${index}`)]
    const mode_id = await own.createMode({ name: 'Words', model: 'echo', customVocabulary })
    const answer = await own.transcribe({ mode_id, audio_base64 })
    expect(answer.json).toMatchObject({ ok: true, text: 'Hello WORLD.' })
    expect(own.logged.length).toBeGreaterThan(1)
    expect(JSON.stringify(own.logged)).not.toContain('Entry1')
  })

  test('is the same by path and as base64, and the engine hears the same audio', async () => {
    calls.length = 0
    const byPath = await started.transcribe({ ...echo, file: join(started.folder, 'recordings', 'a.wav') })
    const carried = await started.transcribe({ ...echo, audio_base64 })
    expect(transcription(byPath).text).toBe(transcription(carried).text)
    const [first, second] = calls
    expect(first).toMatchObject({ fileName: 'a.wav', durationSeconds: 0.25, language: null })
    expect(second).toEqual({ ...first, index: (first?.index ?? 0) + 1, fileName: null })
  })

  test('counts the loading of the model once, and the decoding every time', async () => {
    const send = (): Promise<Answer> => started.transcribe({ engine: 'local', model: 'slow', audio_base64 })
    const cold = transcription(await send())
    expect(cold.timings.load_ms).toBeGreaterThanOrEqual(30)
    expect(cold.timings.decode_ms).toBeGreaterThanOrEqual(20)
    expect(cold.latency_ms).toBeGreaterThanOrEqual(50)
    const warm = transcription(await send())
    expect(warm.timings.load_ms).toBe(0)
    expect(warm.timings.decode_ms).toBeGreaterThanOrEqual(20)
  })

  test('without speech is an empty text', async () => {
    const answer = await started.transcribe({ engine: 'scripted', model: 'silent', audio_base64 })
    expect(answer.json).toMatchObject({ ok: true, text: '' })
  })

  test.each([
    [['segment'], [true, false]],
    [['word'], [false, true]],
  ])(
    'asked for the times of %j alone has no others',
    async (timestamp_granularities, [hasSegments, hasWords]) => {
      const asked = { engine: 'scripted', model: 'timed', audio_base64, timestamp_granularities }
      const answer = await started.transcribe(asked)
      expect(answer.json['segments']).toEqual(hasSegments ? segments : undefined)
      expect(answer.json['words']).toEqual(hasWords ? words : undefined)
    },
  )

  test('leaves times out that the engine does not have', async () => {
    const answer = await started.transcribe({
      ...echo,
      audio_base64,
      timestamp_granularities: ['segment', 'word'],
    })
    expect(answer.json['ok']).toBe(true)
    expect(answer.json).not.toHaveProperty('segments')
    expect(answer.json).not.toHaveProperty('words')
  })
})

describe('a request', () => {
  test.each([
    ['a model without engine or Mode', { audio_base64, model: 'echo' }],
    ['an engine without a model', { audio_base64, engine: 'scripted' }],
    ['a relative path', { ...echo, file: 'a.wav' }],
    ['an empty path', { ...echo, file: '' }],
    ['a path with a null character', { ...echo, file: '/tmp/a\0.wav' }],
    ['a number for a path', { ...echo, file: 5 }],
    ['unknown times', { ...echo, audio_base64, timestamp_granularities: ['phoneme'] }],
    ['no text for a language', { ...echo, audio_base64, language: 5 }],
  ])('with %s is refused', async (_what, body) => {
    expectRefused(await started.transcribe(body), 'INVALID_REQUEST')
  })

  test.each([
    ['a byte that is no character', Buffer.from([...Buffer.from('{"model":"'), 0xff, ...Buffer.from('"}')])],
    ['half of a character', Buffer.from('{"model":"é"}', 'latin1')],
    ['such a key', Buffer.from('{"\u00e9":1}', 'latin1')],
    ['a byte order mark', Buffer.from('\ufeff{"model":"echo"}')],
  ])('with text that is not UTF-8 is HTTP 400: %s', async (_what, body) => {
    for (const path of ['/transcribe', '/modes', '/post-process']) {
      const answer = await started.send('POST', path, { body })
      expect(answer).toMatchObject({ status: 400, json: { error: { message: 'Invalid JSON body' } } })
    }
  })

  test.each(['{"model":"\\ud83d"}', '{"\\uDE00":1}', '{"model":"a","x":[{"y":"\\ud83dx"}]}'])(
    'with half a character in a text is refused: %s',
    async (body) => {
      for (const path of ['/transcribe', '/modes', '/post-process']) {
        const { json } = await started.send('POST', path, { body })
        expect(json.error?.message).toMatch(/lone surrogate/)
      }
    },
  )

  test('with unknown fields is answered all the same, whatever content type it names', async () => {
    for (const type of ['application/json; charset=utf-8', 'text/plain', undefined]) {
      const body = JSON.stringify({ ...echo, audio_base64, temperature: 0.2 })
      const answer = await started.send('POST', '/transcribe', { body, headers: { 'content-type': type } })
      expect(answer.json['ok']).toBe(true)
    }
  })

  test.each([
    ['the name of another family', { engine: 'engine_a', model: 'echo' }, 'ENGINE_UNAVAILABLE'],
    ['the word for models of the cloud', { engine: 'scripted', model: 'cloud' }, 'MODEL_NOT_FOUND'],
  ])('for an engine of this machine does not take %s', async (_what, wanted, code) => {
    expectRefused(await started.transcribe({ ...wanted, audio_base64 }), code)
  })

  test('gets the code that the engine failed with', async () => {
    const file = join(started.folder, 'recordings', 'a.wav')
    expectRefused(
      await started.transcribe({ engine: 'scripted', model: 'shaky', file }),
      'TRANSCRIPTION_FAILED',
    )
    const busy = await started.transcribe({ engine: 'scripted', model: 'busy', audio_base64 })
    expectRefused(busy, 'RATE_LIMITED')
    expect(busy.headers['retry-after']).toBe('1')
    const other = await started.transcribe({ engine: 'scripted', model: 'shaky', audio_base64 })
    expect(other.json).toMatchObject({ ok: true, text: 'Fine.' })
  })
})

describe('a language', () => {
  const english = { engine: 'scripted', model: 'english', audio_base64 }

  test.each(['de', 'zh-Hans', 'enm'])(
    'that the model cannot do is refused, not answered in another: %s',
    async (language) => {
      const answer = await started.transcribe({ ...english, language })
      expectRefused(answer, 'INVALID_REQUEST')
      expect(answer.json.error).toEqual({
        code: 'INVALID_REQUEST',
        message: `The model english transcribes en, not ${language}.`,
        hint: `Name a model for ${language}, or send language "auto".`,
      })
      const mode_id = await createMode({ name: `In ${language}`, model: 'english', language })
      expectRefused(await started.transcribe({ mode_id, audio_base64 }), 'INVALID_REQUEST')
    },
  )

  test.each(['en', 'en-GB', 'EN-us', 'auto'])('that it can do is taken: %s', async (language) => {
    expect((await started.transcribe({ ...english, language })).json).toMatchObject({ ok: true })
  })

  test.each(['not a language', 'e', `en-${'a-'.repeat(1_000)}`])(
    'that is no tag is refused: %s',
    async (language) => {
      for (const model of ['english', 'echo']) {
        expectRefused(await started.transcribe({ ...english, model, language }), 'INVALID_REQUEST')
      }
    },
  )

  test('is any where the operator allows it', async () => {
    await using lenient = await startTestService({ catalogue: scriptedCatalogue(models), anyLanguage: true })
    expect((await lenient.transcribe({ ...english, language: 'de' })).json).toMatchObject({ ok: true })
  })
})

describe('a Mode', () => {
  test('says which model, which language and how the text is written', async () => {
    const mode_id = await createMode({
      name: 'Plain',
      language: 'de',
      punctuation: false,
      capitalization: false,
      removeTrailingPeriod: true,
    })
    const answer = await started.transcribe({ mode_id, audio_base64, raw_text: true })
    expect(answer.json).toMatchObject({
      text: 'hello world',
      raw_text: 'Hello world.',
      model: 'echo',
      language: 'de',
    })
    const upperCase = await started.transcribe({ mode_id: mode_id.toUpperCase(), audio_base64 })
    expect(upperCase.json).toMatchObject({ text: 'hello world' })
  })

  test('gives way to what the request says itself', async () => {
    const mode_id = await createMode({ name: 'Overridden', model: 'absent', language: 'de' })
    const answer = await started.transcribe({ mode_id, audio_base64, model: 'timed', language: 'fr' })
    expect(answer.json).toMatchObject({ ok: true, model: 'timed', language: 'fr' })
    expectRefused(await started.transcribe({ mode_id, audio_base64 }), 'MODEL_NOT_INSTALLED')
  })

  test('of the cloud has no engine here', async () => {
    const mode_id = await createMode({ name: 'Cloud', model: 'cloud', cloudProvider: 'somebody' })
    expectRefused(await started.transcribe({ mode_id, audio_base64 }), 'ENGINE_UNAVAILABLE')
  })

  test('of the cloud that names no provider says that the Mode lacks it', async () => {
    const mode_id = await createMode({ name: 'Unfinished', model: 'cloud' })
    expect((await started.transcribe({ mode_id, audio_base64 })).json).toMatchObject({
      error: {
        code: 'ENGINE_UNAVAILABLE',
        message: 'The Mode "Unfinished" transcribes in the cloud, and names no cloudProvider.',
      },
    })
  })
})

describe('audio', () => {
  test('of no characters cannot be decoded', async () => {
    expectRefused(await started.transcribe({ ...echo, audio_base64: '' }), 'AUDIO_DECODE_FAILED')
  })
  test('may lie in a folder that the operator allows, at any depth', async () => {
    const allowed = join(started.folder, 'allowed')
    await mkdir(join(allowed, 'deep', 'deeper'), { recursive: true })
    const file = join(allowed, 'deep', 'deeper', 'ünï côdé.wav')
    await copyFile(join(started.folder, 'recordings', 'a.wav'), file)
    await using other = await startTestService({ allowDirs: [allowed] })
    expect((await other.transcribe({ ...echo, file })).json).toMatchObject({ ok: true })
  })
})
