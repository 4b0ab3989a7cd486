import { z } from 'zod'
import { type EndpointName, endpoints } from '#contract/endpoints'
import { modelKinds, providerStates, recorderStates, recordingStatuses } from '#contract/enums'
import { errorEnvelope, type FailureCode } from '#contract/failures'
import { conformanceModeName, modeFieldParsers, windowsModeFields } from '#contract/modes'
import { localModelKeys } from '#contract/resources'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  ask,
  asObject,
  asObjects,
  type Exchange,
  type Fault,
  type JsonObject,
  type Reply,
  shortened,
} from './conformance-case.ts'

/** Describes a response in one line. */
export function describeReply(reply: Reply): string {
  if (reply.status === null) return `${reply.request}: no answer (${reply.fault})`
  const text = reply.text.replace(/\s+/g, ' ').trim()
  const body = text === '' ? 'without a body' : shortened(text, 160)
  return `${reply.request}: HTTP ${reply.status} ${body}`
}

export function expectStatus(reply: Reply, status: number): Fault {
  return reply.status === status ? null : `${describeReply(reply)}; HTTP ${status} was due`
}

/** Expects HTTP 200, `ok: true`, and a body that the endpoint's tolerant parser accepts. */
export function expectAnswer(reply: Reply, name: EndpointName): Fault {
  if (reply.status !== 200 || reply.json['ok'] !== true) {
    return `${describeReply(reply)}; HTTP 200 with ok: true was due`
  }
  return expectShape(reply, endpoints[name].answer, reply.json)
}

/** Expects that `part` of a response fits a schema; `place` is the path of the part in the body. */
export function expectShape(reply: Reply, schema: z.ZodType, part: unknown, place = ''): Fault {
  const parsed = schema.safeParse(part)
  if (parsed.success) return null
  const [issue] = parsed.error.issues
  const path = [place, ...(issue?.path ?? [])].filter((step) => step !== '').join('.')
  return `${reply.request}: ${path === '' ? 'the body' : path}: ${issue?.message ?? 'of another shape'}`
}

/** Expects an error envelope with one of the codes; by default with HTTP 200 and any message. */
export function expectRefusal(
  reply: Reply,
  code: FailureCode | readonly FailureCode[],
  { status = 200, message }: { readonly status?: number; readonly message?: string } = {},
): Fault {
  const codes: readonly string[] = typeof code === 'string' ? [code] : code
  const due = `HTTP ${status} with ${codes.join(' or ')}${message === undefined ? '' : ` and "${message}"`}`
  const envelope = errorEnvelope.safeParse(reply.json)
  const isRight =
    reply.status === status &&
    envelope.success &&
    codes.includes(envelope.data.error.code) &&
    (message === undefined || envelope.data.error.message === message)
  return isRight ? null : `${describeReply(reply)}; ${due} was due`
}

/** Expects a status without an error envelope. */
export function expectBare(reply: Reply, status: number): Fault {
  const isBare = reply.status === status && !errorEnvelope.safeParse(reply.json).success
  return isBare ? null : `${describeReply(reply)}; a bare HTTP ${status} without an envelope was due`
}

/** Expects a refusal of any kind: an envelope or a status of 400 and above. */
export function expectNoSuccess(reply: Reply): Fault {
  const isRefused = reply.json['ok'] === false || (reply.status !== null && reply.status >= 400)
  return isRefused ? null : `${describeReply(reply)}; a refusal was due`
}

/** Expects equal JSON, regardless of the order of fields. A null field counts as absent. */
export function expectSame(reply: Reply, what: string, seen: unknown, due: unknown): Fault {
  if (comparable(seen) === comparable(due)) return null
  return `${reply.request}: ${what} is ${shortened(JSON.stringify(seen) ?? 'absent', 80)}; ${shortened(JSON.stringify(due), 80)} was due`
}

function comparable(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    const fields = Object.entries(part).filter(([, field]) => field !== null)
    return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}

/** A name that only this run uses. */
export function ourName(exchange: Pick<Exchange, 'runId'>, label: string): string {
  return conformanceModeName(exchange.runId, label)
}

export function isOurName(exchange: Pick<Exchange, 'runId'>, name: unknown): boolean {
  return typeof name === 'string' && name.startsWith(ourName(exchange, ''))
}

/** The body of a new Mode, with all fields that a build requires, and the given ones. */
export function draftFinding(exchange: Exchange, label: string, fields: JsonObject = {}): JsonObject {
  return {
    name: ourName(exchange, label),
    preset: 'note',
    language: 'en',
    model: 'a-local-model',
    punctuation: true,
    capitalization: true,
    profanityFilter: false,
    ...fields,
  }
}

/** A Mode that this run created, as the server returned it. */
export type OwnMode = JsonObject & { readonly id: string }

/** Creates a Mode that a case needs; the failure is the case's fault. */
export async function createMode(
  exchange: Exchange,
  label: string,
  fields: JsonObject = {},
): Promise<Outcome<OwnMode, string>> {
  const reply = await ask(exchange, 'POST', '/modes', { json: draftFinding(exchange, label, fields) })
  const mode = readMode(reply)
  return mode === null ? failed(describeReply(reply)) : succeeded(mode)
}

/** The `mode` of a response, or null. */
export function readMode(reply: Reply): OwnMode | null {
  const mode = asObject(reply.json['mode'])
  return reply.json['ok'] === true && typeof mode['id'] === 'string' ? (mode as OwnMode) : null
}

export function patchMode(exchange: Exchange, id: string, json: JsonObject): Promise<Reply> {
  return ask(exchange, 'PATCH', `/modes/${id}`, { json })
}

export async function listModes(exchange: Exchange): Promise<readonly JsonObject[]> {
  return asObjects((await ask(exchange, 'GET', '/modes')).json['modes'])
}

/** Compares fields of a response's Mode with their expected values. */
export function expectMode(reply: Reply, due: JsonObject): Fault {
  const fault = expectAnswer(reply, 'getMode')
  if (fault !== null) return fault
  const mode = asObject(reply.json['mode'])
  return (
    Object.entries(due)
      .map(([field, value]) => expectSame(reply, field, mode[field], value))
      .find((fault) => fault !== null) ?? null
  )
}

/**
 * Shapes of the server's responses: strict where the clients' parsers tolerate missing fields. A nullable
 * field may be absent, because some applications omit it. Additional fields are allowed.
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

/** A server may use other keys, because the specification replaces vendor names in them. */
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
