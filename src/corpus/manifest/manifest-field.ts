import { nearest } from '#prelude'

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
export function fieldOf(name: string): ManifestField | null {
  const wanted = name.trim().toLowerCase()
  return ownFields.find((field) => fieldNames[field].some((known) => known.toLowerCase() === wanted)) ?? null
}

export function namesOf(field: ManifestField): readonly string[] {
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
    keys.find((key) => fieldOf(key) === field) ??
    keys.find(isLonger) ??
    keys.find((key) => nearest(key, [field]) !== null) ??
    null
  )
}

/** @returns the field that a key was probably meant to be, or null */
export function nearestField(key: string): ManifestField | null {
  return fieldOf(key) ?? (nearest(key, ownFields) as ManifestField | null)
}
