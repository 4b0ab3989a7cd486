import { expect, test } from 'vitest'
import type { ProviderTranscript } from '#providers/protocol'
import { type ProtocolName, protocols } from '#providers/protocols/protocols'

/** The answers of each provider to the steps of a job, in the shape of its reference; the last one has the words. */
const answers: Readonly<Partial<Record<ProtocolName, readonly unknown[]>>> = {
  google: [
    {
      results: [
        {
          alternatives: [
            {
              transcript: 'Hello there.',
              words: [
                { startTime: '0s', endTime: '0.400s', word: 'Hello' },
                { startTime: '0.400s', endTime: '0.900s', word: 'there.' },
              ],
            },
          ],
          languageCode: 'en-us',
        },
      ],
    },
  ],
  gladia: [
    { audio_url: 'https://api.gladia.io/file/1' },
    { id: '1' },
    {
      status: 'done',
      result: {
        transcription: {
          full_transcript: 'Hello there.',
          languages: ['en'],
          utterances: [
            {
              text: 'Hello there.',
              start: 0,
              end: 0.9,
              words: [
                { word: 'Hello', start: 0, end: 0.4, confidence: 1 },
                { word: ' there.', start: 0.4, end: 0.9, confidence: 0.95 },
              ],
            },
          ],
        },
      },
    },
  ],
  azure: [
    {},
    { self: 'https://x.example/speechtotext/transcriptions/abc-1?api-version=2024-11-15' },
    { status: 'Succeeded' },
    { values: [{ kind: 'Transcription', links: { contentUrl: 'https://x.example/1' } }] },
    {
      combinedRecognizedPhrases: [{ channel: 0, display: 'Hello there.' }],
      recognizedPhrases: [
        {
          channel: 0,
          offsetInTicks: 0,
          locale: 'en-US',
          nBest: [
            {
              display: 'Hello there.',
              displayWords: [
                { displayText: 'Hello', offsetInTicks: 0, durationInTicks: 4_000_000 },
                { displayText: 'there.', offsetInTicks: 4_000_000, durationInTicks: 5_000_000 },
              ],
            },
          ],
        },
      ],
    },
  ],
  aws: [
    {},
    { TranscriptionJob: { TranscriptionJobStatus: 'QUEUED' } },
    { TranscriptionJob: { TranscriptionJobStatus: 'COMPLETED', LanguageCode: 'en-US' } },
    {
      results: {
        transcripts: [{ transcript: 'Hello there.' }],
        items: [
          { type: 'pronunciation', start_time: '0.0', end_time: '0.4', alternatives: [{ content: 'Hello' }] },
          { type: 'pronunciation', start_time: '0.4', end_time: '0.9', alternatives: [{ content: 'there' }] },
          { type: 'punctuation', alternatives: [{ content: '.' }] },
        ],
      },
    },
  ],
}

function transcriptOf(name: ProtocolName, timestamps: readonly 'word'[]): ProviderTranscript {
  const storage = { url: 'https://storage.example/c?sig=1', bucket: 'b' }
  let step = protocols[name].start(
    { model: 'm', language: 'en', timestamps, options: {} },
    { id: 'job', storage },
  )
  for (const answer of answers[name] ?? []) {
    const progress = step.read(answer)
    if (progress?.kind === 'done') return progress.transcript
    if (progress?.kind !== 'next') throw new Error(`${name}: ${JSON.stringify(progress)}`)
    step = progress.step
  }
  throw new Error(`${name} was not done`)
}

test.each(Object.keys(answers) as ProtocolName[])('the words of %s have times in seconds', (name) => {
  const { text, words } = transcriptOf(name, ['word'])
  expect(text).toBe('Hello there.')
  expect(words?.map(({ start, end }) => [start, end])).toEqual([
    [0, 0.4],
    [0.4, 0.9],
  ])
  expect(words?.map(({ word }) => word.toLowerCase().replace('.', ''))).toEqual(['hello', 'there'])
})

test('Google and Azure are asked for words where they are wanted, and otherwise as before', () => {
  const bodyOf = (name: ProtocolName, timestamps: readonly 'word'[], steps: number): string => {
    const storage = { url: 'https://storage.example/c?sig=1', bucket: 'b' }
    let step = protocols[name].start(
      { model: 'm', language: 'en', timestamps, options: {} },
      { id: 'job', storage },
    )
    for (const answer of (answers[name] ?? []).slice(0, steps)) {
      const progress = step.read(answer)
      if (progress?.kind === 'next') step = progress.step
    }
    return JSON.stringify(step.body)
  }
  expect(bodyOf('google', ['word'], 0)).toContain('enableWordTimeOffsets')
  expect(bodyOf('google', [], 0)).not.toContain('enableWordTimeOffsets')
  expect(bodyOf('azure', ['word'], 1)).toContain('"displayFormWordLevelTimestampsEnabled":true')
  expect(bodyOf('azure', [], 1)).toContain('"displayFormWordLevelTimestampsEnabled":false')
})
