import { describe, expect, test } from 'vitest'
import { languageTag } from '../../src/service/engines/recogniser.ts'
import { sherpaFamilies } from '../../src/service/engines/sherpa-families.ts'
import { findFiles } from '../../src/service/engines/sherpa-files.ts'

function familyNamed(name: string) {
  const family = sherpaFamilies.find((known) => known.family === name)
  if (family === undefined) throw new Error(`no family ${name}`)
  return family
}

/** Files as the releases of sherpa-onnx name them, and what is made of them. */
const releases = [
  [
    'whisper',
    [
      'tiny.en-encoder.onnx',
      'tiny.en-encoder.int8.onnx',
      'tiny.en-decoder.onnx',
      'tiny.en-decoder.int8.onnx',
      'tiny.en-tokens.txt',
      'test_wavs',
    ],
    {
      whisper: {
        encoder: '/m/tiny.en-encoder.int8.onnx',
        decoder: '/m/tiny.en-decoder.int8.onnx',
        language: '',
        task: 'transcribe',
      },
    },
    'en',
  ],
  [
    'whisper',
    ['large-v3-encoder.onnx', 'large-v3-decoder.onnx', 'large-v3-tokens.txt', 'large-v3-encoder.weights'],
    {
      whisper: {
        encoder: '/m/large-v3-encoder.onnx',
        decoder: '/m/large-v3-decoder.onnx',
        language: '',
        task: 'transcribe',
      },
    },
    null,
  ],
  [
    'nemo-transducer',
    ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt', 'README.md'],
    {
      transducer: {
        encoder: '/m/encoder.int8.onnx',
        decoder: '/m/decoder.int8.onnx',
        joiner: '/m/joiner.int8.onnx',
      },
      modelType: 'nemo_transducer',
    },
    null,
  ],
  [
    'sense-voice',
    ['model.onnx', 'model.int8.onnx', 'tokens.txt', 'LICENSE', 'export-onnx.py'],
    { senseVoice: { model: '/m/model.int8.onnx', language: '', useInverseTextNormalization: 1 } },
    null,
  ],
  [
    'zipformer',
    [
      'encoder-epoch-30-avg-4.onnx',
      'encoder-epoch-30-avg-4.int8.onnx',
      'decoder-epoch-30-avg-4.onnx',
      'joiner-epoch-30-avg-4.int8.onnx',
      'joiner-epoch-30-avg-4.onnx',
      'tokens.txt',
      'bpe.model',
    ],
    {
      transducer: {
        encoder: '/m/encoder-epoch-30-avg-4.int8.onnx',
        decoder: '/m/decoder-epoch-30-avg-4.onnx',
        joiner: '/m/joiner-epoch-30-avg-4.int8.onnx',
      },
      modelType: 'transducer',
    },
    null,
  ],
  [
    'moonshine',
    ['decoder_model_merged.onnx', 'encoder_model.onnx', 'installed.json', 'tokens.txt'],
    {
      moonshine: { encoder: '/m/encoder_model.onnx', mergedDecoder: '/m/decoder_model_merged.onnx' },
    },
    'en',
  ],
] as const

describe('a model of a family', () => {
  test.each(releases)('%s is found by the names %j', (name, names, config, language) => {
    const family = familyNamed(name)
    const files = findFiles(names, family.roles)
    if (!files.ok) throw new Error(JSON.stringify(files.failure))
    expect(family.config((role) => `/m/${files.value[role]}`)).toEqual(config)
    expect(files.value['tokens']).toMatch(/tokens\.txt$/)
    expect(family.language(files.value)).toBe(language)
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
])('the language %j is the tag %j', (lang, tag) => {
  expect(languageTag(lang)).toBe(tag)
})
