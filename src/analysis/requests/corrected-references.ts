import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import type { RunMaterial } from './run-material.ts'

/** One correction of a reference, as the corpus module reads it. */
export interface CorrectedText {
  readonly utteranceId: string
  /** What was corrected. */
  readonly before: string
  readonly after: string
}

/** Corrections in the order in which they were made. */
export interface Corrections {
  /** Where they come from, for the document. */
  readonly source: string
  readonly fingerprint: string
  readonly lines: readonly CorrectedText[]
}

const listedIds = 100

/**
 * Puts corrected references in the place of a run's own.
 *
 * A correction counts where the text that it corrects is the run's reference, one of its alternatives, or what an
 * earlier correction made of it; the last one that counts wins. So two people who correct the same text both count, and a
 * correction of a text that has since been replaced in the manifest does not. A corrected reference is one
 * text: its alternatives and choices go with the text that was wrong.
 */
export function correctReferences(
  run: RunMaterial,
  corrections: Corrections | null,
): { readonly material: RunMaterial; readonly applied: AppliedCorrections | null } {
  if (corrections === null) return { material: run, applied: null }
  const known = new Map(
    run.utterances.map(({ id, reference, alternatives = [] }) => [id, new Set([reference, ...alternatives])]),
  )
  const corrected = new Map<string, string>()
  const stale: string[] = []
  for (const { utteranceId, before, after } of corrections.lines) {
    const texts = known.get(utteranceId)
    if (texts?.has(before) !== true) {
      stale.push(utteranceId)
      continue
    }
    texts.add(after)
    corrected.set(utteranceId, after)
  }
  const utterances = run.utterances.map((utterance) => {
    const after = corrected.get(utterance.id)
    if (after === undefined || after === utterance.reference) return utterance
    const { alternatives: _alternatives, hasChoices: _hasChoices, ...kept } = utterance
    return { ...kept, reference: after }
  })
  const changed = utterances.filter((utterance, index) => utterance !== run.utterances[index])
  const { source, fingerprint } = corrections
  return {
    material: { ...run, utterances },
    applied: {
      source,
      fingerprint,
      correctedIds: changed.map(({ id }) => id),
      staleCount: stale.length,
      staleIds: [...new Set(stale)].slice(0, listedIds),
    },
  }
}
