import { z } from 'zod'
import {
  type ModelKind,
  modelKinds,
  type Open,
  openEnum,
  type ProviderState,
  providerStates,
  type RecorderStateName,
  type RecordingStatus,
  recorderStates,
  recordingStatuses,
} from './enums.ts'

/** A past transcript. */
export interface Recording {
  readonly id: string
  readonly text: string
  readonly postProcessedText: string
  readonly transcribedText: string
  /** ISO 8601. */
  readonly date: string
  /** Length of the audio in seconds. */
  readonly duration: number
  readonly mode: string
  readonly transcriptionProvider: string
  readonly postProcessingProvider: string
  readonly status: Open<RecordingStatus>
  readonly audioFilePath: string
}

/** Some fields come as null from services in the field; null reads as "nothing there". */
const textOrNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
  .pipe(z.string())

export const recording: z.ZodType<Recording> = z.looseObject({
  id: z.string(),
  text: textOrNothing,
  postProcessedText: textOrNothing,
  transcribedText: textOrNothing,
  date: z.string(),
  duration: z.number(),
  mode: textOrNothing,
  transcriptionProvider: textOrNothing,
  postProcessingProvider: textOrNothing,
  status: openEnum(recordingStatuses),
  audioFilePath: textOrNothing,
})

/** One entry of `GET /models`. Cloud entries count as installed. */
export interface ModelEntry {
  readonly id: string
  readonly kind: Open<ModelKind>
  /** `local` for local engines, otherwise the cloud provider's id. */
  readonly provider: string
  readonly displayName: string
  readonly installed: boolean
  readonly size_mb: number | null
}

export const modelEntry: z.ZodType<ModelEntry> = z.looseObject({
  id: z.string(),
  kind: openEnum(modelKinds),
  provider: z.string(),
  displayName: z.string(),
  installed: z.boolean(),
  size_mb: z.number().nullable().default(null),
})

/** State of the live microphone recorder; Linux only. */
export interface RecorderState {
  readonly is_recording: boolean
  readonly state: Open<RecorderStateName>
}

export const recorderState: z.ZodType<RecorderState> = z.looseObject({
  is_recording: z.boolean(),
  state: openEnum(recorderStates),
})

/** What the service last knew of one cloud provider. Cached: not asked for anew by `/health`. */
export interface ProviderStatus {
  readonly id: string
  /** True as well for a provider that needs no key. */
  readonly key_present: boolean
  readonly reachable: boolean
  readonly status: Open<ProviderState>
}

export const providerStatus: z.ZodType<ProviderStatus> = z.looseObject({
  id: z.string(),
  key_present: z.boolean(),
  reachable: z.boolean(),
  status: openEnum(providerStates),
})

export interface LocalModel {
  readonly id: string
  readonly displayName: string
  readonly installed: boolean
}

/** The inventories of `local_models`, as the specification names them. */
export const localModelKeys = [
  'engine_a',
  'engine_b',
  'engine_c',
  'engine_d',
  'platform_speech',
  'local_llm',
] as const
export type LocalModelKey = (typeof localModelKeys)[number]

/** Answer of `GET /health`, the one endpoint without authentication. */
export interface HealthSnapshot {
  readonly ok: boolean
  readonly app_version: string
  readonly api_version: number
  readonly port: number
  readonly pid: number
  readonly providers: readonly ProviderStatus[]
  readonly post_processing_providers: readonly ProviderStatus[]
  readonly local_models: Readonly<Record<string, readonly LocalModel[]>>
  /**
   * What a service says of how it was started, as far as a figure can hang on it: `threads`, `instances`. Our service's
   * own addition, so that comparisons see it; absent elsewhere.
   */
  readonly service_settings?: Readonly<Record<string, number | string | boolean | null>> | undefined
  /** Whether the service can do what it was started for. Our service's own addition; absent elsewhere. */
  readonly status?: Open<'ok' | 'degraded'> | undefined
  /** Why it is degraded; empty where it is not. Our service's own addition. */
  readonly problems?: readonly HealthProblem[] | undefined
}

/** A model that was to be loaded at the start, and could not be. */
export interface HealthProblem {
  readonly model: string
  readonly reason: string
}

export const healthSnapshot: z.ZodType<HealthSnapshot> = z.looseObject({
  ok: z.boolean(),
  app_version: z.string(),
  api_version: z.int(),
  port: z.int(),
  pid: z.int(),
  providers: z.array(providerStatus).default([]),
  post_processing_providers: z.array(providerStatus).default([]),
  local_models: z
    .record(
      z.string(),
      z.array(z.looseObject({ id: z.string(), displayName: z.string(), installed: z.boolean() })),
    )
    .default({}),
  // Whatever else a service may mean by this word is no reason to call its answer malformed.
  service_settings: z
    .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]))
    .optional()
    .catch(undefined),
  status: z.string().optional().catch(undefined),
  problems: z
    .array(z.looseObject({ model: z.string(), reason: z.string() }))
    .optional()
    .catch(undefined),
})

/** Content of `local-api.json`. A client needs `port` and `token` only. Never print or store the token. */
export interface DiscoveryFile {
  readonly port: number
  readonly token: string
  readonly pid?: number | undefined
  readonly started_at?: string | undefined
  readonly api_version?: number | undefined
  readonly app_version?: string | undefined
}

export const discoveryFileName = 'local-api.json'

export const discoveryFile: z.ZodType<DiscoveryFile> = z.looseObject({
  port: z.int().min(1).max(65_535),
  token: z.string().min(1),
  pid: z.int().optional(),
  started_at: z.string().optional(),
  api_version: z.int().optional(),
  app_version: z.string().optional(),
})
