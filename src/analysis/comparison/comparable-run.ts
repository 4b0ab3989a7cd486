import type { NoSpeechRule } from '#contract/failures'
import type { PlannedUtterance } from '#journal/plan-line'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import { rateRun } from '../evaluate-run.ts'
import { tallyUtterances, type UtteranceTallies } from '../figures/ranking/pooled-scores.ts'
import type { ComparedRun } from '../findings/comparison.ts'
import { hostBusyText } from '../findings/run/host.ts'
import type { LatencySample } from '../requests/request-times.ts'
import type { RunMaterial } from '../requests/resolved-run.ts'
import { type Corrections, correctReferences, type TranscriptScorer } from '../requests/transcript-scorer.ts'
import { type OutcomesById, outcomesById } from './compare-failures.ts'
import type { ComparedFigures } from './run-speeds.ts'
import { type UnscoredOutcomes, unscoredOutcomes } from './what-changed.ts'

/** One contender of a run, with its answers and latencies per utterance. */
interface ComparableContender {
  readonly id: string
  readonly evaluation: ComparedFigures
  readonly tallies: UtteranceTallies
  readonly unscored: UnscoredOutcomes
  readonly samples: readonly LatencySample[]
  readonly outcomes: OutcomesById
}

/**
 * The parts of a run that a comparison keeps: figures, and the answers per utterance. They are a tenth of the run's
 * size.
 */
export interface ComparableRun extends ComparedRun {
  readonly utterances: readonly PlannedUtterance[]
  readonly contenders: readonly ComparableContender[]
  /** Corrections of its references; null where none were requested. */
  readonly corrected: AppliedCorrections | null
}

/** Settings for scoring the runs of a comparison. */
export interface KeepSettings {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly noSpeech: readonly NoSpeechRule[]
  readonly corrections: Corrections | null
}

export function keepRun(
  run: RunMaterial,
  { scorer, seed, noSpeech, corrections }: KeepSettings,
): ComparableRun {
  const { material, applied } = correctReferences(run, corrections)
  // No comparison shows the rates of single runs, so they need no intervals.
  const { record, scored, rated } = rateRun(material, scorer, { seed, noSpeech, replicates: 0 })
  const { run: identity, validity, findings, instrument, contenders } = rated
  return {
    record,
    utterances: material.utterances,
    rated: { run: identity, validity, findings, instrument, busy: hostBusyText(rated) },
    contenders: scored.map((contender) => {
      const { id } = contender.resolved.contender
      const evaluation = contenders.find((one) => one.contender.id === id)
      if (evaluation === undefined) throw new TypeError(`contender ${id} was scored and not evaluated`)
      const { latencyMs, systemSpeed, cpuSecondsPerAudioSecond } = evaluation
      return {
        id,
        evaluation: { latencyMs, systemSpeed, cpuSecondsPerAudioSecond },
        tallies: tallyUtterances(contender, scorer),
        unscored: unscoredOutcomes(contender),
        samples: contender.latencies,
        outcomes: outcomesById(contender),
      }
    }),
    corrected: applied,
  }
}
