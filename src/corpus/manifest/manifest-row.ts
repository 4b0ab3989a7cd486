import { nearest } from '#prelude'
import type { Utterance } from '../utterance.ts'

/** One line of a manifest, taken apart and not yet checked. */
export interface ManifestRow {
  /** From 1. */
  readonly line: number
  readonly fields: Readonly<Partial<Record<ManifestField, unknown>>>
  /** Unknown keys of the line. */
  readonly unknownKeys?: readonly string[]
  /** Whether a missing id is made from the file's name, as manifests of other projects want it. */
  readonly mayLackId: boolean
}

/** What the line of an utterance may say, by the names of a field in NeMo manifests and in tables of other projects. The first is ours. */
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

/** @returns the field that a column or a foreign key means, or null */
export function findField(name: string): ManifestField | null {
  const wanted = name.trim().toLowerCase()
  return ownFields.find((field) => fieldNames[field].some((known) => known.toLowerCase() === wanted)) ?? null
}

export function listNames(field: ManifestField): readonly string[] {
  return fieldNames[field]
}

/**
 * @param keys of a line that lacks a field
 * @returns the one that was probably meant to be it: another project's name for it, a longer one such as `audio_file`, or a
 *   misspelling; null where none is
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

/** A value that passed its check, or what is wrong with it, in words. */
export type Check<Value> = { readonly value: Value } | { readonly problem: string }

/**
 * One line of our own manifests, to be written as JSON: nothing that it would say by its absence.
 *
 * @param entry with the path of the audio as it is written: absolute, or from the folder of the manifest
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

/** What is undefined is no part of JSON. */
function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length === 0 ? undefined : list
}
