import { z } from 'zod'
import {
  localModelKeys,
  modeFieldParsers,
  modelKinds,
  providerStates,
  recorderStates,
  recordingStatuses,
  windowsModeFields,
} from '#contract'

/**
 * What a server has to send, field by field: strict where the parsers for clients forgive what is left out. A field that may be
 * null may be absent, as an application in the field leaves it out. Fields beyond these are allowed.
 */

const text = z.string()
const count = z.int().min(0)
const dateTime = z.iso.datetime({ offset: true })

const provider: z.ZodType = z.looseObject({
  id: text,
  key_present: z.boolean(),
  reachable: z.boolean(),
  status: z.enum(providerStates),
})
export const providerShapes: z.ZodType = z.looseObject({
  providers: z.array(provider),
  post_processing_providers: z.array(provider),
})

export const healthShape: z.ZodType = z.looseObject({
  ok: z.boolean(),
  app_version: text,
  api_version: z.int(),
  port: z.int(),
  pid: z.int(),
  providers: z.array(z.unknown()),
  post_processing_providers: z.array(z.unknown()),
  local_models: z.looseObject({}),
})

/** The specification replaces the names of vendors in its keys, so that a server may have others. */
export const localModelsShape: z.ZodType = z
  .record(text, z.array(z.looseObject({ id: text, displayName: text, installed: z.boolean() })))
  .refine((inventories) => Object.keys(inventories).length >= localModelKeys.length, {
    message: `fewer than ${localModelKeys.length} inventories`,
  })

export const modelShape: z.ZodType = z.looseObject({
  id: text,
  kind: z.enum(modelKinds),
  provider: text,
  displayName: text,
  installed: z.boolean(),
  size_mb: z.number().nullish(),
})

const trailing: readonly string[] = ['cloudTranscriptionDomain', ...windowsModeFields]

export const modeShape: z.ZodType = z.looseObject({
  ...Object.fromEntries(
    Object.entries(modeFieldParsers).map(([field, parser]) => [
      field,
      trailing.includes(field) || parser.safeParse(null).success ? parser.optional() : parser,
    ]),
  ),
  id: z.guid(),
  sortOrder: z.int(),
  isSystemProvided: z.boolean(),
  createdDate: dateTime,
  modifiedDate: dateTime,
})

const recordingShape: z.ZodType = z.looseObject({
  id: z.guid(),
  text,
  postProcessedText: text,
  transcribedText: text,
  date: dateTime,
  duration: z.number().min(0),
  mode: text,
  transcriptionProvider: text,
  postProcessingProvider: text,
  status: z.enum(recordingStatuses),
  audioFilePath: text,
})

export const searchShape: z.ZodType = z.looseObject({
  ok: z.literal(true),
  total: count,
  returned: count,
  recordings: z.array(recordingShape),
})

export const recorderShape: z.ZodType = z
  .looseObject({ is_recording: z.boolean(), state: z.enum(recorderStates) })
  .refine(({ is_recording, state }) => is_recording === (state === 'recording'), {
    message: 'is_recording is true in the state recording, and in no other',
  })

export const transcriptionShape: z.ZodType = z.looseObject({
  ok: z.literal(true),
  text,
  engine: text,
  model: text,
  language: text.nullish(),
  timings: z.looseObject({ load_ms: count, decode_ms: count }),
  latency_ms: count,
})

export const postProcessedShape: z.ZodType = z.looseObject({
  ok: z.literal(true),
  text,
  provider: text,
  model: text,
  preset: text,
  latency_ms: count,
  post_processed: z.boolean(),
})

export const discoveryShape: z.ZodType = z.looseObject({
  pid: z.int().min(1),
  started_at: dateTime,
  api_version: z.int(),
  app_version: text,
})
