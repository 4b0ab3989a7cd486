import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '#contract/enums'
import { limitMessages } from '#contract/failures'
import { type Answer, base64, startTestService, type TestService, tone } from './running-service.ts'
import { type ScriptedCall, scriptedCatalogue } from './scripted-catalogue.ts'

const calls: ScriptedCall[] = []
const catalogue = scriptedCatalogue({
  echo: {
    otherwise: (call) => {
      calls.push(call)
      return {
        text: 'Hello world.',
        words: [{ word: 'Hello', start: 0, end: 0.1 }],
        segments: [{ id: 0, start: 0, end: 0.1, text: 'Hello' }],
      }
    },
  },
})
let started: TestService

beforeAll(async () => {
  started = await startTestService({ catalogue })
})
afterAll(() => started[Symbol.asyncDispose]())

type Part = readonly [
  name: string,
  content: string | Uint8Array,
  fileName?: string | undefined,
  type?: string | undefined,
]

const boundary = '----boundary'

function multipart(parts: readonly Part[], ending = `--${boundary}--\r\n`): Buffer {
  const pieces = parts.flatMap(([name, content, fileName, type]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
        `${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(ending)])
}

const send = (body: Buffer, type = `multipart/form-data; boundary=${boundary}`): Promise<Answer> =>
  started.send('POST', '/transcribe', { body, headers: { 'content-type': type } })

const clip = tone(0.25)
const audio: Part = ['audio', clip, 'a.wav', 'audio/wav']
const echo: readonly Part[] = [
  ['engine', 'scripted'],
  ['model', 'echo'],
]
const refused = { status: 200, json: { ok: false, error: { code: 'INVALID_REQUEST' } } }

describe('a multipart request', () => {
  test('is transcribed as the same audio in JSON is', async () => {
    calls.length = 0
    const answer = await send(multipart([...echo, audio, ['language', 'en']]))
    expect(answer).toMatchObject({ status: 200, json: { ok: true, text: 'Hello world.', language: 'en' } })
    await started.transcribe({
      engine: 'scripted',
      model: 'echo',
      audio_base64: base64(clip),
      language: 'en',
    })
    expect(calls[1]).toEqual({ ...calls[0], index: 1 })
  })

  test('says of the text of the engine whether it is wanted, in both words', async () => {
    const wanted = await send(multipart([...echo, ['raw_text', 'true'], audio]))
    expect(wanted.json).toMatchObject({ ok: true, raw_text: 'Hello world.' })
    const unwanted = await send(multipart([...echo, ['raw_text', 'false'], audio]))
    expect(unwanted.json).toMatchObject({ ok: true })
    expect(unwanted.json).not.toHaveProperty('raw_text')
  })

  test.each([
    ['a part of another name', ['file', clip, 'a.wav', 'audio/wav']],
    ['base64', ['audio_base64', base64(clip)]],
  ] as const)('with its audio as %s is refused with the name of the part', async (_what, part) => {
    expect(await send(multipart([...echo, part]))).toMatchObject({
      json: { error: { code: 'INVALID_REQUEST', message: 'The form has no part "audio" with the audio.' } },
    })
  })

  test('may have its audio first, and without the name of a file', async () => {
    for (const part of [audio, ['audio', clip] as const, ['audio', clip, undefined, 'audio/wav'] as const]) {
      expect((await send(multipart([part, ...echo]))).json).toMatchObject({ ok: true })
    }
  })

  test.each(['word', '["word"]', ' word '])('takes the times it wants as %j', async (value) => {
    const { json } = await send(multipart([...echo, audio, ['timestamp_granularities', value]]))
    expect(json).toHaveProperty('words')
    expect(json).not.toHaveProperty('segments')
  })

  test.each(['timestamp_granularities', 'timestamp_granularities[]'])(
    'may carry %s more than once',
    async (name) => {
      const parts: Part[] = [...echo, audio, [name, 'segment'], [name, 'word']]
      const { json } = await send(multipart(parts))
      expect(json).toMatchObject({ ok: true, words: [{ word: 'Hello' }], segments: [{ id: 0 }] })
    },
  )

  test('is read to its audio behind other files, and recorded as the type of its audio', async () => {
    await using recording = await startTestService({ catalogue, recordAudio: true })
    const other: Part = ['cover', 'an image', 'cover.png', 'image/png']
    const body = multipart([...echo, other, other, other, ['audio', clip, undefined, 'audio/wav']])
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const { json } = await recording.send('POST', '/transcribe', { body, headers })
    expect(json).toMatchObject({ ok: true, text: 'Hello world.' })
    const names = await readdir(join(recording.folder, 'recordings'))
    expect(names).toEqual([expect.stringMatching(/\.wav$/)])
  })

  test.each([
    ['no audio', multipart(echo)],
    ['two audios', multipart([...echo, audio, audio])],
    ['a file as well', multipart([...echo, audio, ['file', '/etc/passwd']])],
    ['neither engine nor Mode', multipart([audio])],
    ['no end', multipart([...echo, audio], '')],
    ['an end within its audio', multipart([...echo, audio]).subarray(0, -clip.length)],
    ['nothing in it', Buffer.alloc(0)],
    ['something else in it', Buffer.from('{}')],
    ['a field without end', multipart([...echo, ['language', 'x'.repeat(70_000)], audio])],
    [
      'files without end',
      multipart([...echo, audio, ...Array.from({ length: 99 }, () => ['a', 'b', 'c'] as const)]),
    ],
    [
      'fields without end',
      multipart([...Array.from({ length: 101 }, (_, at) => [`a${at}`, 'b'] as const), audio]),
    ],
    [
      'a megabyte of fields',
      multipart([...Array.from({ length: 20 }, (_, at) => [`a${at}`, 'b'.repeat(60_000)] as const), audio]),
    ],
    ['a field twice', multipart([...echo, audio, ['language', 'en'], ['language', 'de']])],
  ])('with %s is refused', async (_what, body) => {
    expect(await send(body)).toMatchObject(refused)
  })

  test.each([
    ['as it is', undefined],
    ['with its encoding', 'text/plain; charset=utf-8'],
  ])('with a field that is not UTF-8 is HTTP 400: %s', async (_what, type) => {
    const answer = await send(multipart([...echo, ['language', Buffer.of(0xe9), undefined, type], audio]))
    expect(answer).toMatchObject({ status: 400, json: { error: { message: 'Invalid JSON body' } } })
  })

  test.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/mixed; boundary=x'])(
    'of type %s is refused',
    async (type) => {
      expect(await send(multipart([...echo, audio]), type)).toMatchObject(refused)
    },
  )

  test('with as much audio as the limit allows is read, and one over that of requests is refused with its message', async () => {
    const of = (sizeBytes: number): Buffer =>
      multipart([...echo, ['audio', Buffer.alloc(sizeBytes), 'a.wav']])
    expect((await send(of(limits.audioBytes))).json.error?.code).toBe('AUDIO_DECODE_FAILED')
    expect(await send(of(limits.requestBytes))).toMatchObject({
      status: 200,
      json: { error: { code: 'INVALID_REQUEST', message: limitMessages.request } },
    })
  })

  test('is not accepted on other routes', async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    expect(await started.send('POST', '/modes', { body: multipart(echo), headers })).toMatchObject(refused)
  })
})
