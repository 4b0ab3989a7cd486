import type { NoSpeechRule } from '#contract/failures'
import type { PlannedUtterance } from '#journal/plan-line'
import type { AlignmentStep } from '#scoring/shapes'
import { scoreName, type UtteranceEvaluation } from './documents/evaluation.ts'
import type { AppliedCorrections } from './documents/scoring-identity.ts'
import { evaluatedLoad } from './requests/evaluated-load.ts'
import { evaluateRequest } from './requests/request-times.ts'
import { type RunMaterial, resolveRun } from './requests/resolved-run.ts'
import { scoreContender } from './requests/scored-contender.ts'
import {
  chooseScoring,
  type ScoringChoice,
  scoringIdentity,
  transcriptScorer,
} from './requests/transcript-scorer.ts'

/** Scoring of requests, as in `scoreRun` of a stored score. */
export interface RowScoring extends ScoringChoice {
  readonly noSpeech?: readonly NoSpeechRule[] | undefined
  /** Corrections that are already in the references of the run. */
  readonly corrected?: AppliedCorrections | null | undefined
}

export interface ScoredRow {
  readonly score: string
  /** The row of the same request in the run's evaluation. */
  readonly evaluated: UtteranceEvaluation
  readonly utterance: PlannedUtterance
  /** Returns the aligned words after normalisation; empty unless the request was scored. */
  words(): readonly AlignmentStep[]
}

/**
 * Scores every planned request of a run as rows for tables, by contender, in the order of the plan.
 *
 * @throws BenchError RUN_INCONSISTENT, SCORING_PROFILE_UNKNOWN
 */
export function scoreRequests(run: RunMaterial, choice: RowScoring = {}): readonly ScoredRow[] {
  const { record } = run
  const { profile, vocabulary } = chooseScoring(record, choice)
  const scorer = transcriptScorer(profile)
  const noSpeech = choice.noSpeech ?? record.noSpeech
  const { corrected: corrections = null } = choice
  const score = scoreName({
    profile,
    scoring: scoringIdentity(scorer, { corrections, vocabulary, noSpeech }),
  })
  const load = evaluatedLoad(record)
  const { contenders } = resolveRun(run, noSpeech)
  return contenders.flatMap((contender) => {
    const { requests } = scoreContender(contender, scorer, record, load)
    return requests.map((request): ScoredRow => {
      const { utterance, hypothesis } = request.resolved
      return {
        score,
        evaluated: evaluateRequest(request, load),
        utterance,
        words: () => (hypothesis === null ? [] : scorer.align(utterance, hypothesis)),
      }
    })
  })
}
