import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Utterance } from '../utterances/utterance.ts'
import { type Correction, correctionsFileName, readCorrections } from './corrections.ts'

/** Takes the reviewed text for a draft; an utterance that is no draft, or not reviewed, stays as it is. */
export type Reviewer = (utterance: Utterance) => Utterance

/**
 * Reads what a person made of the drafts of a corpus, from the corrections next to its manifest.
 *
 * @throws BenchError CORRECTIONS_UNREADABLE
 */
export async function readReviews(manifestPath: string): Promise<Reviewer> {
  const path = join(dirname(manifestPath), correctionsFileName)
  const isThere = await stat(path).catch(() => null)
  if (isThere === null) return (utterance) => utterance
  const { lines } = await readCorrections(path)
  const byId = Map.groupBy(lines, ({ utteranceId }) => utteranceId)
  return (utterance) => {
    const text = utterance.isDraft ? reviewedText(utterance.text, byId.get(utterance.id) ?? []) : null
    return text === null ? utterance : { ...utterance, text, isDraft: false }
  }
}

/**
 * What corrections make of a draft: the last one that corrects its text, or what another made of it. One that leaves the
 * text as it is confirms it.
 *
 * @returns null where it was not reviewed, or a correction was undone
 */
function reviewedText(draft: string, corrections: readonly Correction[]): string | null {
  const texts = new Set([draft])
  let reviewed: string | null = null
  for (const { before, after } of corrections) {
    if (!texts.has(before)) continue
    texts.add(after)
    const isUndone = after === draft && before !== draft
    reviewed = isUndone || after === '' ? null : after
  }
  return reviewed
}
