import { z } from 'zod'
import { modelKinds, openEnum, providerStates, recorderStates, recordingStatuses, tolerant } from './enums.ts'

/** Parser of a text that some deployed services send as null, which is read as an empty text. */
const textOrNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
  .pipe(z.string())

export const recording = tolerant({
  id: z.string(),
  text: textOrNothing,
  postProcessedText: textOrNothing,
  transcribedText: textOrNothing,
  /** Date and time, ISO 8601. */
  date: z.string(),
  /** Length of the audio in seconds. */
  duration: z.number(),
  mode: textOrNothing,
  transcriptionProvider: textOrNothing,
  postProcessingProvider: textOrNothing,
  status: openEnum(recordingStatuses),
  audioFilePath: textOrNothing,
})
/** A past transcript. */
export type Recording = z.infer<typeof recording>

export const modelEntry = tolerant({
  id: z.string().describe('Id of the model.'),
  kind: openEnum(modelKinds).describe('`voice` or `text`; other words of newer servers are kept.'),
  provider: z.string().describe("`local` for local engines, else the cloud provider's id."),
  displayName: z.string().describe('Name for people.'),
  installed: z.boolean().describe('Whether it can be used; always true for cloud models.'),
  size_mb: z.number().nullable().default(null).describe('Size in megabytes; null where it is not known.'),
}).meta({ id: 'ModelEntry', description: 'One model that a server lists.' })
/** One entry of `GET /models`. Cloud entries count as installed. */
export type ModelEntry = z.infer<typeof modelEntry>

export const recorderState = tolerant({ is_recording: z.boolean(), state: openEnum(recorderStates) })
/** State of the live microphone recorder; Linux only. */
export type RecorderState = z.infer<typeof recorderState>

export const providerStatus = tolerant({
  id: z.string().describe('Id of the provider.'),
  key_present: z.boolean().describe('Whether a key is set; also true where none is needed.'),
  reachable: z.boolean().describe('Whether it could be reached.'),
  status: openEnum(providerStates).describe('State; other words of newer servers are kept.'),
}).meta({ id: 'ProviderStatus', description: 'The last known state of one cloud provider.' })
/** The cached state of one cloud provider; `/health` does not query the provider. */
export type ProviderStatus = z.infer<typeof providerStatus>

export const localModel = tolerant({
  id: z.string().describe('Id of the model.'),
  displayName: z.string().describe('Name for people.'),
  installed: z.boolean().describe('Whether it is installed.'),
}).meta({ id: 'LocalModel', description: 'One local model.' })
export type LocalModel = z.infer<typeof localModel>

/** The keys of `local_models`, as the specification names them. */
export const localModelKeys = [
  'engine_a',
  'engine_b',
  'engine_c',
  'engine_d',
  'platform_speech',
  'local_llm',
] as const
export type LocalModelKey = (typeof localModelKeys)[number]

export const healthProblem = tolerant({
  model: z.string().describe('Id of the model.'),
  reason: z.string().describe('Why it could not be loaded.'),
}).meta({ id: 'HealthProblem', description: 'A model that could not be loaded at the start.' })
/** A model that should have been loaded at start, but failed to load. */
export type HealthProblem = z.infer<typeof healthProblem>

export const healthSnapshot = tolerant({
  ok: z.boolean().describe('Whether the service answers requests.'),
  app_version: z.string().describe('Version of the application.'),
  api_version: z.int().describe('Version of the API.'),
  port: z.int().describe('TCP port.'),
  pid: z.int().describe('Process id.'),
  providers: z.array(providerStatus).default([]).describe('Cloud providers of transcription.'),
  post_processing_providers: z.array(providerStatus).default([]).describe('Providers of post-processing.'),
  local_models: z.record(z.string(), z.array(localModel)).default({}).describe('Local models by engine.'),
  // Another service may use this name for something else, which does not make its response malformed.
  service_settings: z
    .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]))
    .optional()
    .catch(undefined)
    .describe(
      'How the reference service was started, as far as figures depend on it: `threads`, `instances`; absent elsewhere.',
    ),
  status: z
    .string()
    .optional()
    .catch(undefined)
    .describe('`ok` or `degraded`, of the reference service; absent elsewhere.'),
  problems: z
    .array(healthProblem)
    .optional()
    .catch(undefined)
    .describe('Why it is degraded, of the reference service; absent elsewhere.'),
}).meta({ id: 'HealthSnapshot', description: 'What the service reported about itself.' })
/** Answer of `GET /health`, the one endpoint without authentication. */
export type HealthSnapshot = z.infer<typeof healthSnapshot>

export const discoveryFileName = 'local-api.json'

export const discoveryFile = tolerant({
  port: z.int().min(1).max(65_535),
  token: z.string().min(1),
  pid: z.int().optional(),
  started_at: z.string().optional(),
  api_version: z.int().optional(),
  app_version: z.string().optional(),
})
/** Content of `local-api.json`. A client needs only `port` and `token`. The token must never be printed or stored. */
export type DiscoveryFile = z.infer<typeof discoveryFile>
