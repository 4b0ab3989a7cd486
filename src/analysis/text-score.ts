import { type ErrorCounts, errorCount, errorRate, type TextPair } from '#scoring'
import { byUtterance } from './clustering.ts'
import { pooledErrorRate } from './error-rate.ts'
import type { ErrorRate } from './evaluation.ts'
import { transcriptScorer } from './transcript-scorer.ts'

/** Version of the document that `asrbench wer --json` prints. */
export const textScoreFormatVersion = 1

/** One pair of texts, counted. */
export interface ScoredText extends TextPair {
  readonly id: string
  readonly words: ErrorCounts
  readonly characters: ErrorCounts
  /** Null where the reference holds no words. */
  readonly wordErrorRate: number | null
}

/** Two sets of texts held against each other, without a service. */
export interface TextScore {
  readonly formatVersion: number
  readonly profile: { readonly id: string; readonly fingerprint: string }
  readonly alignment: 'canonical'
  readonly seed: number
  readonly words: ErrorRate
  readonly characters: ErrorRate
  /** Share of pairs with at least one word error, 0..1; null without pairs. */
  readonly sentenceErrorRate: number | null
  /** Ids of references that hold text and of which the profile leaves nothing. */
  readonly emptiedReferences: readonly string[]
  readonly rows: readonly ScoredText[]
}

/**
 * Scores pairs of texts. The totals are the sums of the rows.
 *
 * @throws BenchError for a profile that does not exist
 */
export function scoreTexts(
  pairs: readonly (TextPair & { readonly id: string })[],
  options: { readonly profile: string; readonly seed: number },
): TextScore {
  const scorer = transcriptScorer(options.profile)
  const rows = pairs.map(({ id, reference, hypothesis }): ScoredText => {
    const { words, characters } = scorer.score(reference, hypothesis)
    return { id, reference, hypothesis, words, characters, wordErrorRate: errorRate(words) }
  })
  const pooled = (countsOf: (row: ScoredText) => ErrorCounts): ErrorRate =>
    pooledErrorRate(
      rows.map((row) => ({ counts: countsOf(row), utterance: { id: row.id, speaker: null } })),
      [byUtterance],
      options.seed,
    )
  const wrong = rows.filter((row) => errorCount(row.words) > 0).length
  return {
    formatVersion: textScoreFormatVersion,
    profile: scorer.profile,
    alignment: 'canonical',
    seed: options.seed,
    words: pooled((row) => row.words),
    characters: pooled((row) => row.characters),
    sentenceErrorRate: rows.length === 0 ? null : wrong / rows.length,
    emptiedReferences: rows.filter((row) => scorer.empties(row.reference)).map((row) => row.id),
    rows,
  }
}
