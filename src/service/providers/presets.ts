import {
  type LanguageTable,
  type OptionValues,
  type ProtocolName,
  type ProviderData,
  type ProviderProtocol,
  protocols,
  providerData,
  sentByDefault,
} from '#providers'

/** A provider that is known by name. */
export interface ProviderPreset {
  readonly id: string
  readonly displayName: string
  /** As an engines file names it. */
  readonly kind: ProtocolName
  readonly protocol: ProviderProtocol
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Whether it wants a key, out of `<ID>_API_KEY` where the engines file names no other variable. */
  readonly needsKey: boolean
  /** Default models; none where only the operator can know. */
  readonly models: readonly string[]
  /** What is sent with every request. */
  readonly options: OptionValues
  /** Codes of languages, where it has others than its protocol. */
  readonly languages?: LanguageTable | undefined
  /** What one request may hold. */
  readonly maxClipSeconds: number
}

/** Uploads of 25 MB are taken; ten minutes of our WAV are 19.2 MB. */
const maxFormSeconds = 600

/** Half an hour of samples, and as much again on its way, are 170 MB of memory. */
const maxStreamSeconds = 1_800

/** The local servers listen there by default. */
const localPresets: readonly ProviderPreset[] = [
  local('whisper-cpp', 'whisper.cpp', { baseUrl: 'http://127.0.0.1:8080/v1', models: ['whisper'] }),
  local('speaches', 'speaches', { baseUrl: 'http://127.0.0.1:8000/v1', models: [] }),
  local('vllm', 'vLLM', { baseUrl: 'http://127.0.0.1:8000/v1', models: [] }),
]

function local(
  id: string,
  displayName: string,
  at: Pick<ProviderPreset, 'baseUrl' | 'models'>,
): ProviderPreset {
  const protocol = { kind: 'openai', protocol: protocols.openai } as const
  return { id, displayName, ...protocol, ...at, needsKey: false, options: {}, maxClipSeconds: maxFormSeconds }
}

function cloud({
  id,
  displayName,
  protocol: kind,
  baseUrl,
  models,
  maxAudioSeconds,
  options,
  languages,
}: ProviderData): ProviderPreset {
  return {
    ...{ id, displayName, kind, baseUrl },
    protocol: protocols[kind],
    needsKey: true,
    options: sentByDefault({ options }),
    languages,
    models: models.filter((model) => model.baseUrl === undefined).map((model) => model.id),
    maxClipSeconds: Math.min(
      kind === 'openai' ? maxFormSeconds : maxStreamSeconds,
      maxAudioSeconds ?? Number.POSITIVE_INFINITY,
    ),
  }
}

/** Those that put recordings into a storage of the account are targets alone. */
export const providerPresets: readonly ProviderPreset[] = [
  ...providerData.filter(({ protocol }) => protocols[protocol].access.kind === 'key').map(cloud),
  ...localPresets,
]
