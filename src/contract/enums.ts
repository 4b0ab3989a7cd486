import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

/** Values this version of the contract lists, or any other string a newer server may send. */
export type Open<Listed extends string> = Listed | (string & Record<never, never>)

/**
 * A string for which the contract lists values, read tolerantly: a value that is not listed is kept as it
 * came. Ask `isListed` where the difference matters.
 */
export function openEnum<Listed extends string>(_listed: readonly Listed[]): z.ZodType<Open<Listed>> {
  return z.string()
}

/** Parser of an object that a server sends: fields that this version does not know are kept, and are not in the type. */
export function tolerant<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodType<DeepReadonly<z.infer<z.ZodObject<Shape>>>> {
  return z.looseObject(shape) as z.ZodType as z.ZodType<DeepReadonly<z.infer<z.ZodObject<Shape>>>>
}

/** Whether a value received is one that this version of the contract lists. */
export function isListed<Listed extends string>(
  listed: readonly Listed[],
  value: string | null | undefined,
): value is Listed {
  return (listed as readonly (string | null | undefined)[]).includes(value)
}

/** How a Mode writes: the style that post-processing aims for. */
export const modePresets = ['hyper', 'message', 'mail', 'note', 'meeting', 'code', 'custom'] as const
export type ModePreset = (typeof modePresets)[number]

export const englishSpellings = ['american', 'british', 'australian', 'canadian'] as const
export type EnglishSpelling = (typeof englishSpellings)[number]

/** 0 off, 1 in the cloud, 2 by a local language model. */
export const postProcessingModes = [0, 1, 2] as const
export type PostProcessingMode = (typeof postProcessingModes)[number]

export const modelKinds = ['voice', 'text'] as const
export type ModelKind = (typeof modelKinds)[number]

export const modelKindFilters = ['voice', 'text', 'all'] as const
export type ModelKindFilter = (typeof modelKindFilters)[number]

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
export type RecordingStatus = (typeof recordingStatuses)[number]

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

/** The build that the application has for an operating system. */
export function hostPlatform(system: NodeJS.Platform): Platform {
  if (system === 'darwin') return 'macos'
  return system === 'win32' ? 'windows' : 'linux'
}

/** Sizes in bytes (of text: characters, which are ASCII here), from the Limits section of the specification. */
export const limits = {
  /** 48 MiB: audio by path, as a multipart part, and as the decoded bytes of `audio_base64`. */
  audioBytes: 50_331_648,
  /** 50 MiB: a whole request body. 37.5 MiB of audio is its base64 equivalent. */
  requestBytes: 52_428_800,
  /** The body limit of older Windows builds, which have no audio limit. */
  legacyWindowsRequestBytes: 30_000_000,
  searchResults: { minimum: 1, maximum: 500, default: 50 },
  /** macOS: beyond these a bare 431, and the connection closes. */
  requestHead: { lineBytes: 8_192, totalBytes: 65_536 },
  /** macOS takes 16 bits; the others take 32. */
  sortOrder: { minimum: -32_768, maximum: 32_767 },
  sortOrderElsewhere: { minimum: -2_147_483_648, maximum: 2_147_483_647 },
  /** The longest text of a Mode's field, in UTF-16 code units; see `modeTextLimits` for the field of each. */
  modeText: { identifier: 1_000, instructions: 100_000, vocabularyWord: 100 },
  /** Words of a Mode's custom vocabulary. */
  vocabularyWords: 10_000,
} as const

/** Time-outs that the specification leaves open. */
export const timeouts = {
  /** The service gives up on a transcription after this long. */
  serviceSeconds: 600,
  /** A client waits this long, plus `clientPerAudioSecond` for every second of audio. */
  clientSeconds: 60,
  clientPerAudioSecond: 2,
} as const

/** The only version of the API there is. Another one is reported, recorded and tried. */
export const apiVersion = 1

/** Whether a host name is this machine: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
