import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { ContenderDifference, EvaluatedLoad, Instrument } from '../documents/evaluation.ts'
import { type AnsweredTimes, answeredTimes } from '../requests/answered-times.ts'
import type { ResolvedContender, ResolvedRun } from '../requests/resolved-run.ts'
import type { RunMaterial } from '../requests/run-material.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import type { FindingDetector } from './finding-definition.ts'
import { type UtteranceTally, utteranceTally } from './utterance-tally.ts'

export type RunFinding = FindingDetector<RunFacts>

/** What the findings of a run are read from. */
export interface RunFacts extends MeasuredRun {
  /** Of each contender. */
  readonly utteranceTallies: readonly UtteranceTally[]
  /** Of each contender under a closed load; empty under an open one, where times rise with the queue. */
  readonly closedLoadTimes: readonly {
    readonly resolved: ResolvedContender
    readonly answered: AnsweredTimes
  }[]
}

interface MeasuredRun {
  readonly material: RunMaterial
  readonly load: EvaluatedLoad
  readonly instrument: Instrument
  readonly resolved: ResolvedRun
  readonly scorer: TranscriptScorer
  readonly scored: readonly ScoredContender[]
  readonly contenders: readonly ContenderEvaluation[]
  readonly difference: ContenderDifference | null
}

/** Adds what several findings are read from. */
export function runFacts(run: MeasuredRun): RunFacts {
  const { load, scored, scorer } = run
  return {
    ...run,
    utteranceTallies: scored.map((contender) => utteranceTally(contender, scorer.profile.leads)),
    closedLoadTimes:
      load.kind === 'closed'
        ? scored.map(({ resolved }) => ({ resolved, answered: answeredTimes(resolved.requests) }))
        : [],
  }
}
