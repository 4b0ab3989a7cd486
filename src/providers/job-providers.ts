import { megabyte, nearestSecond, type ProviderData } from './provider.ts'
import {
  assemblyaiOptions,
  awsOptions,
  azureOptions,
  gladiaOptions,
  speechmaticsOptions,
} from './provider-options.ts'

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
      { id: 'solaria-1', price: null, retires: null },
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
