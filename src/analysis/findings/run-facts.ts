import { type RecordedContender, type RunRecord, targetOf } from '#journal'
import { errorCount } from '#scoring'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { ContenderDifference, EvaluatedLoad, Instrument } from '../documents/evaluation.ts'
import type { Resources } from '../documents/resources.ts'
import { type AnsweredTimes, answeredTimes } from '../requests/answered-times.ts'
import {
  type CrossedAnswers,
  findCrossedAnswers,
  type TimedAnswer,
  type TimedSending,
} from '../requests/crossed-answers.ts'
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
  /** By id of a contender, of those that got answers to other recordings. */
  readonly crossedAnswers: ReadonlyMap<string, CrossedAnswers>
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
  readonly resources: Resources
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
    crossedAnswers: crossedAnswers(run),
    closedLoadTimes:
      load.kind === 'closed'
        ? scored.map(({ resolved }) => ({ resolved, answered: answeredTimes(resolved.requests) }))
        : [],
  }
}

function crossedAnswers(run: MeasuredRun): RunFacts['crossedAnswers'] {
  const { material, scored, scorer } = run
  const servers = new Map(material.record.contenders.map((one) => [one.id, serverOf(one, material.record)]))
  const found = scored.flatMap((contender) => {
    const { id } = contender.resolved.contender
    const crossed = findCrossedAnswers({
      utterances: material.utterances,
      sendings: sendingsOf(run, servers),
      answers: answersOf(contender, servers.get(id) ?? '', scorer),
      scorer,
    })
    return crossed === null ? [] : [[id, crossed] as const]
  })
  return new Map(found)
}

/** Each host of a fleet has its own. */
function serverOf(contender: RecordedContender, record: RunRecord): string {
  return `${contender.merged?.host ?? ''} ${targetOf(record, contender).baseUrl}`
}

function* sendingsOf(
  { material: { attempts } }: MeasuredRun,
  servers: ReadonlyMap<string, string>,
): Iterable<TimedSending> {
  for (const { contenderId, utteranceId, sentAtMs, endedAtMs } of attempts)
    yield { server: servers.get(contenderId) ?? '', utteranceId, sentAtMs, endedAtMs }
}

function* answersOf(
  { requests }: ScoredContender,
  server: string,
  { profile: { leads } }: TranscriptScorer,
): Iterable<TimedAnswer> {
  for (const { resolved, score } of requests) {
    if (score === null || errorCount(score[leads]) === 0) continue
    const { attempt, hypothesis, utterance } = resolved
    if (attempt === null || hypothesis === null) continue
    const { sentAtMs, endedAtMs } = attempt
    yield { server, utteranceId: utterance.id, sentAtMs, endedAtMs, text: hypothesis, counts: score[leads] }
  }
}
