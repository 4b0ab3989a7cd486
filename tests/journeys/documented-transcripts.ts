/**
 * What providers answer about a text that was spoken, with all fields of the examples and schemas of their documentation, in its
 * units of time. Word `n` begins after `n` tenths of a second and is half as long.
 */
import type { ProtocolName } from '#providers/protocols/protocols'
import type { Asked as Request } from './provider-behaviours.ts'

/** What an answer depends on. */
type Asked = Pick<Request, 'query' | 'form' | 'json'>

interface SpokenWord {
  readonly word: string
  /** Marks after it; empty where there are none. */
  readonly marks: string
  readonly startMs: number
  readonly endMs: number
}

export function spokenWords(text: string): readonly SpokenWord[] {
  return [...text.matchAll(/([^\s.,!?]+)([.,!?]*)/g)].map(([, word = '', marks = ''], index) => ({
    word,
    marks,
    startMs: index * 100,
    endMs: index * 100 + 50,
  }))
}

const inSeconds = ({ startMs, endMs }: SpokenWord) => ({ start: startMs / 1000, end: endMs / 1000 })

function wholeOf(words: readonly SpokenWord[]): { readonly start: number; readonly end: number } {
  return { start: 0, end: (words.at(-1)?.endMs ?? 0) / 1000 }
}

const durationSeconds = 0.5
const at = '2026-11-23T12:00:00.000Z'

/** @see https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded */
function deepgramTranscript({ query }: Asked, text: string): object {
  const words = spokenWords(text).map((spoken) => ({
    word: spoken.word.toLowerCase(),
    ...inSeconds(spoken),
    confidence: 0.99,
    ...(query.get('punctuate') === 'true' ? { punctuated_word: spoken.word + spoken.marks } : {}),
  }))
  const whole = { ...wholeOf(spokenWords(text)), confidence: 0.99, channel: 0, transcript: text, words }
  return {
    metadata: {
      transaction_key: 'deprecated',
      request_id: 'r',
      sha256: 'a',
      created: at,
      duration: durationSeconds,
      channels: 1,
      models: ['m'],
      model_info: { m: { name: 'general-nova-3', version: '2025-04-17.0', arch: 'nova-3' } },
    },
    results: {
      channels: [
        {
          alternatives: [{ transcript: text, confidence: 0.99, words }],
          ...(query.get('detect_language') === 'true'
            ? { detected_language: 'en', language_confidence: 0.9 }
            : {}),
        },
      ],
      ...(query.get('utterances') === 'true' ? { utterances: [{ ...whole, id: 'u' }] } : {}),
    },
  }
}

/** @see https://elevenlabs.io/docs/api-reference/speech-to-text/convert */
function elevenlabsTranscript({ form }: Asked, text: string): object {
  const isTimed = form?.get('timestamps_granularity') !== 'none'
  const untimed = { start: null, end: null }
  const more = { speaker_id: 'speaker_0', logprob: -0.1, characters: null, channel_index: null }
  const words = spokenWords(text).flatMap((spoken, index) => {
    const gap = { start: (spoken.startMs - 50) / 1000, end: spoken.startMs / 1000 }
    const item = { text: spoken.word + spoken.marks, ...(isTimed ? inSeconds(spoken) : untimed) }
    const blank = { text: ' ', ...(isTimed ? gap : untimed), type: 'spacing', ...more }
    return [...(index === 0 ? [] : [blank]), { ...item, type: 'word', ...more }]
  })
  return {
    language_code: 'eng',
    language_probability: 0.98,
    text,
    words,
    channel_index: null,
    additional_formats: null,
    transcription_id: 't',
    entities: null,
    audio_duration_secs: durationSeconds,
  }
}

/**
 * In two results, of which the second begins with a blank, as in the examples.
 *
 * @see https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize
 */
function googleTranscript({ json }: Asked, text: string): object {
  const config = json?.['config'] as { readonly enableWordTimeOffsets?: boolean } | undefined
  const offset = (milliseconds: number): string =>
    milliseconds === 0 ? '0s' : `${(milliseconds / 1000).toFixed(3)}s`
  const all = spokenWords(text)
  const results = [all.slice(0, -1), all.slice(-1)].map((words, index) => ({
    alternatives: [
      {
        transcript: (index === 0 ? '' : ' ') + words.map(({ word, marks }) => word + marks).join(' '),
        confidence: 0.98,
        ...(config?.enableWordTimeOffsets === true
          ? {
              words: words.map(({ word, marks, startMs, endMs }) => ({
                startTime: offset(startMs),
                endTime: offset(endMs),
                word: word + marks,
              })),
            }
          : {}),
      },
    ],
    resultEndTime: offset(words.at(-1)?.endMs ?? 0),
    languageCode: 'en-us',
  }))
  return { results, totalBilledTime: '1s', requestId: '1' }
}

