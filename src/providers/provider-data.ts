import { groqLanguages } from './languages.ts'
import {
  exactLength,
  mebibyte,
  megabyte,
  nearestSecond,
  type ProviderData,
  type Retirement,
} from './provider.ts'
import {
  assemblyaiOptions,
  awsOptions,
  azureFastOptions,
  azureOptions,
  deepgramOptions,
  elevenlabsOptions,
  fireworksOptions,
  gladiaOptions,
  googleOptions,
  groqOptions,
  mistralOptions,
  openaiOptions,
  speechmaticsOptions,
} from './provider-options.ts'

const openaiRetirement: Retirement = {
  date: '2027-02-26',
  successor: 'gpt-transcribe',
  source: 'https://developers.openai.com/api/docs/deprecations',
}

/** A request of less than ten seconds is billed as ten. */
const groqBilling = {
  ...exactLength,
  minimumSeconds: 10,
  source: 'https://console.groq.com/docs/speech-text',
  date: '2026-11-27',
} as const

/** Providers that answer with the text. */
export const oneShotProviders: readonly ProviderData[] = [
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
          ...exactLength,
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
          ...nearestSecond,
          source: 'https://developers.openai.com/api/docs/models/whisper-1',
          date: '2026-11-21',
        },
        retires: openaiRetirement,
      },
    ],
    modelSource: 'https://developers.openai.com/api/docs/guides/speech-to-text',
    readOn: '2026-11-27',
    options: openaiOptions,
    // https://help.openai.com/en/articles/7031512-whisper-api-faq
    maxFileBytes: 25 * mebibyte,
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
      { id: 'whisper-large-v3-turbo', price: { usdPerAudioHour: 0.04, ...groqBilling }, retires: null },
      { id: 'whisper-large-v3', price: { usdPerAudioHour: 0.111, ...groqBilling }, retires: null },
    ],
    modelSource: 'https://console.groq.com/docs/speech-text',
    readOn: '2026-11-27',
    options: groqOptions,
    languages: groqLanguages,
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
      // Their prices were found with others who sell them, which are not those of Mistral.
      { id: 'voxtral-mini-transcribe-3', price: null, retires: null },
      { id: 'voxtral-small-transcribe-3', price: null, retires: null },
      // What the alias means changes, and its price with it.
      { id: 'voxtral-mini-latest', price: null, retires: null },
      {
        id: 'voxtral-mini-2507',
        price: {
          usdPerAudioHour: 0.12,
          ...exactLength,
          source: 'https://docs.mistral.ai/models/voxtral-mini-transcribe-25-07',
          date: '2026-11-23',
        },
        retires: null,
      },
    ],
    modelSource: 'https://docs.mistral.ai/models',
    readOn: '2026-11-27',
    options: mistralOptions,
    maxFileBytes: null,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['times of words', 'times of segments where a contender names a language'],
    documentation: 'https://docs.mistral.ai/capabilities/audio_transcription/offline_transcription',
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
          ...exactLength,
          source: 'https://fireworks.ai/models/fireworks/whisper-v3-turbo',
          date: '2026-11-23',
        },
        retires: null,
      },
    ],
    modelSource: 'https://docs.fireworks.ai/api-reference/audio-transcriptions',
    readOn: '2026-11-23',
    options: fireworksOptions,
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
    modelSource: 'https://developers.deepgram.com/docs/models-languages-overview',
    readOn: '2026-11-27',
    options: deepgramOptions,
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
    modelSource: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
    readOn: '2026-11-27',
    options: elevenlabsOptions,
    maxFileBytes: 5000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['segments'],
    documentation: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
  },
  {
    id: 'azure-fast',
    displayName: 'Azure fast transcription',
    account: 'azure',
    protocol: 'azure-fast',
    // Its address is that of the account: AZURE_BASE_URL.
    baseUrl: 'https://westeurope.api.cognitive.microsoft.com',
    // Its page of prices has no figures in the copies that were found.
    models: [{ id: 'fast', price: null, retires: null }],
    modelSource:
      'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/fast-transcription-create',
    readOn: '2026-11-27',
    options: azureFastOptions,
    // https://www.npmjs.com/package/@azure/ai-speech-transcription/v/1.0.0
    maxFileBytes: 250 * megabyte,
    maxAudioSeconds: 7_200,
    maxRequestsPerMinute: null,
    doesNotReturn: [],
    documentation:
      'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/fast-transcription-create',
  },
  {
    id: 'google',
    displayName: 'Google Cloud',
    protocol: 'google',
    baseUrl: 'https://speech.googleapis.com/v1',
    // Its page of prices has no figures in the copies that were found.
    models: [
      { id: 'latest_long', price: null, retires: null },
      { id: 'latest_short', price: null, retires: null },
    ],
    // The whole request may have 10 MB, and base64 makes four bytes of three.
    modelSource: 'https://cloud.google.com/speech-to-text/docs/transcription-model',
    readOn: '2026-11-27',
    options: googleOptions,
    maxFileBytes: 7.5 * megabyte,
    maxAudioSeconds: 60,
    maxRequestsPerMinute: 900,
    doesNotReturn: ['segments'],
    documentation: 'https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize',
  },
]

