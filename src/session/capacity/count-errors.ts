import { transcriptScorer } from '#analysis'
import type { CountErrors } from '#capacity'
import type { BenchConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'
import { plannedUtterances } from '../plan/open-corpus.ts'
import { scoringProfile } from '../plan/scoring-profile.ts'

/** Counts word errors as a score of the run would. */
export function errorCounter(
  corpus: VerifiedCorpus,
  config: Pick<BenchConfig, 'contenders' | 'scoring'>,
): CountErrors {
  const scorer = transcriptScorer(scoringProfile(config, corpus.utterances))
  const spoken = new Map(plannedUtterances(corpus).map((utterance) => [utterance.id, utterance]))
  return (utteranceId, text) => {
    const utterance = spoken.get(utteranceId)
    if (utterance === undefined) return null
    const { hits, substitutions, deletions, insertions } = scorer.score(utterance, text).words
    return { errors: substitutions + deletions + insertions, words: hits + substitutions + deletions, hits }
  }
}
