import { transcriptScorer } from '#analysis'
import type { CountErrors } from '#capacity'
import type { VerifiedCorpus } from '#corpus'
import { findProfile } from '#scoring'
import { plannedUtterances } from '../open-corpus.ts'

/** Counts word errors as a score of the run would. */
export function errorCounter(corpus: VerifiedCorpus, profileId: string): CountErrors {
  const scorer = transcriptScorer(findProfile(profileId))
  const spoken = new Map(plannedUtterances(corpus).map((utterance) => [utterance.id, utterance]))
  return (utteranceId, text) => {
    const utterance = spoken.get(utteranceId)
    if (utterance === undefined) return null
    const { hits, substitutions, deletions, insertions } = scorer.score(utterance, text).words
    return { errors: substitutions + deletions + insertions, words: hits + substitutions + deletions, hits }
  }
}