/** Lengths are billed to the second: https://www.assemblyai.com/docs/billing-and-pricing.md. */
const assemblyaiBilling = {
  ...nearestSecond,
  source: 'https://www.assemblyai.com/pricing',
  date: '2026-10-07',
} as const

/** Providers that take a job and are asked for it until it has ended. */
export const jobProviders: readonly ProviderData[] = [
  {
    id: 'assemblyai',
    displayName: 'AssemblyAI',
    protocol: 'assemblyai',
    baseUrl: 'https://api.assemblyai.com',
    models: [
      { id: 'universal-3-5-pro', price: { usdPerAudioHour: 0.21, ...assemblyaiBilling }, retires: null },
      { id: 'universal-2', price: { usdPerAudioHour: 0.15, ...assemblyaiBilling }, retires: null },
      {
        id: 'universal-3-pro',
        price: null,
        retires: {
          date: null,
          successor: 'universal-3-5-pro',
          source: 'https://www.assemblyai.com/docs/getting-started/models.md',
        },
      },
    ],
    modelSource: 'https://www.assemblyai.com/docs/getting-started/models.md',
    readOn: '2026-11-27',
    options: assemblyaiOptions,
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
      { id: 'melia-1', price: null, retires: null },
      { id: 'oak-1', price: null, retires: null },
    ],
    modelSource: 'https://docs.speechmatics.com/speech-to-text/models',
    readOn: '2026-11-27',
    options: speechmaticsOptions,
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: null,
    // Ten new jobs a second: https://docs.speechmatics.com/speech-to-text/batch/limits.
    maxRequestsPerMinute: 600,
    doesNotReturn: ['segments'],
    documentation: 'https://docs.speechmatics.com/speech-to-text/batch/output',
  },
  {
    id: 'gladia',
    displayName: 'Gladia',
    protocol: 'gladia',
    baseUrl: 'https://api.gladia.io',
    models: [
      {
        id: 'solaria-1',
        // On the plan without a commitment.
        price: {
          usdPerAudioHour: 0.61,
          ...exactLength,
          source:
            'https://www.gladia.io/blog/openai-whisper-api-vs-gladia-a-technical-comparison-for-production-speech-to-text',
          date: '2026-11-28',
        },
        retires: null,
      },
      { id: 'solaria-3', price: null, retires: null },
      { id: 'solaria-fusion', price: null, retires: null },
    ],
    modelSource: 'https://docs.gladia.io/chapters/introduction/models',
    readOn: '2026-11-27',
    options: gladiaOptions,
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: 8_100,
    maxRequestsPerMinute: null,
    doesNotReturn: [],
    documentation: 'https://docs.gladia.io/api-reference/pre-recorded-flow',
  },
  {
    id: 'azure',
    displayName: 'Azure',
    protocol: 'azure',
    // Its address is that of the account: AZURE_BASE_URL.
    baseUrl: 'https://westeurope.api.cognitive.microsoft.com',
    models: [
      {
        id: 'base',
        // Its page of prices has no figures in the copies that were found.
        price: null,
        retires: null,
      },
    ],
    modelSource:
      'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create',
    readOn: '2026-11-27',
    options: azureOptions,
    maxFileBytes: 1000 * megabyte,
    maxAudioSeconds: null,
    maxRequestsPerMinute: null,
    doesNotReturn: ['segments'],
    documentation:
      'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create',
  },
  {
    id: 'aws',
    displayName: 'Amazon Transcribe',
    protocol: 'aws',
    // That of the region: AWS_REGION.
    baseUrl: 'https://transcribe.us-east-1.amazonaws.com',
    models: [
      {
        id: 'standard',
        // The same. It bills seconds begun, and at least 15 of a request: https://aws.amazon.com/transcribe/pricing/.
        price: null,
        retires: null,
      },
    ],
    modelSource: 'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html',
    readOn: '2026-11-27',
    options: awsOptions,
    maxFileBytes: 2000 * megabyte,
    maxAudioSeconds: 14_400,
    // Ten StartTranscriptionJob a second: https://docs.aws.amazon.com/transcribe/latest/dg/limits-guidelines.html.
    maxRequestsPerMinute: 600,
    doesNotReturn: ['segments'],
    documentation:
      'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html',
  },
]
