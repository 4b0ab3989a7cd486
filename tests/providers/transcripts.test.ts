import { describe, expect, test } from 'vitest'
import { limitStep, type ProviderTranscript, pollSeconds } from '#providers/protocol'
import { type ProtocolName, protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'
import { providerData } from '#providers/providers'
import { requestsOf } from './requests.ts'

/** What is read from an answer, all words and times of which were asked for; null where it is not of the documented shape. */
function read(protocol: ProtocolName, answer: unknown): ProviderTranscript | null {
  const provider = providerData.find((one) => one.protocol === protocol) as ProviderData
  const progress = requestsOf(provider, { timestamps: ['segment', 'word'] })
    .at(-1)
    ?.read(answer)
  return progress?.kind === 'done' ? progress.transcript : null
}

describe('a language', () => {
  test.each(['not-available', 'en-a', 'english'])(
    'that a provider names by no tag, %s, is not known',
    (language) => {
      expect(read('openai', { text: 'yes', language })).toMatchObject({ text: 'yes', language: null })
    },
  )
})

test.each([
  ['eng', 'en'],
  ['tgl', 'tl'],
  ['tl', 'tl'],
  ['fil', 'fil'],
  ['pt-BR', 'pt-BR'],
])('a language that a provider names %s is the tag %s that corpora write', (language, tag) => {
  expect(read('openai', { text: 'yes', language })?.language).toBe(tag)
})

test('a job is asked for again after a quarter of a second, then ever later, at most after three seconds', () => {
  const delays = Array.from({ length: 20 }, (_, pollCount) => pollSeconds(pollCount))
  expect([delays[0], delays.at(-1)]).toEqual([0.25, 3])
  expect(delays).toEqual(delays.toSorted((a, b) => a - b))
})

test('a poll has a tenth of the time of its job, two to thirty seconds, and an upload all that is left', () => {
  const question = { language: 'en', languages: undefined, model: 'best', timestamps: [], options: {} }
  const upload = protocols.assemblyai.start(question, { id: 'job', storage: null })
  const poll = { ...upload, method: 'GET' } as const
  const limitsMs = [4, 60, 600].map((seconds) => limitStep(poll, 500_000, 1000 * seconds))
  expect(limitsMs).toEqual([2_000, 6_000, 30_000])
  expect(limitStep(poll, 700, 60_000)).toBe(700)
  expect(limitStep(upload, 50_000, 60_000)).toBe(50_000)
})

describe('Google', () => {
  const answer = (...transcripts: readonly string[]) => ({
    results: transcripts.map((transcript) => ({ alternatives: [{ transcript }, { transcript: 'other' }] })),
  })

  test('has one text of several results, whether or not they begin with a blank', () => {
    expect(read('google', answer('to be', ' or not', 'to be'))?.text).toBe('to be or not to be')
  })

  test('has no blanks between results of a script without them', () => {
    expect(read('google', answer('今日は', '晴れです'))?.text).toBe('今日は晴れです')
  })

  test('has an empty text where no speech was found', () => {
    expect(read('google', { totalBilledTime: '1s', requestId: '1' })?.text).toBe('')
  })
})

describe('Speechmatics', () => {
  const item = (content: string, more: object = {}) => ({
    type: 'word',
    start_time: 1,
    end_time: 2,
    alternatives: [{ content, confidence: 1 }],
    ...more,
  })
  const mark = (content: string, attaches: string) =>
    item(content, { type: 'punctuation', attaches_to: attaches })
  const answer = (word_delimiter: string, ...results: readonly object[]) => ({
    metadata: { language_pack_info: { word_delimiter } },
    results,
  })

  test('attaches a mark to the word that it names', () => {
    const results = [mark('¿', 'next'), item('Qué'), item('tal'), mark('?', 'previous'), mark('–', 'none')]
    const hyphened = [item('bien'), mark('-', 'both'), item('mal')]
    expect(read('speechmatics', answer(' ', ...results, ...hyphened))?.text).toBe('¿Qué tal? – bien-mal')
  })

  test('puts the delimiter of the language between words', () => {
    expect(read('speechmatics', answer('', item('今日'), item('は'), mark('。', 'previous')))?.text).toBe(
      '今日は。',
    )
  })

  test('has the times of an entity as those of its words', () => {
    const entity = item('5 May', { type: 'entity', start_time: 3, end_time: 4, spoken_form: [] })
    expect(read('speechmatics', answer(' ', item('on'), entity, mark('.', 'previous')))).toMatchObject({
      text: 'on 5 May.',
      words: [
        { word: 'on', start: 1, end: 2 },
        { word: '5 May', start: 3, end: 4 },
      ],
    })
  })
})

describe('Deepgram', () => {
  const channel = (...said: readonly (readonly [word: string, start: number])[]) => ({
    alternatives: [
      {
        transcript: said.map(([word]) => word).join(' '),
        words: said.map(([word, start]) => ({
          word: word.toLowerCase(),
          punctuated_word: word,
          start,
          end: start + 0.4,
        })),
      },
    ],
  })

  test('has what both channels of a recording say alike once', () => {
    const both = channel(['Hello', 0], ['there.', 0.5])
    expect(read('deepgram', { results: { channels: [both, both] } })).toMatchObject({
      text: 'Hello there.',
      words: [{ start: 0 }, { start: 0.5 }],
    })
  })

  test('has the phrases of two speakers on two channels in the order in which they were said', () => {
    const [first, second] = [
      channel(['Hello', 0], ['there?', 0.5], ['Bye.', 3]),
      channel(['Yes,', 0.8], ['hello.', 1.3]),
    ]
    const transcript = read('deepgram', { results: { channels: [first, second] } })
    expect(transcript?.text).toBe('Hello there? Yes, hello. Bye.')
    expect(transcript?.words?.map(({ word }) => word).join(' ')).toBe('Hello there? Yes, hello. Bye.')
  })
})

describe('Azure', () => {
  const phrase = (channel: number, seconds: number, display: string) => ({
    channel,
    offsetInTicks: seconds * 1e7,
    durationInTicks: 1e7,
    recognitionStatus: 'Success',
    nBest: [
      {
        display,
        displayWords: [{ displayText: display, offsetInTicks: seconds * 1e7, durationInTicks: 5e6 }],
      },
    ],
  })

  test('has what both channels of a recording say alike once', () => {
    const transcript = read('azure', {
      combinedRecognizedPhrases: [
        { channel: 0, display: 'Hello.' },
        { channel: 1, display: 'Hello.' },
      ],
      recognizedPhrases: [phrase(0, 1, 'Hello.'), phrase(1, 1, 'Hello.')],
    })
    expect(transcript).toMatchObject({ text: 'Hello.', words: [{ word: 'Hello.', start: 1, end: 1.5 }] })
  })

  test('has the phrases of two speakers on two channels in the order in which they were said', () => {
    const transcript = read('azure', {
      combinedRecognizedPhrases: [
        { channel: 0, display: 'Hello? Bye.' },
        { channel: 1, display: 'Yes.' },
      ],
      recognizedPhrases: [phrase(0, 1, 'Hello?'), phrase(0, 3, 'Bye.'), phrase(1, 2, 'Yes.')],
    })
    expect(transcript?.text).toBe('Hello? Yes. Bye.')
    expect(transcript?.words?.map(({ start }) => start)).toEqual([1, 2, 3])
  })
})

test('Amazon has no times of punctuation, and refuses texts that are no seconds', () => {
  const items = (start_time: string) => [
    { type: 'pronunciation', start_time, end_time: '0.690', alternatives: [{ content: 'answer' }] },
    { type: 'punctuation', alternatives: [{ content: '.' }] },
  ]
  const answer = (start: string) => ({
    results: { transcripts: [{ transcript: 'answer.' }], items: items(start) },
  })
  expect(read('aws', answer('0.100'))).toMatchObject({
    text: 'answer.',
    language: 'en-US',
    words: [{ word: 'answer', start: 0.1, end: 0.69 }],
  })
  expect(read('aws', answer(''))).toBeNull()
})

test('Google and Azure are asked for words where they are wanted, and not otherwise', () => {
  const asked = (protocol: ProtocolName, timestamps: readonly 'word'[]): string => {
    const provider = providerData.find((one) => one.protocol === protocol) as ProviderData
    return JSON.stringify(requestsOf(provider, { timestamps }).map(({ body }) => body))
  }
  expect(asked('google', ['word'])).toContain('enableWordTimeOffsets')
  expect(asked('google', [])).not.toContain('enableWordTimeOffsets')
  expect(asked('azure', ['word'])).toContain('"displayFormWordLevelTimestampsEnabled":true')
  expect(asked('azure', [])).toContain('"displayFormWordLevelTimestampsEnabled":false')
})

test('Mistral takes times or a language, and keeps the language', () => {
  const fieldsOf = (language: string | null) => {
    const question = { model: 'voxtral-mini-2507', language, timestamps: ['word'] as const, options: {} }
    const { body } = protocols.openai.start(question, { id: 'job', storage: null })
    return body.kind === 'form' ? body.fields.slice(1) : null
  }
  expect(fieldsOf(null)).toEqual([['timestamp_granularities', 'segment']])
  expect(fieldsOf('fr')).toEqual([['language', 'fr']])
})
