import type { ProtocolName } from './protocols.ts'

/** How the length of a recording is rounded before it is billed. */
interface Rounding {
  readonly stepSeconds: number | null
  readonly rounding: 'up' | 'nearest'
  readonly minimumSeconds: number
}

/** A price with its source; without both it is not claimed. */
interface Price extends Rounding {
  readonly usdPerAudioHour: number
  readonly source: string
  /** When it was read there. */
  readonly date: string
}

/** When a model stops answering, as its provider announced it. */
interface Retirement {
  /** `2027-02-26`; null where a successor is out and no date was found. */
  readonly date: string | null
  readonly successor: string
  readonly source: string
}

interface ProviderModel {
  readonly id: string
  /** Null where none was found with a source. */
  readonly price: Price | null
  readonly retires: Retirement | null
  /** Where it differs from that of the provider. */
  readonly baseUrl?: string
}

/** Everything that transcribench knows of a provider that is no protocol. */
export interface ProviderData {
  readonly id: string
  readonly displayName: string
  readonly protocol: ProtocolName
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly models: readonly ProviderModel[]
  /** What one request may hold: bytes of a file, seconds of audio; null where no limit is documented or it is far away. */
  readonly maxFileBytes: number | null
  readonly maxAudioSeconds: number | null
  /** What may be sent in a minute by default; null where it depends on the account, or none is documented. */
  readonly maxRequestsPerMinute: number | null
  /** What its answers do not hold, in words. */
  readonly doesNotReturn: readonly string[]
  /** Where address and protocol are documented. */
  readonly documentation: string
}

/** When everything below was last looked up. Each price has a separate date. */
export const providerDataDate = '2026-11-23'

const exactSeconds: Rounding = { stepSeconds: 1, rounding: 'nearest', minimumSeconds: 0 }
const unknownRounding: Rounding = { stepSeconds: null, rounding: 'nearest', minimumSeconds: 0 }

const openaiRetirement: Retirement = {
  date: '2027-02-26',
  successor: 'gpt-transcribe',
  source: 'https://developers.openai.com/api/docs/deprecations',
}
const megabyte = 1_000_000

