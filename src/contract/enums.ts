import { z } from 'zod'

/** Values this version of the contract lists, or any other string a newer server may send. */
export type Open<Listed extends string> = Listed | (string & Record<never, never>)

/**
 * A string for which the contract lists values, read tolerantly: a value that is not listed is kept as it
 * came. Ask `isListed` where the difference matters.
 */
export function openEnum<Listed extends string>(_listed: readonly Listed[]): z.ZodType<Open<Listed>> {
  return z.string()
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
