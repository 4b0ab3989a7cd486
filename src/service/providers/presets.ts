import { deepgramProtocol } from './deepgram.ts'
import { elevenlabsProtocol } from './elevenlabs.ts'
import { openaiProtocol } from './openai.ts'
import type { ProviderProtocol } from './provider.ts'

/** A provider that is known by name. */
export interface ProviderPreset {
  readonly id: string
  readonly displayName: string
  readonly protocol: ProviderProtocol
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Whether it wants a key, out of `<ID>_API_KEY` where the engines file names no other variable. */
  readonly needsKey: boolean
  /** Default models; none where only the operator can know. */
  readonly models: readonly string[]
  /** What one request may hold. */
  readonly maxClipSeconds: number
}

/** Uploads of 25 MB are taken; ten minutes of our WAV are 19.2 MB. */
const maxFormSeconds = 600

/** Half an hour of samples, and as much again on its way, are 170 MB of memory. */
const maxStreamSeconds = 1_800

/** Addresses and models as the providers document them; the local servers listen there by default. */
export const providerPresets: readonly ProviderPreset[] = [
  {
    id: 'openai',
    displayName: 'OpenAI',
    protocol: openaiProtocol,
    baseUrl: 'https://api.openai.com/v1',
    needsKey: true,
    models: ['gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'],
    maxClipSeconds: maxFormSeconds,
  },
  {
    id: 'groq',
    displayName: 'Groq',
    protocol: openaiProtocol,
    baseUrl: 'https://api.groq.com/openai/v1',
    needsKey: true,
    models: ['whisper-large-v3-turbo', 'whisper-large-v3'],
    maxClipSeconds: maxFormSeconds,
  },
  {
    id: 'mistral',
    displayName: 'Mistral',
    protocol: openaiProtocol,
    baseUrl: 'https://api.mistral.ai/v1',
    needsKey: true,
    models: ['voxtral-mini-latest'],
    maxClipSeconds: maxFormSeconds,
  },
  {
    id: 'deepgram',
    displayName: 'Deepgram',
    protocol: deepgramProtocol,
    baseUrl: 'https://api.deepgram.com',
    needsKey: true,
    models: ['nova-3', 'nova-2'],
    maxClipSeconds: maxStreamSeconds,
  },
  {
    id: 'elevenlabs',
    displayName: 'ElevenLabs',
    protocol: elevenlabsProtocol,
    baseUrl: 'https://api.elevenlabs.io',
    needsKey: true,
    models: ['scribe_v1'],
    maxClipSeconds: maxStreamSeconds,
  },
  {
    id: 'whisper-cpp',
    displayName: 'whisper.cpp',
    protocol: openaiProtocol,
    baseUrl: 'http://127.0.0.1:8080/v1',
    needsKey: false,
    models: ['whisper'],
    maxClipSeconds: maxFormSeconds,
  },
  {
    id: 'speaches',
    displayName: 'speaches',
    protocol: openaiProtocol,
    baseUrl: 'http://127.0.0.1:8000/v1',
    needsKey: false,
    models: [],
    maxClipSeconds: maxFormSeconds,
  },
  {
    id: 'vllm',
    displayName: 'vLLM',
    protocol: openaiProtocol,
    baseUrl: 'http://127.0.0.1:8000/v1',
    needsKey: false,
    models: [],
    maxClipSeconds: maxFormSeconds,
  },
]

/** Engines of providers that want a key, and money for each minute. */
export const cloudProviderIds: readonly string[] = providerPresets
  .filter(({ needsKey }) => needsKey)
  .map(({ id }) => id)
