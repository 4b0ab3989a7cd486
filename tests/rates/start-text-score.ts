import { chooseProfile } from '#rates/choose-profile'
import type { TextScore } from '#rates/documents'
import { startPairScorer, type TextScoreOptions } from '#rates/scored-pair'
import { startTextTally } from '#rates/text-tally'
import type { Utterance } from '#scoring/read-pair'

/** Scores texts as they come, without their rows. */
export function startTextScore(options: TextScoreOptions): {
  add(utterance: Utterance): void
  result(): TextScore
} {
  const scorer = startPairScorer(options, chooseProfile(options))
  const tally = startTextTally(options, scorer.scoring)
  return {
    add: (utterance) => tally.add(scorer.score(utterance)),
    result: () => ({ ...tally.result(), worst: null }),
  }
}
