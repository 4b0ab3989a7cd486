import { nearest } from '#prelude'
import type { Utterance } from '../utterance.ts'

/** One parsed line of a manifest, not yet checked. */
export interface ManifestRow {
  /** Line number, counted from 1. */
  readonly line: number
  readonly fields: Readonly<Partial<Record<ManifestField, unknown>>>
  /** Unknown keys of the line. */
  readonly unknownKeys?: readonly string[]
  /** Whether a missing id is derived from the file's name, as manifests of other projects require. */
  readonly mayLackId: boolean
}

/** Names of the fields: ours first, then those in NeMo manifests and in tables of other projects. */
const fieldNames = {
  id: ['id', 'utterance_id', 'utt_id', 'uttid', 'utterance'],
  audio: ['audio', 'audio_filepath', 'audio_path', 'path', 'file', 'filename', 'file_name', 'wav'],
  text: ['text', 'transcript', 'transcription', 'sentence', 'reference'],
  choices: ['choices'],
  draft: ['draft'],
  durationSeconds: ['durationSeconds', 'duration_seconds', 'duration'],
  sha256: ['sha256'],
  language: ['language', 'lang', 'locale'],
  speaker: ['speaker', 'speaker_id', 'client_id'],
  tags: ['tags'],
  keywords: ['keywords'],
  entities: ['entities'],
  times: ['times'],
  source: ['source'],
  derived: ['derived'],
} as const

export type ManifestField = keyof typeof fieldNames

export const ownFields: readonly ManifestField[] = Object.keys(fieldNames) as ManifestField[]

/** @returns the field of a column or foreign key, or null */
export function findField(name: string): ManifestField | null {
  const wanted = name.trim().toLowerCase()
  return ownFields.find((field) => fieldNames[field].some((known) => known.toLowerCase() === wanted)) ?? null
}

export function listNames(field: ManifestField): readonly string[] {
  return fieldNames[field]
}

/**
 * @param keys keys of a line that lacks a field
 * @returns the key that was probably meant: another project's name, a longer one such as `audio_file`, or a
 *   misspelling; null where there is none
 */
export function meantFor(field: ManifestField, keys: readonly string[]): string | null {
  const isLonger = (key: string): boolean =>
    key
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .includes(field.toLowerCase())
  return (
    keys.find((key) => findField(key) === field) ??
    keys.find(isLonger) ??
    keys.find((key) => nearest(key, [field]) !== null) ??
    null
  )
}

/** @returns the field that a key was probably meant to be, or null */
export function nearestField(key: string): ManifestField | null {
  return findField(key) ?? (nearest(key, ownFields) as ManifestField | null)
}

/** A value that passed its check, or the problem in words. */
export type Check<Value> = { readonly value: Value } | { readonly problem: string }

/**
 * One line of our own manifests, to be serialised as JSON; absent and empty values are omitted.
 *
 * @param entry its `audio` is the path as written: absolute, or relative to the folder of the manifest
 */
export function manifestLine(entry: Omit<Utterance, 'audioPath' | 'line'> & { readonly audio: string }) {
  const { id, audio, text, alternatives, hasChoices, isDraft, durationSeconds, sha256 } = entry
  const { language, speaker, tags, keywords, entities, times, source, derived } = entry
  return {
    id,
    audio,
    text: alternatives.length === 0 ? text : [text, ...alternatives],
    choices: hasChoices || undefined,
    draft: isDraft || undefined,
    durationSeconds: durationSeconds ?? undefined,
    sha256: sha256 ?? undefined,
    language: language ?? undefined,
    speaker: speaker ?? undefined,
    tags: unlessEmpty(tags),
    keywords: unlessEmpty(keywords),
    entities: unlessEmpty(entities),
    times: unlessEmpty(times),
    source: source ?? undefined,
    derived: derived ?? undefined,
  }
}

/** Undefined for an empty list, because JSON omits undefined values. */
function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length === 0 ? undefined : list
}
