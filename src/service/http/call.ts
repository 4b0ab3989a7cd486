import type { IncomingMessage } from 'node:http'
import type { Answers, EndpointName } from '#contract/endpoints'
import { limits, type Platform } from '#contract/enums'
import { type FailureCode, limitMessages } from '#contract/failures'
import { macosRequiredModeFields, type WritableModeField } from '#contract/modes'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Memory } from '../waiting.ts'

/** One authenticated request, as a handler sees it. */
export interface Call {
  /** The `:id` of the path, decoded; empty where the path has none. */
  readonly id: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  /** Aborted when the client has gone away, or the service stops. */
  readonly signal: AbortSignal
  /** The build that is answered as. */
  readonly profile: Profile
  /** Where bodies and recordings wait for memory. */
  readonly memory: Memory
  /** `performance.now()` when the request's head had been read. */
  readonly arrivedAtMs: number
}

export type Handler<Name extends EndpointName> = (call: Call) => Promise<Outcome<Answers[Name], Refusal>>

/** What answers each endpoint. An endpoint without a handler is a route that does not exist. */
export type Handlers = { readonly [Name in EndpointName]?: Handler<Name> }

/** Why a request gets no answer: a failure of the closed set, or a bare HTTP status. */
export type Refusal =
  | {
      readonly kind: 'envelope'
      /** 200 for every failure of the work itself; 4xx where the protocol was not kept. */
      readonly httpStatus: number
      readonly code: FailureCode
      readonly message: string
      readonly hint: string | null
      /** Sent as the header `Retry-After`; null where nothing is known of it. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'bare'; readonly httpStatus: number }

type RefusalDetails = Partial<
  Pick<Extract<Refusal, { kind: 'envelope' }>, 'hint' | 'httpStatus' | 'retryAfterSeconds'>
>

export function envelope(
  code: FailureCode,
  message: string,
  { hint = null, httpStatus = 200, retryAfterSeconds = null }: RefusalDetails = {},
): Refusal {
  return { kind: 'envelope', httpStatus, code, message, hint, retryAfterSeconds }
}

/** A failed outcome with an envelope. */
export function refused(
  code: FailureCode,
  message: string,
  hint: string | null = null,
): Outcome<never, Refusal> {
  return failed(envelope(code, message, { hint }))
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @returns the id in the spelling in which ids are stored */
export function readId(text: string): Outcome<string, Refusal> {
  const id = text.toLowerCase()
  return uuid.test(id) ? succeeded(id) : refused('INVALID_REQUEST', 'The id is not a UUID.')
}

/** Everything in which the builds of the application differ, as far as a client can see it. */
export interface Profile {
  readonly platform: Platform
  /** Larger bodies are refused. */
  readonly requestBytes: number
  /** How a body over `requestBytes` is refused: on `/transcribe`, and on the other routes that read one. */
  readonly oversize: { readonly transcribe: Refusal; readonly elsewhere: Refusal }
  /** Larger recordings are refused, however they come; null for no such limit. */
  readonly audioBytes: number | null
  /** Whether `POST /transcribe` takes `multipart/form-data` as well. */
  readonly takesMultipart: boolean
  /** A larger line, or a larger request head in all, gets a bare 431 and the connection closes; null for no such limits. */
  readonly head: { readonly lineBytes: number; readonly totalBytes: number } | null
  /** What a `file` outside the allowed directories is refused with. */
  readonly outsideFile: Extract<FailureCode, 'FILE_ACCESS_DENIED' | 'FILE_NOT_ALLOWED'>
  /** Whether null in a PATCH clears a clearable field and is refused for others; else null is as if left out, in every field. */
  readonly nullClears: boolean
  /** Whether the build knows the five fields that only Windows has. */
  readonly hasWindowsFields: boolean
  /** The values that a Mode's `sortOrder` takes. */
  readonly sortOrder: { readonly minimum: number; readonly maximum: number }
  /** Fields without which a Mode is not created. */
  readonly requiredModeFields: readonly WritableModeField[]
  /** `unicode` also normalises, trims what cannot be seen, and wants something that can. */
  readonly nameRules: 'unicode' | 'whitespace'
}

const enveloped = envelope('INVALID_REQUEST', limitMessages.request)
const unenveloped: Refusal = { kind: 'bare', httpStatus: 413 }
const malformed = envelope('INVALID_REQUEST', limitMessages.legacyWindows, { httpStatus: 400 })

const windows: Profile = {
  platform: 'windows',
  requestBytes: limits.requestBytes,
  oversize: { transcribe: enveloped, elsewhere: enveloped },
  audioBytes: limits.audioBytes,
  takesMultipart: false,
  head: null,
  outsideFile: 'FILE_NOT_ALLOWED',
  nullClears: false,
  hasWindowsFields: true,
  sortOrder: limits.sortOrderElsewhere,
  requiredModeFields: ['name'],
  nameRules: 'whitespace',
}

/** The table of differences between the builds. */
export const profiles: Readonly<Record<Platform, Profile>> = {
  macos: {
    platform: 'macos',
    requestBytes: limits.requestBytes,
    oversize: { transcribe: enveloped, elsewhere: enveloped },
    audioBytes: limits.audioBytes,
    takesMultipart: false,
    head: limits.requestHead,
    outsideFile: 'FILE_ACCESS_DENIED',
    nullClears: true,
    hasWindowsFields: false,
    sortOrder: limits.sortOrder,
    requiredModeFields: macosRequiredModeFields,
    nameRules: 'unicode',
  },
  windows,
  'windows-legacy': {
    ...windows,
    platform: 'windows-legacy',
    requestBytes: limits.legacyWindowsRequestBytes,
    oversize: { transcribe: malformed, elsewhere: malformed },
    audioBytes: null,
  },
  linux: {
    ...windows,
    platform: 'linux',
    takesMultipart: true,
    oversize: { transcribe: enveloped, elsewhere: unenveloped },
    nullClears: true,
  },
}