/** @see https://www.assemblyai.com/docs/api-reference/transcripts/get */
function assemblyaiTranscript(_: Asked, text: string): object {
  const words = spokenWords(text).map(({ word, marks, startMs, endMs }) => ({
    confidence: 0.97,
    start: startMs,
    end: endMs,
    text: word + marks,
    channel: null,
    speaker: null,
  }))
  return {
    audio_url: 'https://cdn.example/upload/1',
    status: 'completed',
    language_code: 'en_us',
    language_detection: true,
    language_confidence: 0.99,
    speech_model: null,
    text,
    words,
    utterances: null,
    confidence: 0.97,
    audio_duration: 1,
    punctuate: true,
    format_text: true,
    disfluencies: false,
    multichannel: false,
    filter_profanity: false,
    speaker_labels: false,
    webhook_auth: false,
    auto_highlights: false,
    redact_pii: false,
    summarization: false,
    language_model: 'assemblyai_default',
    acoustic_model: 'assemblyai_default',
  }
}

/** @see https://github.com/speechmatics/docs/blob/main/docs/speech-to-text/batch/assets/transcript-response-example.json */
function speechmaticsTranscript(_: Asked, text: string): object {
  const alternatives = (content: string) => [{ confidence: 1, content, language: 'en', speaker: 'UU' }]
  const results = spokenWords(text).flatMap(({ word, marks, startMs, endMs }) => {
    const [start, end] = [startMs / 1000, endMs / 1000]
    return [
      { alternatives: alternatives(word), end_time: end, start_time: start, type: 'word' },
      ...[...marks].map((mark) => ({
        alternatives: alternatives(mark),
        attaches_to: 'previous',
        end_time: end,
        is_eos: mark !== ',',
        start_time: end,
        type: 'punctuation',
      })),
    ]
  })
  return {
    format: '2.9',
    job: { created_at: at, data_name: 'one.wav', duration: 1, id: 'j' },
    metadata: {
      created_at: at,
      language_pack_info: {
        adapted: false,
        itn: true,
        language_description: 'English',
        word_delimiter: ' ',
        writing_direction: 'left-to-right',
      },
      orchestrator_version: '2025.06.28651',
      transcription_config: { language: 'en', model: 'enhanced' },
      type: 'transcription',
    },
    results,
  }
}

/** @see https://docs.gladia.io/api-reference/v2/pre-recorded/get */
function gladiaTranscript(_: Asked, text: string): object {
  const words = spokenWords(text).map((spoken) => ({
    word: ` ${spoken.word}${spoken.marks}`,
    ...inSeconds(spoken),
    confidence: 0.9,
  }))
  const more = { confidence: 0.9, channel: 0, language: 'en', text, words }
  return {
    id: 'j',
    request_id: 'G-j',
    version: 2,
    status: 'done',
    created_at: at,
    completed_at: at,
    custom_metadata: null,
    error_code: null,
    kind: 'pre-recorded',
    file: { id: 'f', filename: 'one.wav', source: null, audio_duration: 0.5, number_of_channels: 1 },
    request_params: { audio_url: 'https://api.gladia.io/file/1', diarization: false },
    result: {
      metadata: {
        audio_duration: durationSeconds,
        number_of_distinct_channels: 1,
        billing_time: durationSeconds,
        transcription_time: 0.2,
      },
      transcription: {
        full_transcript: text,
        languages: ['en'],
        utterances: [{ ...wholeOf(spokenWords(text)), ...more }],
      },
    },
  }
}

