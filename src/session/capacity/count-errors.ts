import { transcriptScorer } from '#analysis'
import type { CountErrors } from '#capacity'
import type { BenchConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'
import { errorCount, referenceLength } from '#scoring'
import { plannedUtterances } from '../plan/open-corpus.ts'
import { scoringProfile } from '../plan/scoring-profile.ts'

/** Counts errors as a score of the run would, in the unit of its leading rate. */
export function errorCounter(
  corpus: VerifiedCorpus,
  config: Pick<BenchConfig, 'contenders' | 'scoring'>,
): CountErrors {
  const scorer = transcriptScorer(scoringProfile(config, corpus.utterances))
  const spoken = new Map(Array.from(plannedUtterances(corpus), (utterance) => [utterance.id, utterance]))
  const { leads } = scorer.profile
  return {
    leads,
    count(utteranceId, text) {
      const utterance = spoken.get(utteranceId)
      if (utterance === undefined) return null
      const scored = scorer.score(utterance, text)
      const { [leads]: counts, words } = scored
      return { errors: errorCount(counts), length: referenceLength(counts), correctWords: words.hits }
    },
  }
}
