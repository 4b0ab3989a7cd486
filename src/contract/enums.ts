import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

/** A value that this version of the contract lists, or any other string that a newer server may send. */
export type Open<Listed extends string> = Listed | (string & Record<never, never>)

/**
 * Tolerant parser of a string for which the contract lists values: an unlisted value is kept unchanged. Use
 * `isListed` where the difference matters.
 */
export function openEnum<Listed extends string>(_listed: readonly Listed[]): z.ZodType<Open<Listed>> {
  return z.string()
}

/** Tolerant parser of an object that a server sends: unknown fields are kept, but are not in the type. */
export function tolerant<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodType<DeepReadonly<z.infer<z.ZodObject<Shape>>>> {
  return z.looseObject(shape) as z.ZodType as z.ZodType<DeepReadonly<z.infer<z.ZodObject<Shape>>>>
}

/** Whether this version of the contract lists a received value. */
export function isListed<Listed extends string>(
  listed: readonly Listed[],
  value: string | null | undefined,
): value is Listed {
  return (listed as readonly (string | null | undefined)[]).includes(value)
}

/** Presets of a Mode: the writing style that post-processing aims for. */
export const modePresets = ['hyper', 'message', 'mail', 'note', 'meeting', 'code', 'custom'] as const
export type ModePreset = (typeof modePresets)[number]

export const englishSpellings = ['american', 'british', 'australian', 'canadian'] as const
export type EnglishSpelling = (typeof englishSpellings)[number]

/** Post-processing of a Mode: 0 off, 1 in the cloud, 2 by a local language model. */
export const postProcessingModes = [0, 1, 2] as const

export const modelKinds = ['voice', 'text'] as const
export type ModelKind = (typeof modelKinds)[number]

export const modelKindFilters = ['voice', 'text', 'all'] as const

export const providerStates = [
  'unknown',
  'checking',
  'healthy',
  'unauthorized',
  'unreachable',
  'notInstalled',
] as const
export type ProviderState = (typeof providerStates)[number]

export const recordingStatuses = ['completed', 'failed', 'cancelled', 'processing'] as const

/** Recorder states of the Linux profile. `is_recording` is true in `recording` only. */
export const recorderStates = [
  'idle',
  'recording',
  'stopping',
  'transcribing',
  'retrying',
  'completed',
  'cancelled',
  'failed',
] as const
export type RecorderStateName = (typeof recorderStates)[number]

export const timestampGranularities = ['segment', 'word'] as const
export type TimestampGranularity = (typeof timestampGranularities)[number]

/** The platform builds whose behaviour the specification distinguishes. */
export const platforms = ['macos', 'windows', 'windows-legacy', 'linux'] as const
export type Platform = (typeof platforms)[number]

/** The platform build of the application for an operating system. */
export function hostPlatform(system: NodeJS.Platform): Platform {
  if (system === 'darwin') return 'macos'
  return system === 'win32' ? 'windows' : 'linux'
}

/** Limits from the specification. Sizes are in bytes; those of text are in characters, which are ASCII here. */
export const limits = {
  /** 48 MiB: limit of audio by path, of a multipart part, and of the decoded bytes of `audio_base64`. */
  audioBytes: 50_331_648,
  /** 50 MiB: limit of a whole request body; base64 of 37.5 MiB of audio reaches it. */
  requestBytes: 52_428_800,
  /** Body limit of older Windows builds, which have no audio limit. */
  legacyWindowsRequestBytes: 30_000_000,
  searchResults: { minimum: 1, maximum: 500, default: 50 },
  /** macOS only: a larger request head gets HTTP 431 without a body, and the connection closes. */
  requestHead: { lineBytes: 8_192, totalBytes: 65_536 },
  /** Range on macOS, which stores 16 bits; the other builds store 32. */
  sortOrder: { minimum: -32_768, maximum: 32_767 },
  sortOrderElsewhere: { minimum: -2_147_483_648, maximum: 2_147_483_647 },
  /** Maximum length of text fields of a Mode, in UTF-16 code units; `modeTextLimits` maps fields to them. */
  modeText: { identifier: 1_000, instructions: 100_000, vocabularyWord: 100 },
  /** Maximum number of words in a Mode's custom vocabulary. */
  vocabularyWords: 10_000,
} as const

/** What a build accepts of a recording. */
export interface UploadLimits {
  /** Maximum size of a request body. */
  readonly requestBytes: number
  /** Maximum size of a recording, by any transport; null for no separate limit. */
  readonly audioBytes: number | null
  /** Whether `POST /transcribe` accepts `multipart/form-data`. */
  readonly takesMultipart: boolean
}

const { requestBytes, audioBytes, legacyWindowsRequestBytes } = limits

/** The upload limits of each build. */
export const uploadLimits: Readonly<Record<Platform, UploadLimits>> = {
  macos: { requestBytes, audioBytes, takesMultipart: false },
  windows: { requestBytes, audioBytes, takesMultipart: false },
  'windows-legacy': { requestBytes: legacyWindowsRequestBytes, audioBytes: null, takesMultipart: false },
  linux: { requestBytes, audioBytes, takesMultipart: true },
}

/** Time-outs that the specification leaves open, in seconds. */
export const timeouts = {
  /** Time after which the service aborts a transcription. */
  serviceSeconds: 600,
  /** Time-out of a client, plus `clientPerAudioSecond` for every second of audio. */
  clientSeconds: 60,
  clientPerAudioSecond: 2,
} as const

/** The only version of the API so far. Another version is reported and recorded, and the run continues. */
export const apiVersion = 1

/** Whether a host name is a loopback address: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
