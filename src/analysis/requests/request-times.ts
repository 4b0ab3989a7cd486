import { describeFailure, failureLabel, type RequestFailure } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import { numberColumn } from '#prelude'
import type { ErrorTerm } from '#rates/error-rate'
import { errorRate, type LevelCounts } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { EvaluatedLoad, UtteranceEvaluation, WindowPart } from '../documents/evaluation.ts'
import type { RequestPhases, TimeKind } from '../documents/latency.ts'
import type { ResolvedContender, ResolvedRequest } from './resolved-run.ts'

type Times = Pick<UtteranceEvaluation, TimeKind>

/** The time at which a latency starts. */
type CountsFrom = Pick<EvaluatedLoad, 'latencyCountsFrom'>

function takeTimes({ utterance, attempt, first, status }: ResolvedRequest, load: CountsFrom): Times {
  const scored = status === 'scored' ? attempt : null
  const serviceMs = scored === null ? null : serviceTimeMs(scored)
  const from = load.latencyCountsFrom === 'due' ? 'dueAtMs' : 'sentAtMs'
  const outcome = attempt?.outcome
  const answer = outcome?.ok === true ? outcome.answer : null
  return {
    // With retries, latency starts at the first attempt.
    latencyMs: scored === null || first === null ? null : scored.endedAtMs - first[from],
    firstAttemptMs: first === null ? null : first.endedAtMs - first[from],
    serviceMs,
    realTimeFactor: serviceMs === null ? null : realTimeFactor(serviceMs, utterance.durationSeconds),
    serverDecodeMs: answer?.serverDecodeMs ?? null,
    serverLatencyMs: answer?.serverLatencyMs ?? null,
  }
}

/** Returns the times of requests in the steady part, one column per requested kind, without absent values. */
export function steadyTimes<Kind extends TimeKind>(
  requests: readonly ScoredRequest[],
  load: CountsFrom,
  kinds: readonly Kind[],
): Readonly<Record<Kind, Float64Array>> {
  const columns = kinds.map((kind) => ({ kind, values: numberColumn(requests.length) }))
  for (const { window, resolved } of requests) {
    if (window !== 'steady') continue
    const times = takeTimes(resolved, load)
    for (const { kind, values } of columns) {
      const value = takenTime(times, kind)
      if (value !== null) values.add(value)
    }
  }
  return Object.fromEntries(columns.map(({ kind, values }) => [kind, values.values()])) as Record<
    Kind,
    Float64Array
  >
}

/** Returns the latency above 0 of an answered request in the steady part; null for any other. */
export function steadyLatency(
  { resolved, window }: Pick<ScoredRequest, 'resolved' | 'window'>,
  load: CountsFrom,
): number | null {
  const { latencyMs } = window === 'steady' ? takeTimes(resolved, load) : { latencyMs: null }
  return latencyMs === null || latencyMs <= 0 ? null : latencyMs
}

export interface LatencySample {
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly latencyMs: number
}

/** Returns the latencies above 0 of a contender's answered requests in the steady part. */
export function steadyLatencies(
  requests: readonly ScoredRequest[],
  load: CountsFrom,
): readonly LatencySample[] {
  return requests.flatMap((request) => {
    const latencyMs = steadyLatency(request, load)
    if (latencyMs === null) return []
    const { id, durationSeconds } = request.resolved.utterance
    return [{ utteranceId: id, audioSeconds: durationSeconds, latencyMs }]
  })
}

export function evaluateRequest(
  { resolved, score, reference, window }: ScoredRequest,
  load: CountsFrom,
): UtteranceEvaluation {
  const { request, utterance, attempt, status } = resolved
  const words = score?.words ?? null
  const times = takeTimes(resolved, load)
  return {
    requestIndex: request.index,
    contenderId: request.contenderId,
    utteranceId: utterance.id,
    round: request.round,
    status,
    ...(resolved.reused === null ? {} : { reusedFrom: resolved.reused.run }),
    window,
    ...failureFacts(resolved),
    saidNoSpeech: resolved.saidNoSpeech,
    audioSeconds: utterance.durationSeconds,
    latencyMs: times.latencyMs,
    attemptCount: resolved.attemptCount,
    firstAttemptMs: times.firstAttemptMs,
    serviceMs: times.serviceMs,
    phases: status === 'scored' && attempt !== null ? readPhases(attempt) : null,
    realTimeFactor: times.realTimeFactor,
    serverDecodeMs: times.serverDecodeMs,
    serverLatencyMs: times.serverLatencyMs,
    reference,
    hypothesis: resolved.hypothesis,
    words,
    characters: score?.characters ?? null,
    wordErrorRate: words === null ? null : errorRate(words),
  }
}

