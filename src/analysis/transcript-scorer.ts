import { type AlignmentStep, alignPair, type ErrorCounts, findProfile, normalise, scorePair } from '#scoring'

/** The counts of one transcript against its reference. */
export interface TranscriptScore {
  readonly words: ErrorCounts
  readonly characters: ErrorCounts
}

/** One profile, ready to score with; equal pairs (repeats over rounds) are aligned once. */
export interface TranscriptScorer {
  readonly profile: { readonly id: string; readonly fingerprint: string }
  score(reference: string, hypothesis: string): TranscriptScore
  /** A reference as the profile makes it: what two references are held equal by. */
  normalise(reference: string): string
  /** Whether the profile leaves nothing of a reference that has text. */
  empties(reference: string): boolean
  align(reference: string, hypothesis: string): readonly AlignmentStep[]
}

/** @throws BenchError for a profile that does not exist */
export function transcriptScorer(profileId: string): TranscriptScorer {
  const profile = findProfile(profileId)
  const scores = new Map<string, Map<string, TranscriptScore>>()
  const score = (reference: string, hypothesis: string): TranscriptScore => {
    const known = scores.get(reference)?.get(hypothesis)
    if (known !== undefined) return known
    const { words, characters } = scorePair({ reference, hypothesis }, profile)
    const made = { words, characters }
    scores.set(reference, (scores.get(reference) ?? new Map()).set(hypothesis, made))
    return made
  }
  return {
    profile: { id: profile.id, fingerprint: profile.fingerprint },
    score,
    normalise: (reference) => normalise(reference, profile),
    empties: (reference) => reference.trim() !== '' && normalise(reference, profile).trim() === '',
    align: (reference, hypothesis) => alignPair({ reference, hypothesis }, profile).steps,
  }
}
