import type { NoSpeechRule } from '#contract'
import type { PlannedUtterance, RunRecord } from '#journal'
import { type RatedRun, scoreRun } from './evaluate-run.ts'
import type { RunMaterial } from './judged-run.ts'
import { tallyUtterances, type UtteranceTallies } from './paired-rates.ts'
import { contenderSamples } from './request-times.ts'
import type { ContenderRun } from './run-speeds.ts'
import type { TranscriptScorer } from './transcript-scorer.ts'
import { type Fates, fatesById } from './what-changed.ts'

/** One contender of a run: what it answered to each utterance, and how long that took. */
interface ComparedContender extends ContenderRun {
  readonly id: string
  readonly tallies: UtteranceTallies
  readonly fates: Fates
}

/** What a comparison keeps of a run: nothing that grows with its requests but their latencies. */
export interface ComparedRun {
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly rated: Pick<RatedRun, 'run' | 'validity' | 'findings'>
  readonly contenders: readonly ComparedContender[]
}

/** Scores a run for a comparison. */
export function comparedRun(
  material: RunMaterial,
  scorer: TranscriptScorer,
  options: { readonly seed: number; readonly noSpeech: readonly NoSpeechRule[] },
): ComparedRun {
  // The rates of single runs are in no comparison, and so need no intervals.
  const { record, scored, rated } = scoreRun(material, scorer, { ...options, replicates: 0 })
  const { run, validity, findings, load, contenders } = rated
  return {
    record,
    utterances: material.utterances,
    rated: { run, validity, findings },
    contenders: scored.map((contender) => {
      const { id } = contender.judged.contender
      const evaluation = contenders.find((one) => one.contender.id === id)
      if (evaluation === undefined) throw new TypeError(`contender ${id} was scored and not evaluated`)
      return {
        id,
        evaluation,
        tallies: tallyUtterances(contender),
        fates: fatesById(contender),
        samples: contenderSamples(contender.requests, load),
      }
    }),
  }
}
