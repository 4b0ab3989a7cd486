import { limits, type Platform } from '#contract/enums'
import { type FailureCode, limitMessages } from '#contract/failures'
import { macosRequiredModeFields, type WritableModeField } from '#contract/modes'
import { envelope, type Refusal } from './http/call.ts'

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
