import { megabyte, nearestSecond, type ProviderData, secondsBegun } from './provider.ts'

/** Providers that take a job and are asked for it until it has ended. */
export const jobProviders: readonly ProviderData[] = [
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
          ...nearestSecond,
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
    id: 'azure',
    displayName: 'Azure',
    protocol: 'azure',
    // Its address is that of the account: AZURE_BASE_URL.
    baseUrl: 'https://westeurope.api.cognitive.microsoft.com',
    models: [
      {
        id: 'base',
        // Batch transcription, standard: the same in most regions.
        price: {
          usdPerAudioHour: 0.18,
          ...secondsBegun,
          source: 'https://azure.microsoft.com/en-us/pricing/details/cognitive-services/speech-services/',
          date: '2025-06-01',
        },
        retires: null,
      },
    ],
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
    models: [
      {
        id: 'standard',
        // The first 250,000 minutes of a month in us-east-1: 0.024 USD a minute.
        price: {
          usdPerAudioHour: 1.44,
          ...secondsBegun,
          minimumSeconds: 15,
          source: 'https://aws.amazon.com/transcribe/pricing/',
          date: '2025-06-01',
        },
        retires: null,
      },
    ],
    maxFileBytes: 2000 * megabyte,
    maxAudioSeconds: 14_400,
    maxRequestsPerMinute: 1500,
    doesNotReturn: ['segments', 'times of words'],
    documentation:
      'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html',
  },
]