function failureFacts(
  request: ResolvedRequest,
): Pick<UtteranceEvaluation, 'failure' | 'failureMessage' | 'failureHint'> {
  const { failure, status } = request
  const words = failure === null || status !== 'failed' ? null : nameFailure(failure)
  return {
    failure: failure === null ? null : failureLabel(failure),
    failureMessage: words?.message ?? null,
    failureHint: words?.hint ?? null,
  }
}

/** Returns null for audio of length 0. */
function realTimeFactor(serviceMs: number, audioSeconds: number): number | null {
  const factor = serviceMs / 1000 / audioSeconds
  return Number.isFinite(factor) ? factor : null
}

export interface ScoredRequest {
  readonly resolved: ResolvedRequest
  /** Null unless it was scored. */
  readonly score: LevelCounts | null
  /** The reading of the reference that was scored; the first one where nothing was scored. */
  readonly reference: string
  /**
   * Weight in a rate, at least 1. All requests of one utterance together weigh as much as those of any other, even if
   * the load ended within a pass over the corpus. 1 where all were sent equally often.
   */
  readonly weight: number
  /** Null where the request was not sent. */
  readonly window: WindowPart | null
}

/** Whether a request has an answer or a failure, of this run or of an earlier one. */
export function hasOutcome({ status }: Pick<ResolvedRequest, 'status'>): boolean {
  return status === 'scored' || status === 'failed'
}

export function errorTerms(requests: readonly ScoredRequest[], level: ErrorLevel): readonly ErrorTerm[] {
  return requests.flatMap(({ resolved: { utterance }, score, weight }) =>
    score === null ? [] : { counts: score[level], utterance, weight },
  )
}

/** @returns null for a request without an answer, and for runs that recorded no phases */
export function readPhases(line: AttemptLine): RequestPhases | null {
  const { socket, sentAtMs, firstByteAtMs, endedAtMs } = line
  if (socket === undefined || firstByteAtMs === null) return null
  const { startedAtMs, connectMs } = socket
  return {
    // Journalled times are rounded to microseconds independently, so the difference may be negative.
    queueMs: Math.max(0, startedAtMs - sentAtMs - connectMs),
    connectMs,
    waitMs: firstByteAtMs - startedAtMs,
    downloadMs: endedAtMs - firstByteAtMs,
  }
}

/** Returns a time as percentiles count it. A first attempt counts only for a request that any attempt answered. */
export function takenTime(times: Times, kind: TimeKind): number | null {
  return kind === 'firstAttemptMs' && times.latencyMs === null ? null : times[kind]
}

/** Message of a failure and the server's advice, without any text of a transcript. */
export interface FailureWords {
  readonly message: string
  readonly hint: string | null
}

/** Describes a failure for display. A malformed answer is not quoted, because it may contain the transcript. */
export function nameFailure(failure: RequestFailure): FailureWords {
  if (failure.kind === 'refused') return { message: failure.message, hint: failure.hint }
  if (failure.kind === 'malformed' && failure.httpStatus < 300) {
    return { message: `an answer that is not of this API (HTTP ${failure.httpStatus})`, hint: null }
  }
  return { message: describeFailure(failure), hint: null }
}

/** The attempts that answered a contender's requests, in the order of the plan, by the index of the utterance. */
export type Answered = ReadonlyMap<number, readonly AttemptLine[]>

/** @param isWanted whether the request of a row is included; default: all are */
export function answeredAttempts(
  requests: ResolvedContender['requests'],
  isWanted: (row: number) => boolean = () => true,
): Answered {
  const byUtterance = new Map<number, AttemptLine[]>()
  for (const [row, { status, attempt, utteranceIndex }] of requests.entries()) {
    if (status !== 'scored' || attempt === null || !isWanted(row)) continue
    const attempts = byUtterance.get(utteranceIndex) ?? []
    byUtterance.set(utteranceIndex, attempts)
    attempts.push(attempt)
  }
  return byUtterance
}

/** Returns the time from the sending of an attempt to its end. */
export function serviceTimeMs({ sentAtMs, endedAtMs }: AttemptLine): number {
  return endedAtMs - sentAtMs
}
