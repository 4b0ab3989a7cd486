import { crossedText, findCrossedAnswers, type TranscriptScorer, transcriptScorer } from '#analysis'
import type { CountErrors } from '#capacity'
import type { BenchConfig } from '#config'
import type { AttemptLine } from '#journal'
import { errorCount, referenceLength } from '#scoring'
import { type OpenedCorpus, plannedUtterances } from '../plan/open-corpus.ts'
import { scoringProfile } from '../plan/scoring-profile.ts'

type ScoredConfig = Pick<BenchConfig, 'contenders' | 'scoring'>

function scorerOf(corpus: OpenedCorpus, config: ScoredConfig): TranscriptScorer {
  return transcriptScorer(scoringProfile(config, corpus))
}

/** Answers to one contender that belong to other recordings, in words; null where there are none. */
export function crossedWords(
  corpus: OpenedCorpus,
  config: ScoredConfig,
  attempts: readonly AttemptLine[],
): string | null {
  const scorer = scorerOf(corpus, config)
  const utterances = [...plannedUtterances(corpus)]
  const spoken = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const answered = attempts.filter(({ outcome }) => outcome.ok)
  const sendings = attempts.map((line) => ({ ...line, server: '' }))
  const crossed = findCrossedAnswers({
    utterances,
    scorer,
    sendings,
    answers: sendings.flatMap((sending) => {
      const { outcome, utteranceId } = sending
      const utterance = spoken.get(utteranceId)
      if (!outcome.ok || utterance === undefined) return []
      const { text } = outcome.answer
      return [{ ...sending, text, counts: scorer.score(utterance, text)[scorer.profile.leads] }]
    }),
  })
  return crossed === null ? null : crossedText(crossed, answered.length)
}

/** Counts errors as a score of the run would, in the unit of its leading rate. */
export function errorCounter(corpus: OpenedCorpus, config: ScoredConfig): CountErrors {
  const scorer = scorerOf(corpus, config)
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