/** @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-get */
function azureTranscript({ query }: Asked, text: string): object {
  const spoken = spokenWords(text)
  const lexical = spoken.map(({ word }) => word.toLowerCase()).join(' ')
  const forms = { lexical, itn: lexical, maskedITN: lexical, display: text }
  const timesOf = ({ startMs, endMs }: Pick<SpokenWord, 'startMs' | 'endMs'>) => ({
    offset: `PT${startMs / 1000}S`,
    duration: `PT${(endMs - startMs) / 1000}S`,
    offsetInTicks: startMs * 10_000,
    durationInTicks: (endMs - startMs) * 10_000,
  })
  const displayWords = spoken.map((one) => ({ displayText: one.word + one.marks, ...timesOf(one) }))
  const best = { confidence: 0.56, ...forms, ...(query.get('timed') === 'true' ? { displayWords } : {}) }
  return {
    source: 'https://storage.example/one.wav',
    timestamp: at,
    duration: 'PT0.5S',
    durationInTicks: 5_000_000,
    durationMilliseconds: 500,
    combinedRecognizedPhrases: [{ channel: 0, ...forms }],
    recognizedPhrases: [
      {
        recognitionStatus: 'Success',
        channel: 0,
        ...timesOf({ startMs: 0, endMs: spoken.at(-1)?.endMs ?? 0 }),
        nBest: [best, { confidence: 0.17, ...forms, display: 'something else' }],
      },
    ],
  }
}

/** @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/fast-transcription-create */
function azureFastTranscript(_: Asked, text: string): object {
  const spoken = spokenWords(text)
  const timesOf = ({ startMs, endMs }: Pick<SpokenWord, 'startMs' | 'endMs'>) => ({
    offsetMilliseconds: startMs,
    durationMilliseconds: endMs - startMs,
  })
  const words = spoken.map((one) => ({ text: one.word + one.marks, ...timesOf(one) }))
  const whole = timesOf({ startMs: 0, endMs: spoken.at(-1)?.endMs ?? 0 })
  return {
    durationMilliseconds: 1000 * durationSeconds,
    combinedPhrases: [{ text }],
    phrases: [{ ...whole, text, words, locale: 'en-US', confidence: 0.93 }],
  }
}

/** @see https://docs.aws.amazon.com/transcribe/latest/dg/how-input.html */
function awsTranscript(_: Asked, text: string): object {
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)
  const items = spokenWords(text).flatMap(({ word, marks, startMs, endMs }) => [
    {
      type: 'pronunciation',
      alternatives: [{ confidence: '0.998', content: word }],
      start_time: seconds(startMs),
      end_time: seconds(endMs),
    },
    ...[...marks].map((mark) => ({
      type: 'punctuation',
      alternatives: [{ confidence: '0.0', content: mark }],
    })),
  ])
  const results = { transcripts: [{ transcript: text }], items }
  return { jobName: 'j', accountId: '111122223333', results, status: 'COMPLETED' }
}

/**
 * A model that is called `voxtral` answers as Mistral does, which has no formats, and calls its segments `segments` alone.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 * @see https://github.com/mistralai/client-python/blob/main/docs/models/transcriptionresponse.md
 */
function openaiTranscript({ form }: Asked, text: string): object {
  const words = spokenWords(text)
  const whole = wholeOf(words)
  const model = String(form?.get('model'))
  const asked = form?.getAll('timestamp_granularities[]') ?? []
  if (model.startsWith('voxtral')) {
    const segments = [{ text: ` ${text}`, ...whole, score: null, speaker_id: null }]
    const usage = { prompt_audio_seconds: 1, prompt_tokens: 4, total_tokens: 20, completion_tokens: 16 }
    const isTimed = form?.get('timestamp_granularities') === 'segment'
    return { model, text, language: null, segments: isTimed ? segments : [], usage }
  }
  const usage = { type: 'duration', seconds: 1 }
  if (form?.get('response_format') !== 'verbose_json') return { text, usage }
  const scores = { tokens: [50364], temperature: 0, avg_logprob: -0.3, compression_ratio: 1 }
  const segment = { id: 0, seek: 0, ...whole, text: ` ${text}`, ...scores, no_speech_prob: 0.01 }
  return {
    task: 'transcribe',
    language: 'english',
    duration: durationSeconds,
    text,
    usage,
    ...(asked.includes('segment') ? { segments: [segment] } : {}),
    ...(asked.includes('word')
      ? { words: words.map((spoken) => ({ word: spoken.word, ...inSeconds(spoken) })) }
      : {}),
  }
}

/** The answer that has the text, to the request that asks for it. */
export const documentedTranscripts = {
  openai: openaiTranscript,
  deepgram: deepgramTranscript,
  elevenlabs: elevenlabsTranscript,
  google: googleTranscript,
  assemblyai: assemblyaiTranscript,
  speechmatics: speechmaticsTranscript,
  gladia: gladiaTranscript,
  azure: azureTranscript,
  'azure-fast': azureFastTranscript,
  aws: awsTranscript,
} as const satisfies Readonly<Record<ProtocolName, (asked: Asked, text: string) => object>>
