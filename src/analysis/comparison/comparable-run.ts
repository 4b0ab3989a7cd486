import type { NoSpeechRule } from '#contract'
import type { PlannedUtterance, RunRecord } from '#journal'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import { type RatedRun, scoreRun } from '../evaluate-run.ts'
import { tallyUtterances, type UtteranceTallies } from '../figures/ranking/paired-rates.ts'
import { hostBusyText } from '../findings/run/host-busy.ts'
import { type Corrections, correctReferences } from '../requests/corrected-references.ts'
import type { SampleColumns } from '../requests/request-times.ts'
import type { RunMaterial } from '../requests/run-material.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { type RequestOutcomes, requestOutcomes } from './failure-difference.ts'
import type { ComparedFigures } from './speeds/run-speeds.ts'
import { type UnscoredOutcomes, unscoredOutcomes } from './what-changed.ts'

/** One contender of a run: what it answered to each utterance, and how long that took. */
interface ComparableContender {
  readonly id: string
  readonly evaluation: ComparedFigures
  readonly tallies: UtteranceTallies
  readonly unscored: UnscoredOutcomes
  readonly latencies: SampleColumns
  readonly outcomes: RequestOutcomes
}

/**
 * What a comparison keeps of a run: its figures, and columns of what was answered to each utterance. Plain data, which
 * can go from one thread to another, and a tenth of the run itself.
 */
export interface ComparableRun {
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly rated: Pick<RatedRun, 'run' | 'validity' | 'findings' | 'instrument'> & {
    /** See `hostBusyText`. */
    readonly busy: string | null
  }
  readonly contenders: readonly ComparableContender[]
  /** What was corrected in its references; null where nothing was asked for. */
  readonly corrected: AppliedCorrections | null
}

/** Scores a run for a comparison. */
export function keepRun(
  run: RunMaterial,
  scorer: TranscriptScorer,
  options: {
    readonly seed: number
    readonly noSpeech: readonly NoSpeechRule[]
    readonly corrections: Corrections | null
  },
): ComparableRun {
  const { material, applied } = correctReferences(run, options.corrections)
  // The rates of single runs are in no comparison, and so need no intervals.
  const { record, scored, rated } = scoreRun(material, scorer, { ...options, replicates: 0 })
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
        latencies: contender.latencies,
        outcomes: requestOutcomes(contender),
      }
    }),
    corrected: applied,
  }
}
