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

/** What an utterance's line may say. */
export type ManifestField =
  | 'id'
  | 'audio'
  | 'text'
  | 'choices'
  | 'draft'
  | 'durationSeconds'
  | 'sha256'
  | 'language'
  | 'speaker'
  | 'tags'
  | 'keywords'
  | 'entities'
  | 'times'
  | 'source'
  | 'derived'

/** Names of a field in NeMo manifests and in tables of other projects. The first is ours. */
const fieldNames: Readonly<Record<ManifestField, readonly string[]>> = {
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
}

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

/** What a line of a manifest says, and nothing that it would say by its absence. */
type ManifestEntry = Omit<Utterance, 'audioPath' | 'line'> & {
  /** As it is written: starts from the folder of the manifest, or absolute. */
  readonly audio: string
}

/** One line of our own manifests. */
export function manifestEntry(entry: ManifestEntry): string {
  const { id, audio, text, alternatives, hasChoices, isDraft, durationSeconds, sha256 } = entry
  const { language, speaker, tags, keywords, entities, times, source, derived } = entry
  return JSON.stringify({
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
  })
}

/** What is undefined is no part of JSON. */
function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length === 0 ? undefined : list
}
