import { transcriptScorer } from '#analysis/requests/transcript-scorer'
import type { Utterance } from '#corpus/utterance'
import type { AttemptLine } from '#journal/attempt-line'
import type { LoadShape } from '#load/loads/registry'
import { addCounts, errorRate, noErrors } from '#scoring/counts'
import type { Profile } from '#scoring/profiles/profile'
import type { ErrorCounts } from '#scoring/shapes'

/** References of a corpus that a listener corrected, by the id of the utterance. */
export type CorrectedReferences = ReadonlyMap<string, string>

export type ErrorsSoFar = ReturnType<typeof errorsSoFar>

/**
 * Leading error rates of the answers so far, for display. The final score is computed from the journal.
 *
 * In a closed load a request only waits for an answer, so scoring between two requests delays none past its due time.
 * With any other load, answers are not scored while requests are sent.
 */
export function errorsSoFar(
  load: Pick<LoadShape, 'kind'>,
  utterances: readonly Utterance[],
  corrected: CorrectedReferences,
  profile: Profile,
) {
  const isScored = load.kind === 'closed'
  const utteranceById = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const counts = new Map<string, ErrorCounts>()
  let waiting: AttemptLine[] = []
  const scorer = transcriptScorer(profile)
  return {
    /** The unit that the rates count. */
    level: profile.leads,
    add(line: AttemptLine): void {
      if (isScored) waiting.push(line)
    },
    /** Error rate after scoring the new answers. Null without answers, or if scoring could disturb the timing. */
    rateOf(contenderId: string): number | null {
      for (const { contenderId: id, utteranceId, outcome } of waiting) {
        const utterance = utteranceById.get(utteranceId)
        if (!outcome.ok || utterance === undefined) continue
        const { text, alternatives, hasChoices, language } = utterance
        const reference = corrected.get(utteranceId)
        const spoken = reference === undefined ? { reference: text, alternatives, hasChoices } : { reference }
        const score = scorer.score({ ...spoken, language }, outcome.answer.text)
        counts.set(id, addCounts(counts.get(id) ?? noErrors, score[profile.leads]))
      }
      waiting = []
      const errors = counts.get(contenderId)
      return errors === undefined ? null : errorRate(errors)
    },
  }
}
