import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { addModel } from '#service/models/add-model'
import { listModels } from '#service/models/known-models'
import { languageTag, wordTimes } from '../../src/service/engines/recognised-words.ts'
import { findFiles, sherpaFamilies } from '../../src/service/engines/sherpa-families.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeParakeet, writeSenseVoice, writeWhisper, writeZipformer } from './known-models.ts'
import { base64, startTestService, type TestService, tone } from './running-service.ts'

function familyNamed(name: string) {
  const family = sherpaFamilies.find((known) => known.family === name)
  if (family === undefined) throw new Error(`no family ${name}`)
  return family
}

interface Release {
  readonly family: string
  readonly files: readonly string[]
  readonly config: object
  readonly languages: readonly string[]
}

/** Files as the releases of sherpa-onnx name them, and what is made of them. */
const releases: readonly Release[] = parse(
  readFileSync(new URL('./fixtures/sherpa-releases.yaml', import.meta.url), 'utf8'),
)

describe('a model of a family', () => {
  test.each(releases)('$family is found by the names $files', ({ family: name, files: names, ...made }) => {
    const family = familyNamed(name)
    const files = findFiles(names, family.roles)
    if (!files.ok) throw new Error(JSON.stringify(files.failure))
    const at = (role: string) => `/m/${files.value[role]}`
    expect(family.config({ at, language: '', metadata: new Map() })).toEqual(made.config)
    expect(files.value['tokens']).toMatch(/tokens\.txt$/)
    expect(family.languageCodes(files.value, new Map())).toEqual(made.languages)
  })

  test('that lacks files says which, all at once', () => {
    expect(findFiles(['encoder.onnx', 'notes.txt'], familyNamed('zipformer').roles)).toMatchObject({
      failure: [
        { role: 'decoder', candidates: [] },
        { role: 'joiner', candidates: [] },
        { role: 'tokens', candidates: [] },
      ],
    })
  })

  test('next to another one in the same folder is not guessed at', () => {
    const names = ['tiny', 'base'].flatMap((size) => [
      `${size}-encoder.onnx`,
      `${size}-decoder.onnx`,
      `${size}-tokens.txt`,
    ])
    expect(findFiles(names, familyNamed('whisper').roles)).toMatchObject({
      failure: [
        { role: 'encoder', candidates: ['base-encoder.onnx', 'tiny-encoder.onnx'] },
        { role: 'decoder', candidates: ['base-decoder.onnx', 'tiny-decoder.onnx'] },
        { role: 'tokens', candidates: ['base-tokens.txt', 'tiny-tokens.txt'] },
      ],
    })
  })
})

test.each([
  ['en', 'en'],
  ['<|yue|>', 'yue'],
  ['', null],
  ['<|nospeech|>', null],
  ['jw', 'jv'],
])('the language %j is the tag %j', (lang, tag) => {
  expect(languageTag(lang)).toBe(tag)
})

