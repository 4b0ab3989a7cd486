import { findRecordedTarget, type RecordedContender, type RunRecord } from '#journal/run-record'
import { errorCount, errorRate, referenceLength } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { ContenderDifference, EvaluatedLoad, Instrument } from '../documents/evaluation.ts'
import type { FindingSeverity } from '../documents/finding.ts'
import type { Resources } from '../documents/resources.ts'
import {
  type CrossedAnswers,
  findCrossedAnswers,
  type TimedAnswer,
  type TimedSending,
} from '../requests/crossed-answers.ts'
import { type Answered, answeredAttempts } from '../requests/request-times.ts'
import type { ResolvedContender, ResolvedRun, RunMaterial } from '../requests/resolved-run.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { type FindingDetector, findingOf, type Observed } from './finding-definition.ts'

export interface RunFacts extends RunFigures {
  readonly utteranceTallies: readonly UtteranceTally[]
  /** Crossed answers by contender id, for contenders that got answers to other recordings. */
  readonly crossedAnswers: ReadonlyMap<string, CrossedAnswers>
  /** Answers to each contender under a closed load; empty under an open load, where times increase with the queue. */
  readonly closedLoadAnswers: readonly {
    readonly resolved: ResolvedContender
    readonly answered: Answered
  }[]
}

interface RunFigures {
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

export const runFinding = findingOf<RunFacts>()

export function contenderFinding<Code extends Uppercase<string>>(
  code: Code,
  severity: FindingSeverity,
  detect: (contender: ContenderEvaluation, facts: RunFacts) => Observed,
): FindingDetector<RunFacts, Code> {
  return runFinding(code, severity, (facts) => facts.contenders.flatMap((one) => detect(one, facts)))
}

export function runFacts(run: RunFigures): RunFacts {
  const { load, scored, scorer } = run
  return {
    ...run,
    utteranceTallies: scored.map((contender) => utteranceTally(contender, scorer.profile.leads)),
    crossedAnswers: crossedAnswers(run),
    closedLoadAnswers:
      load.kind === 'closed'
        ? scored.map(({ resolved }) => ({ resolved, answered: answeredAttempts(resolved.requests) }))
        : [],
  }
}

function crossedAnswers(run: RunFigures): RunFacts['crossedAnswers'] {
  const { material, scored, scorer } = run
  const servers = new Map(material.record.contenders.map((one) => [one.id, nameServer(one, material.record)]))
  const found = scored.flatMap((contender) => {
    const { id } = contender.resolved.contender
    const crossed = findCrossedAnswers({
      utterances: material.utterances,
      sendings: sendingTimes(run, servers),
      answers: timedAnswers(contender, servers.get(id) ?? '', scorer),
      scorer,
    })
    return crossed === null ? [] : [[id, crossed] as const]
  })
  return new Map(found)
}

/** Names the server of a contender, including its host, because each host of a fleet has its own server. */
function nameServer(contender: RecordedContender, record: RunRecord): string {
  return `${contender.merged?.host ?? ''} ${findRecordedTarget(record, contender).baseUrl}`
}

function* sendingTimes(
  { material: { attempts } }: RunFigures,
  servers: ReadonlyMap<string, string>,
): Iterable<TimedSending> {
  for (const { contenderId, utteranceId, sentAtMs, endedAtMs } of attempts)
    yield { server: servers.get(contenderId) ?? '', utteranceId, sentAtMs, endedAtMs }
}

function* timedAnswers(
  { requests }: ScoredContender,
  server: string,
  { profile: { leads } }: TranscriptScorer,
): Iterable<TimedAnswer> {
  for (const { resolved, score } of requests) {
    if (score === null) continue
    const { attempt, hypothesis, utterance } = resolved
    if (attempt === null || hypothesis === null) continue
    const { sentAtMs, endedAtMs } = attempt
    yield { server, utteranceId: utterance.id, sentAtMs, endedAtMs, text: hypothesis, counts: score[leads] }
  }
}

/** Errors of the leading rate and cuts of one contender, per utterance. */
export interface UtteranceTally {
  readonly contenderId: string
  readonly leads: ErrorLevel
  readonly idAt: (index: number) => string
  /** Sums over all rounds, by the utterance's index in the plan. */
  readonly errors: Float64Array
  readonly lengths: Float64Array
  /** Max number of scored rounds of an utterance. */
  readonly passes: number
  /** Utterances with more errors than words or characters. */
  readonly overfullIds: ReadonlySet<string>
  /** Seconds at which the server cut each recording. */
  readonly cuts: ReadonlyMap<string, readonly number[]>
}

function utteranceTally({ resolved, requests }: ScoredContender, leads: ErrorLevel): UtteranceTally {
  const errors = new Float64Array(resolved.utterances.length)
  const lengths = new Float64Array(resolved.utterances.length)
  const scored = new Uint32Array(resolved.utterances.length)
  const overfullIds = new Set<string>()
  const cuts = new Map<string, readonly number[]>()
  for (const { resolved: request, score } of requests) {
    const outcome = request.attempt?.outcome
    const cutsSeconds = outcome?.ok === true ? outcome.answer.cutsSeconds : undefined
    if (cutsSeconds !== undefined) cuts.set(request.utterance.id, cutsSeconds)
    if (score === null) continue
    const { utteranceIndex: index } = request
    scored[index] = (scored[index] as number) + 1
    errors[index] = (errors[index] as number) + errorCount(score[leads])
    lengths[index] = (lengths[index] as number) + referenceLength(score[leads])
    if ((errorRate(score[leads]) ?? 0) > 1) overfullIds.add(request.utterance.id)
  }
  const idAt = (index: number): string => resolved.utterances[index]?.id ?? ''
  const passes = scored.reduce((most, count) => Math.max(most, count), 0)
  return { contenderId: resolved.contender.id, leads, idAt, errors, lengths, passes, overfullIds, cuts }
}

type EndingFacts = Pick<RunFacts, 'material' | 'contenders'>

export function isGivenUp(contenderId: string, { material: { record } }: EndingFacts): boolean {
  return (record.givenUp ?? []).some(({ id }) => id === contenderId)
}

/** Whether the run ended early only because some contenders were given up while others were measured. */
export function onlyGivenUp(facts: EndingFacts): boolean {
  const { record } = facts.material
  if (record.ending?.code !== 'TARGET_FAILING' || (record.givenUp ?? []).length === 0) return false
  return facts.contenders.some(
    ({ contender: { id }, counts }) => counts.answered > 0 && !isGivenUp(id, facts),
  )
}

/** Whether CONTENDER_GIVEN_UP explains the missing answers, so that figures of other contenders stay valid. */
export function givenUpWhileOthersWereMeasured(contenderId: string, facts: EndingFacts): boolean {
  return isGivenUp(contenderId, facts) && onlyGivenUp(facts)
}
