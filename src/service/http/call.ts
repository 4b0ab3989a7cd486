import type { IncomingMessage } from 'node:http'
import type { Answers, EndpointName } from '#contract/endpoints'
import { limits, type Platform, type UploadLimits, uploadLimits } from '#contract/enums'
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
  /** Aborted when the client disconnects or the service stops. */
  readonly signal: AbortSignal
  /** The platform build that the service imitates. */
  readonly profile: PlatformProfile
  /** Memory of bodies and recordings. */
  readonly memory: Memory
  /** `performance.now()` when the request's head had been read. */
  readonly arrivedAtMs: number
}

export type Handler<Name extends EndpointName> = (call: Call) => Promise<Outcome<Answers[Name], Refusal>>

/** The handlers of the endpoints. An endpoint without a handler is an unknown route. */
export type Handlers = { readonly [Name in EndpointName]?: Handler<Name> }

/** The failure of a request: an error envelope, or a bare HTTP status. */
export type Refusal =
  | {
      readonly kind: 'envelope'
      /** 200 for failures of the work itself; 4xx for violations of the protocol. */
      readonly httpStatus: number
      readonly code: FailureCode
      readonly message: string
      readonly hint: string | null
      /** Value of the header `Retry-After`; null where unknown. */
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

/** @returns the id in lower case, as it is stored */
export function readId(text: string): Outcome<string, Refusal> {
  const id = text.toLowerCase()
  return uuid.test(id) ? succeeded(id) : refused('INVALID_REQUEST', 'The id is not a UUID.')
}

/** The differences between the builds of the application that a client can observe. */
export interface PlatformProfile extends UploadLimits {
  readonly platform: Platform
  /** Refusal of a body over `requestBytes`: on `/transcribe`, and on other routes. */
  readonly oversize: { readonly transcribe: Refusal; readonly elsewhere: Refusal }
  /** Limits of the request head, beyond which the response is a bare 431 and the connection closes; null for none. */
  readonly head: { readonly lineBytes: number; readonly totalBytes: number } | null
  /** Code of the refusal of a `file` outside the allowed directories. */
  readonly outsideFile: Extract<FailureCode, 'FILE_ACCESS_DENIED' | 'FILE_NOT_ALLOWED'>
  /** Whether null in a PATCH clears clearable fields and is refused for others; if false, null counts as absent. */
  readonly nullClears: boolean
  /** Whether the build has the five fields of Windows. */
  readonly hasWindowsFields: boolean
  /** Range of a Mode's `sortOrder`. */
  readonly sortOrder: { readonly minimum: number; readonly maximum: number }
  /** Fields that are required to create a Mode. */
  readonly requiredModeFields: readonly WritableModeField[]
  /** `unicode` also normalises names, trims invisible characters, and requires a visible one. */
  readonly nameRules: 'unicode' | 'whitespace'
}

const enveloped = envelope('INVALID_REQUEST', limitMessages.request)
const unenveloped: Refusal = { kind: 'bare', httpStatus: 413 }
const malformed = envelope('INVALID_REQUEST', limitMessages.legacyWindows, { httpStatus: 400 })

const windows: PlatformProfile = {
  platform: 'windows',
  ...uploadLimits.windows,
  oversize: { transcribe: enveloped, elsewhere: enveloped },
  head: null,
  outsideFile: 'FILE_NOT_ALLOWED',
  nullClears: false,
  hasWindowsFields: true,
  sortOrder: limits.sortOrderElsewhere,
  requiredModeFields: ['name'],
  nameRules: 'whitespace',
}

/** The table of differences between the builds. */
export const platformProfiles: Readonly<Record<Platform, PlatformProfile>> = {
  macos: {
    platform: 'macos',
    ...uploadLimits.macos,
    oversize: { transcribe: enveloped, elsewhere: enveloped },
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
    ...uploadLimits['windows-legacy'],
    oversize: { transcribe: malformed, elsewhere: malformed },
  },
  linux: {
    ...windows,
    platform: 'linux',
    ...uploadLimits.linux,
    oversize: { transcribe: enveloped, elsewhere: unenveloped },
    nullClears: true,
  },
}