async function serving(
  family: string,
  write: (folder: string) => Promise<string>,
  options: Parameters<typeof startTestService>[0] = {},
) {
  const folder = await temporaryFolder()
  const path = await write(`${folder.path}/own`)
  const modelsDir = `${folder.path}/models`
  await addModel({ id: 'known', family, path }, { modelsDir })
  const started = await startTestService({ catalogue: undefined, modelsDir, ...options })
  return {
    started,
    languages: (await listModels({ modelsDir })).find(({ id }) => id === 'known')?.languages,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('the language of a request', () => {
  async function ask(started: TestService, engine: string, language?: string) {
    const audio_base64 = base64(tone(2))
    return (await started.transcribe({ engine, model: 'known', language, audio_base64 })).json
  }

  test('is what Whisper decodes as, also where clips of several languages come at once', async () => {
    await using serves = await serving('whisper', (folder) => writeWhisper(folder), { concurrency: 3 })
    expect(serves.languages).toEqual(['en', 'fr', 'no', 'jv'])
    const wanted = [
      [undefined, 'Hello world', 'en'],
      ['fr-CA', 'Bonjour monde', 'fr'],
      ['nb', 'Hei verden', 'no'],
      ['jv', 'Halo donya', 'jv'],
      ['auto', 'Hello world', 'en'],
    ] as const
    const asked = [...wanted, ...wanted.toReversed(), ...wanted, ...wanted]
    const answers = await Promise.all(asked.map(([language]) => ask(serves.started, 'whisper', language)))
    expect(answers.map(({ text, language }) => [text, language])).toEqual(
      asked.map(([, text, language]) => [text, language]),
    )
    expect((await ask(serves.started, 'whisper', 'de')).error?.code).toBe('INVALID_REQUEST')
  })

  test('that a model has not leaves the choice to it where every language is let through', async () => {
    await using serves = await serving('whisper', (folder) => writeWhisper(folder), { anyLanguage: true })
    expect(await ask(serves.started, 'whisper', 'de')).toMatchObject({ text: 'Hello world', language: 'en' })
  })

  test('is English for an English Whisper, whose files have other names', async () => {
    await using serves = await serving('whisper', (folder) =>
      writeWhisper(folder, { name: 'tiny.en', suffix: '.int8' }),
    )
    expect(serves.languages).toEqual(['en'])
    expect(await ask(serves.started, 'whisper', 'en')).toMatchObject({ text: 'Hello world', language: 'en' })
  })

  test('is what SenseVoice decodes as, and its recognisers come and go', async () => {
    await using serves = await serving('sense-voice', writeSenseVoice, { concurrency: 2 })
    const asked = ['ja', 'ko', 'yue', 'zh', 'en', 'ja', 'en', 'auto', 'zh-TW']
    const answers = await Promise.all(asked.map((language) => ask(serves.started, 'sense-voice', language)))
    expect(answers.map(({ text }) => text)).toEqual(['ja', 'ko', 'yue', 'zh', 'en', 'ja', 'en', 'auto', 'zh'])
    expect((await ask(serves.started, 'sense-voice', 'fr')).error?.code).toBe('INVALID_REQUEST')
  })
})

test('a model that sherpa-onnx loads and cannot decode with is refused', async () => {
  const added = serving('whisper', (folder) => writeWhisper(folder, { frames: 3000 }))
  await expect(added).rejects.toThrow('Whisper could not decode the recording')
})

describe('times of words', () => {
  const said = [
    ['good', 'morning,', 'you'],
    [10, 20, 40],
  ] as const
  /** A Zipformer says nothing of ends: then a word ends with the frame of its last letters. */
  const timed = (frame: number, ends: readonly number[]) =>
    said[0].map((word, at) => ({
      word,
      start: Math.round(1000 * frame * (said[1][at] ?? 0)) / 1000,
      end: Math.round(1000 * frame * (ends[at] ?? 0)) / 1000,
    }))

  test.each([
    ['zipformer', writeZipformer, timed(0.04, [11, 23, 41])],
    ['nemo-transducer', writeParakeet, timed(0.08, [12, 24, 42])],
    ['sense-voice', writeSenseVoice, [{ word: 'auto', start: 1.02, end: 1.08 }]],
    [
      'whisper',
      (folder: string) => writeWhisper(folder, { attention: true }),
      [
        { word: 'Hello', start: 0, end: 1 },
        { word: 'world', start: 1, end: 1.5 },
      ],
    ],
  ] as const)('of %s reach the answer where they are asked for', async (family, write, words) => {
    await using serves = await serving(family, write)
    const request = { engine: family, model: 'known', audio_base64: base64(tone(4)) }
    const answer = await serves.started.transcribe({ ...request, timestamp_granularities: ['word'] })
    expect(answer.json['words']).toEqual(words)
    expect((await serves.started.transcribe(request)).json).not.toHaveProperty('words')
  })

  test('are left out by a Whisper that was exported without them', async () => {
    await using serves = await serving('whisper', writeWhisper)
    const request = { engine: 'whisper', model: 'known', audio_base64: base64(tone(4)) }
    const answer = await serves.started.transcribe({ ...request, timestamp_granularities: ['word'] })
    expect(answer.json['text']).toBe('Hello world')
    expect(answer.json).not.toHaveProperty('words')
  })

  test.each([
    [
      'a character in two bytes',
      'café au lait',
      [' caf', '<0xC3>', '<0xA9>', ' au', ' lait'],
      ['café', 'au', 'lait'],
      [0, 3, 4],
    ],
    [
      'a character in two pieces that are no text',
      '你好吗',
      ['你', '\uFFFD', '<0xBD>', '吗'],
      ['你', '好', '吗'],
      [0, 1, 3],
    ],
    ['no blanks', '你好 OK', ['你', '好', ' O', 'K'], ['你', '好', 'OK'], [0, 1, 2]],
    [
      'a blank apart',
      'a b',
      ['▁', 'a', ' ', 'b'].map((token) => token.replace('▁', ' ')),
      ['a', 'b'],
      [1, 3],
    ],
    ['a mark before', '“Hello', ['“', 'Hel', 'lo'], ['“Hello'], [0]],
    ['nothing', '', [], [], []],
  ] as const)('are put together from pieces with %s', (_case, text, tokens, words, firsts) => {
    const timestamps = tokens.map((_, at) => at)
    const found = wordTimes({ text, tokens, timestamps }, 0.5, 100)
    expect(found?.map(({ word, start }) => [word, start])).toEqual(
      words.map((word, at) => [word, firsts[at]]),
    )
  })

  test.each([
    ['have no times', { text: 'a', tokens: ['a'], timestamps: [] }],
    ['are not those of the text', { text: 'hello', tokens: [' Ƌţŝ'], timestamps: [0] }],
    ['lack some of the text', { text: 'hello you', tokens: ['hello'], timestamps: [0] }],
  ])('are left out where the pieces %s', (_case, answer) => {
    expect(wordTimes(answer, 0.04, 10)).toBeUndefined()
  })

  test('do not end after the clip, nor before they begin', () => {
    const answer = { text: 'a b', tokens: ['a', ' b'], timestamps: [0.5, 1.2], durations: [0.2, 0.4] }
    expect(wordTimes(answer, 0.04, 1)).toEqual([
      { word: 'a', start: 0.5, end: 0.7 },
      { word: 'b', start: 1, end: 1 },
    ])
  })
})
