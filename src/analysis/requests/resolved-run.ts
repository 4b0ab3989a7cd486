import { meansNoSpeech, type NoSpeechRule, type RequestFailure } from '#contract/failures'
import { type AttemptLine, followsPause, type ReusedLine } from '#journal/attempt-line'
import type { PlannedRequest, PlannedUtterance } from '#journal/plan-line'
import type { RecordedContender, RunRecord } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Problem } from '#prelude'
import type { AttemptStatus } from '../documents/evaluation.ts'
import { analysisErrors } from '../errors.ts'

export interface ResolvedRequest {
  readonly request: PlannedRequest
  readonly utterance: PlannedUtterance
  /** Index of the utterance among those of the run. */
  readonly utteranceIndex: number
  /** The last attempt, or null where none was made. */
  readonly attempt: AttemptLine | null
  /** The attempt at which its latency starts: the first since the run was last resumed, or after a pause. */
  readonly first: AttemptLine | null
  /** The answer of an earlier run that is scored instead; null where the request was sent, or has no answer. */
  readonly reused: ReusedLine | null
  readonly attemptCount: number
  /** Number of repeats, without those after a pause for a rate limit. */
  readonly repeatCount: number
  readonly status: AttemptStatus
  /** Text of the answer, '' for "no speech"; null unless scored. */
  readonly hypothesis: string | null
  readonly saidNoSpeech: boolean
  /** Also set for a refusal that means "no speech"; null for every other answer. */
  readonly failure: RequestFailure | null
}

export interface ResolvedContender {
  readonly contender: RecordedContender
  /** All utterances of the run, sent or not. */
  readonly utterances: readonly PlannedUtterance[]
  /** Measured requests in the order of the plan, without the warm-up. */
  readonly requests: readonly ResolvedRequest[]
  /** All measured sendings, including repeats, in the order of the journal. */
  readonly sendings: readonly AttemptLine[]
  readonly warmup: readonly AttemptLine[]
  readonly reused: readonly ReusedLine[]
}

export interface ResolvedRun {
  readonly contenders: readonly ResolvedContender[]
  /** Number of attempts of requests that the plan does not have. */
  readonly strayAttemptCount: number
}

/**
 * Matches the journal with the plan: every planned request gets exactly one outcome.
 *
 * @param noSpeech rules for answers that mean "no speech"
 * @throws BenchError RUN_INCONSISTENT with all contradictions between the run's files
 */
export function resolveRun(material: RunMaterial, noSpeech: readonly NoSpeechRule[]): ResolvedRun {
  const { record, requests, reused = [] } = material
  const utterances = new Map(material.utterances.map((utterance) => [utterance.id, utterance]))
  refuseContradictions(material, utterances)
  const planned = new Map(requests.map((request) => [request.index, request]))
  const attempts = material.attempts.filter((attempt) => belongs(attempt, planned.get(attempt.index)))
  const ownReused = reused.filter((line) => belongs({ ...line, phase: 'measure' }, planned.get(line.index)))
  const found: OutcomesOfRequests = {
    attempts: Map.groupBy(attempts, ({ index }) => index),
    reused: new Map(ownReused.map((line) => [line.index, line])),
    utterances: material.utterances,
    utteranceIndexes: new Map(material.utterances.map(({ id }, index) => [id, index])),
    noSpeech,
  }
  const measured = Map.groupBy(
    requests.filter(({ phase }) => phase === 'measure'),
    ({ contenderId }) => contenderId,
  )
  const contenders = record.contenders.map(
    (contender): ResolvedContender => ({
      contender,
      utterances: material.utterances,
      requests: (measured.get(contender.id) ?? []).map((request) => resolveRequest(request, found)),
      sendings: attempts.filter(
        ({ phase, contenderId }) => phase === 'measure' && contenderId === contender.id,
      ),
      reused: ownReused.filter(({ contenderId }) => contenderId === contender.id),
      warmup: attempts.filter(({ phase, contenderId }) => phase === 'warmup' && contenderId === contender.id),
    }),
  )
  return { contenders, strayAttemptCount: material.attempts.length - attempts.length }
}

/** Returns the utterances of the requests for which `holds` is true, without duplicates, in the order of the plan. */
export function listUtterances(
  { requests, utterances }: Pick<ResolvedContender, 'requests' | 'utterances'>,
  holds: (request: ResolvedRequest) => boolean = () => true,
): readonly PlannedUtterance[] {
  const isAsked = new Uint8Array(utterances.length)
  for (const request of requests) if (holds(request)) isAsked[request.utteranceIndex] = 1
  return utterances.filter((_, index) => isAsked[index] === 1)
}

interface OutcomesOfRequests {
  readonly attempts: ReadonlyMap<number, readonly AttemptLine[]>
  readonly reused: ReadonlyMap<number, ReusedLine>
  readonly utterances: readonly PlannedUtterance[]
  /** Index of each utterance among those of the run, by id. */
  readonly utteranceIndexes: ReadonlyMap<string, number>
  readonly noSpeech: readonly NoSpeechRule[]
}

