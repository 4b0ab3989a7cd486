import type { Utterance } from '../utterances/utterance.ts'

/** What a line of a manifest says, and nothing that it would say by its absence. */
export type ManifestEntry = Omit<Utterance, 'audioPath' | 'line'> & {
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
    ...(hasChoices ? { choices: true } : {}),
    ...(isDraft ? { draft: true } : {}),
    ...(durationSeconds === null ? {} : { durationSeconds }),
    ...(sha256 === null ? {} : { sha256 }),
    ...(language === null ? {} : { language }),
    ...(speaker === null ? {} : { speaker }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(keywords.length === 0 ? {} : { keywords }),
    ...(entities.length === 0 ? {} : { entities }),
    ...(times.length === 0 ? {} : { times }),
    ...(source === null ? {} : { source }),
    ...(derived === null ? {} : { derived }),
  })
}
