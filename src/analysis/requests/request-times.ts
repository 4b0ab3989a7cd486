import { failureLabel } from '#contract'
import { numberColumn } from '#prelude'
import { errorRate } from '#scoring'
import type { EvaluatedLoad } from '../documents/evaluation.ts'
import type { UtteranceEvaluation } from '../documents/utterance-evaluation.ts'
import { wordsOf } from './failure-words.ts'
import { firstOfAnswered } from './first-attempt.ts'
import { phasesOf } from './request-phases.ts'
import type { ResolvedRequest } from './resolved-run.ts'
import type { ScoredRequest } from './scored-request.ts'

export const timeKinds = [
  'latencyMs',
  'firstAttemptMs',
  'serviceMs',
  'realTimeFactor',
  'serverDecodeMs',
  'serverLatencyMs',
] as const
export type TimeKind = (typeof timeKinds)[number]

type Times = Pick<UtteranceEvaluation, TimeKind>

/** Where the waiting for an answer begins. */
type CountsFrom = Pick<EvaluatedLoad, 'latencyCountsFrom'>

function timesOf({ utterance, attempt, first, status }: ResolvedRequest, load: CountsFrom): Times {
  const scored = status === 'scored' ? attempt : null
  const serviceMs = scored === null ? null : scored.endedAtMs - scored.sentAtMs
  const from = load.latencyCountsFrom === 'due' ? 'dueAtMs' : 'sentAtMs'
  const outcome = attempt?.outcome
  const answer = outcome?.ok === true ? outcome.answer : null
  return {
    // With retries, the wait counts from the first attempt.
    latencyMs: scored === null || first === null ? null : scored.endedAtMs - first[from],
    firstAttemptMs: first === null ? null : first.endedAtMs - first[from],
    serviceMs,
    realTimeFactor: serviceMs === null ? null : realTimeFactor(serviceMs, utterance.durationSeconds),
    serverDecodeMs: answer?.serverDecodeMs ?? null,
    serverLatencyMs: answer?.serverLatencyMs ?? null,
  }
}

/** What was measured of the requests of the steady part, without what is absent; a column for each kind of time asked for. */
export function steadyTimes<Kind extends TimeKind>(
  requests: readonly ScoredRequest[],
  load: CountsFrom,
  kinds: readonly Kind[],
): Readonly<Record<Kind, Float64Array>> {
  const columns = kinds.map((kind) => ({ kind, values: numberColumn(requests.length) }))
  for (const { window, resolved } of requests) {
    if (window !== 'steady') continue
    const times = timesOf(resolved, load)
    for (const { kind, values } of columns) {
      const value: number | null = kind === 'firstAttemptMs' ? firstOfAnswered(times) : times[kind]
      if (value !== null) values.add(value)
    }
  }
  return Object.fromEntries(columns.map(({ kind, values }) => [kind, values.values()])) as Record<
    Kind,
    Float64Array
  >
}

/** The latency of an answered request of the steady part that took any time at all; null for any other. */
export function steadyLatency(
  { resolved, window }: Pick<ScoredRequest, 'resolved' | 'window'>,
  load: CountsFrom,
): number | null {
  const { latencyMs } = window === 'steady' ? timesOf(resolved, load) : { latencyMs: null }
  return latencyMs === null || latencyMs <= 0 ? null : latencyMs
}

/** Latencies by the places of their utterances among those of a run: samples that take little memory. */
export interface SampleColumns {
  readonly places: Uint32Array
  readonly latenciesMs: Float64Array
}

/** The latencies of a contender's answered requests of the steady part that took any time at all. */
export function latencyColumns(requests: readonly ScoredRequest[], load: CountsFrom): SampleColumns {
  const places = new Uint32Array(requests.length)
  const latenciesMs = numberColumn(requests.length)
  let count = 0
  for (const { window, resolved } of requests) {
    const latencyMs = steadyLatency({ resolved, window }, load)
    if (latencyMs === null) continue
    places[count] = resolved.utterancePlace
    latenciesMs.add(latencyMs)
    count += 1
  }
  if (count === requests.length) return { places, latenciesMs: latenciesMs.values() }
  return { places: places.slice(0, count), latenciesMs: latenciesMs.values().slice() }
}

/** One row of the evaluation: a planned request with its outcome, its counts and its times. */
export function evaluateRequest(
  { resolved, score, reference, window }: ScoredRequest,
  load: CountsFrom,
): UtteranceEvaluation {
  const { request, utterance, attempt, status } = resolved
  const words = score?.words ?? null
  const times = timesOf(resolved, load)
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
    phases: status === 'scored' && attempt !== null ? phasesOf(attempt) : null,
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

function failureFacts({
  failure,
  status,
}: ResolvedRequest): Pick<UtteranceEvaluation, 'failure' | 'failureMessage' | 'failureHint'> {
  const words = failure === null || status !== 'failed' ? null : wordsOf(failure)
  return {
    failure: failure === null ? null : failureLabel(failure),
    failureMessage: words?.message ?? null,
    failureHint: words?.hint ?? null,
  }
}

/** Null for audio without length. */
function realTimeFactor(serviceMs: number, audioSeconds: number): number | null {
  const factor = serviceMs / 1000 / audioSeconds
  return Number.isFinite(factor) ? factor : null
}