function resolveRequest(request: PlannedRequest, found: OutcomesOfRequests): ResolvedRequest {
  const recorded = found.attempts.get(request.index) ?? []
  // The journal has attempts in the order of their ends.
  const attempts = recorded.length > 1 ? recorded.toSorted((a, b) => a.attempt - b.attempt) : recorded
  const attempt = attempts.at(-1) ?? null
  const reused = attempt === null ? (found.reused.get(request.index) ?? null) : null
  const utteranceIndex = found.utteranceIndexes.get(request.utteranceId) ?? 0
  const pausedCount = attempts.filter((line, at) => followsPause(line, attempts[at - 1])).length
  return {
    request,
    utterance: found.utterances[utteranceIndex] as PlannedUtterance,
    utteranceIndex,
    attempt,
    first: attempts.length > 1 ? (beginning(attempts) ?? null) : attempt,
    reused,
    attemptCount: attempts.length,
    repeatCount: Math.max(0, attempts.length - pausedCount - 1),
    ...judgeOutcome((attempt ?? reused)?.outcome, found.noSpeech),
  }
}

function judgeOutcome(
  outcome: AttemptLine['outcome'] | undefined,
  noSpeech: readonly NoSpeechRule[],
): Pick<ResolvedRequest, 'status' | 'hypothesis' | 'saidNoSpeech' | 'failure'> {
  const nothing = { hypothesis: null, saidNoSpeech: false, failure: null }
  if (outcome === undefined) return { status: 'notSent', ...nothing }
  if (outcome.ok) return { ...nothing, status: 'scored', hypothesis: outcome.answer.text }
  const { failure } = outcome
  if (failure.kind === 'dropped') return { status: 'dropped', ...nothing }
  const saidNoSpeech = meansNoSpeech(failure, noSpeech)
  return saidNoSpeech
    ? { status: 'scored', hypothesis: '', saidNoSpeech, failure }
    : { status: 'failed', hypothesis: null, saidNoSpeech, failure }
}

/**
 * Returns the attempt at which latency starts: the first since the run was last resumed, or the last one sent after a
 * pause for a rate limit. Refusals before that pause, and the pause, belong to no latency.
 */
function beginning(inOrder: readonly AttemptLine[]): AttemptLine | undefined {
  const segment = inOrder.at(-1)?.segment
  const sinceResumed = inOrder.filter((line) => line.segment === segment)
  return sinceResumed.findLast((line, at) => followsPause(line, sinceResumed[at - 1])) ?? sinceResumed[0]
}

function belongs(
  attempt: Pick<AttemptLine, 'contenderId' | 'utteranceId' | 'phase'>,
  request: PlannedRequest | undefined,
): boolean {
  return (
    request !== undefined &&
    request.contenderId === attempt.contenderId &&
    request.utteranceId === attempt.utteranceId &&
    request.phase === attempt.phase
  )
}

function refuseContradictions(
  material: RunMaterial,
  utterances: ReadonlyMap<string, PlannedUtterance>,
): void {
  const { record } = material
  const contenderIds = new Set(record.contenders.map((contender) => contender.id))
  const twice = (where: string): Problem => ({ where, what: 'is in the plan more than once' })
  const asks = (index: number, what: string): Problem => ({ where: `request ${index}`, what: `asks ${what}` })
  const problems: readonly Problem[] = [
    ...repeated(material.utterances.map(({ id }) => id)).map(twice),
    ...repeated(material.requests.map(({ index }) => index)).map((index) => twice(`request ${index}`)),
    ...material.requests.flatMap(({ index, utteranceId, contenderId }): readonly Problem[] => [
      ...(utterances.has(utteranceId)
        ? []
        : [asks(index, `for utterance ${utteranceId}, which the plan does not list`)]),
      ...(contenderIds.has(contenderId)
        ? []
        : [asks(index, `contender ${contenderId}, which run.json does not list`)]),
    ]),
  ]
  if (problems.length === 0) return
  throw analysisErrors.make('RUN_INCONSISTENT', {
    message: `the files of run ${record.id} contradict each other`,
    hint: 'measure again, or restore the run folder from a copy',
    problems,
  })
}

function repeated<Value extends number | string>(values: readonly Value[]): readonly Value[] {
  if (values.every((value, index) => value === index)) return []
  const seen = new Set<Value>()
  const twice = new Set<Value>()
  for (const value of values) {
    if (seen.has(value)) twice.add(value)
    seen.add(value)
  }
  return [...twice]
}

/** The parts of a recorded run that are evaluated. A `RecordedRun` of the journal module is one. */
export interface RunMaterial {
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly requests: readonly PlannedRequest[]
  readonly attempts: readonly AttemptLine[]
  /** Answers of earlier runs, which are scored but have no times. */
  readonly reused?: readonly ReusedLine[] | undefined
  readonly telemetry?: readonly TelemetryLine[] | undefined
}