/** Read in stored copies of the pages. A model without a price is one whose page was not found with it. */
export const providerData: readonly ProviderData[] = [
  {
    id: 'openai',
    displayName: 'OpenAI',
    protocol: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    models: [
      {
        id: 'gpt-transcribe',
        price: {
          usdPerAudioHour: 0.27,
          ...unknownRounding,
          source: 'https://developers.openai.com/api/docs/models/gpt-transcribe',
          date: '2026-11-23',
        },
        retires: null,
      },
      // Their prices are by token: what an hour costs depends on what is said.
      { id: 'gpt-4o-transcribe', price: null, retires: openaiRetirement },
      { id: 'gpt-4o-mini-transcribe', price: null, retires: openaiRetirement },
      {
        id: 'whisper-1',
        price: {
          usdPerAudioHour: 0.36,
          ...exactSeconds,
          source: 'https://developers.openai.com/api/docs/models/whisper-1',
          date: '2026-11-21',
        },
        retires: openaiRetirement,
      },
    ],
    maxFileBytes: 25 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['times of words and segments, with gpt- models'],
    documentation: 'https://platform.openai.com/docs/api-reference/audio/createTranscription',
  },
  {
    id: 'groq',
    displayName: 'Groq',
    protocol: 'openai',
    baseUrl: 'https://api.groq.com/openai/v1',
    models: [
      { id: 'whisper-large-v3-turbo', price: null, retires: null },
      { id: 'whisper-large-v3', price: null, retires: null },
    ],
    maxFileBytes: 25 * megabyte,
    maxAudioSeconds: null,
    // Of an account without a plan; one with a plan has more: requestsPerMinute of the contender.
    maxRequestsPerMinute: 20,
    doesNotReturn: [],
    documentation: 'https://groq.com/GroqDocs/Groq%20ASR%20Model%20Guide.pdf',
  },
  {
    id: 'mistral',
    displayName: 'Mistral',
    protocol: 'openai',
    baseUrl: 'https://api.mistral.ai/v1',
    models: [
      // What the alias means changes, and its price with it.
      { id: 'voxtral-mini-latest', price: null, retires: null },
      {
        id: 'voxtral-mini-2507',
        price: {
          usdPerAudioHour: 0.12,
          ...unknownRounding,
          source: 'https://docs.mistral.ai/models/voxtral-mini-transcribe-25-07',
          date: '2026-11-23',
        },
        retires: null,
      },
    ],
    maxFileBytes: null,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['times of words'],
    documentation: 'https://docs.mistral.ai/capabilities/audio_transcription',
  },
  {
    id: 'fireworks',
    displayName: 'Fireworks',
    protocol: 'openai',
    baseUrl: 'https://audio-prod.us-virginia-1.direct.fireworks.ai/v1',
    models: [
      { id: 'whisper-v3', price: null, retires: null },
      {
        id: 'whisper-v3-turbo',
        baseUrl: 'https://audio-turbo.us-virginia-1.direct.fireworks.ai/v1',
        price: {
          usdPerAudioHour: 0.054,
          ...unknownRounding,
          source: 'https://fireworks.ai/models/fireworks/whisper-v3-turbo',
          date: '2026-11-23',
        },
        retires: null,
      },
    ],
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: [],
    documentation: 'https://docs.fireworks.ai/api-reference/audio-transcriptions',
  },
  {
    id: 'deepgram',
    displayName: 'Deepgram',
    protocol: 'deepgram',
    baseUrl: 'https://api.deepgram.com',
    // What others report of its prices contradicts itself.
    models: [
      { id: 'nova-3', price: null, retires: null },
      { id: 'nova-2', price: null, retires: null },
    ],
    maxFileBytes: 2000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: [],
    documentation: 'https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded',
  },
  {
    id: 'elevenlabs',
    displayName: 'ElevenLabs',
    protocol: 'elevenlabs',
    baseUrl: 'https://api.elevenlabs.io',
    models: [
      { id: 'scribe_v2', price: null, retires: null },
      {
        id: 'scribe_v1',
        price: null,
        retires: {
          date: null,
          successor: 'scribe_v2',
          source: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
        },
      },
    ],
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['segments'],
    documentation: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
  },
  {
    id: 'assemblyai',
    displayName: 'AssemblyAI',
    protocol: 'assemblyai',
    baseUrl: 'https://api.assemblyai.com',
    models: [
      { id: 'universal-3-pro', price: null, retires: null },
      {
        id: 'universal-2',
        price: {
          usdPerAudioHour: 0.15,
          ...exactSeconds,
          source: 'https://www.assemblyai.com/pricing',
          date: '2026-10-07',
        },
        retires: null,
      },
    ],
    maxFileBytes: 2200 * megabyte,
    maxAudioSeconds: 36_000,
    maxRequestsPerMinute: null,
    doesNotReturn: ['segments'],
    documentation: 'https://www.assemblyai.com/docs/openapi.json',
  },
  {
    id: 'speechmatics',
    displayName: 'Speechmatics',
    protocol: 'speechmatics',
    baseUrl: 'https://eu1.asr.api.speechmatics.com',
    models: [
      { id: 'enhanced', price: null, retires: null },
      { id: 'standard', price: null, retires: null },
    ],
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['segments'],
    documentation: 'https://docs.speechmatics.com/speech-to-text/batch/output',
  },
  {
    id: 'gladia',
    displayName: 'Gladia',
    protocol: 'gladia',
    baseUrl: 'https://api.gladia.io',
    models: [{ id: 'solaria-1', price: null, retires: null }],
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: 8_100,
    maxRequestsPerMinute: null,
    doesNotReturn: ['times of words'],
    documentation: 'https://docs.gladia.io/api-reference/pre-recorded-flow',
  },
  {
    id: 'google',
    displayName: 'Google Cloud',
    protocol: 'google',
    baseUrl: 'https://speech.googleapis.com/v1',
    // No page of the provider with a price was found.
    models: [
      { id: 'latest_long', price: null, retires: null },
      { id: 'latest_short', price: null, retires: null },
    ],
    // The whole request may have 10 MB, and base64 makes four bytes of three.
    maxFileBytes: 7.5 * megabyte,
    maxAudioSeconds: 60,
    maxRequestsPerMinute: 900,
    doesNotReturn: ['segments', 'times of words'],
    documentation: 'https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize',
  },
  {
    id: 'azure',
    displayName: 'Azure',
    protocol: 'azure',
    // Its address is that of the account: AZURE_BASE_URL.
    baseUrl: 'https://westeurope.api.cognitive.microsoft.com',
    models: [{ id: 'base', price: null, retires: null }],
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['segments', 'times of words'],
    documentation:
      'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create',
  },
  {
    id: 'aws',
    displayName: 'Amazon Transcribe',
    protocol: 'aws',
    // That of the region: AWS_REGION.
    baseUrl: 'https://transcribe.us-east-1.amazonaws.com',
    models: [{ id: 'standard', price: null, retires: null }],
    maxFileBytes: 2000 * megabyte,
    maxAudioSeconds: 14_400,
    maxRequestsPerMinute: 1500,
    doesNotReturn: ['segments', 'times of words'],
    documentation:
      'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html',
  },
]
