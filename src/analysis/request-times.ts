import { type NumberColumn, numberColumn, type Rows } from '#prelude'
import { errorRate } from '#scoring'
import type { ScoredRequest } from './contender-evaluation.ts'
import type { EvaluatedLoad, UtteranceEvaluation } from './evaluation.ts'
import { firstOfAnswered } from './first-attempt.ts'
import type { JudgedRequest } from './judged-run.ts'
import type { SampleColumns } from './latency-line.ts'
import { phasesOf } from './phases.ts'

type Times = Pick<
  UtteranceEvaluation,
  'latencyMs' | 'firstAttemptMs' | 'serviceMs' | 'realTimeFactor' | 'serverDecodeMs' | 'serverLatencyMs'
>

/** Where the waiting for an answer begins. */
type CountsFrom = Pick<EvaluatedLoad, 'latencyCountsFrom'>

function timesOf({ utterance, attempt, first, status }: JudgedRequest, load: CountsFrom): Times {
  const scored = status === 'scored' ? attempt : null
  const serviceMs = scored === null ? null : scored.endedAtMs - scored.sentAtMs
  const from = load.latencyCountsFrom === 'due' ? 'dueAtMs' : 'sentAtMs'
  const outcome = attempt?.outcome
  const answer = outcome?.ok === true ? outcome.answer : null
  return {
    // Whoever sends again has waited from the beginning.
    latencyMs: scored === null || first === null ? null : scored.endedAtMs - first[from],
    firstAttemptMs: first === null ? null : first.endedAtMs - first[from],
    serviceMs,
    realTimeFactor: serviceMs === null ? null : realTimeFactor(serviceMs, utterance.durationSeconds),
    serverDecodeMs: answer?.serverDecodeMs ?? null,
    serverLatencyMs: answer?.serverLatencyMs ?? null,
  }
}

/** What was measured of the requests of the steady part, without what is absent. */
export function steadyTimes(
  requests: Rows<ScoredRequest>,
  load: CountsFrom,
): Readonly<Record<keyof Times, Float64Array>> {
  const column = (): NumberColumn => numberColumn(requests.length)
  const [latencyMs, firstAttemptMs, serviceMs] = [column(), column(), column()]
  const [realTimeFactor, serverDecodeMs, serverLatencyMs] = [column(), column(), column()]
  const keep = (values: NumberColumn, value: number | null): void => {
    if (value !== null) values.add(value)
  }
  for (const { window, judged } of requests) {
    if (window !== 'steady') continue
    const times = timesOf(judged, load)
    keep(latencyMs, times.latencyMs)
    keep(firstAttemptMs, firstOfAnswered(times))
    keep(serviceMs, times.serviceMs)
    keep(realTimeFactor, times.realTimeFactor)
    keep(serverDecodeMs, times.serverDecodeMs)
    keep(serverLatencyMs, times.serverLatencyMs)
  }
  return {
    latencyMs: latencyMs.values(),
    firstAttemptMs: firstAttemptMs.values(),
    serviceMs: serviceMs.values(),
    realTimeFactor: realTimeFactor.values(),
    serverDecodeMs: serverDecodeMs.values(),
    serverLatencyMs: serverLatencyMs.values(),
  }
}

/** The latencies of a contender's answered requests of the steady part that took any time at all. */
export function latencyColumns(requests: Rows<ScoredRequest>, load: CountsFrom): SampleColumns {
  const places = new Uint32Array(requests.length)
  const latenciesMs = numberColumn(requests.length)
  let count = 0
  for (const { window, judged } of requests) {
    const { latencyMs } = window === 'steady' ? timesOf(judged, load) : { latencyMs: null }
    if (latencyMs === null || latencyMs <= 0) continue
    places[count] = judged.utterancePlace
    latenciesMs.add(latencyMs)
    count += 1
  }
  return { places: places.slice(0, count), latenciesMs: latenciesMs.values().slice() }
}

/** One row of the evaluation: a planned request with its fate, its counts and its times. */
export function evaluateRequest(
  { judged, score, reference, window }: ScoredRequest,
  load: CountsFrom,
): UtteranceEvaluation {
  const { request, utterance, attempt, status } = judged
  const words = score?.words ?? null
  const times = timesOf(judged, load)
  return {
    requestIndex: request.index,
    contenderId: request.contenderId,
    utteranceId: utterance.id,
    round: request.round,
    status,
    window,
    failure: judged.failure,
    saidNoSpeech: judged.saidNoSpeech,
    audioSeconds: utterance.durationSeconds,
    latencyMs: times.latencyMs,
    attemptCount: judged.attemptCount,
    firstAttemptMs: times.firstAttemptMs,
    serviceMs: times.serviceMs,
    phases: status === 'scored' && attempt !== null ? phasesOf(attempt) : null,
    realTimeFactor: times.realTimeFactor,
    serverDecodeMs: times.serverDecodeMs,
    serverLatencyMs: times.serverLatencyMs,
    reference,
    hypothesis: judged.hypothesis,
    words,
    characters: score?.characters ?? null,
    wordErrorRate: words === null ? null : errorRate(words),
  }
}

/** Null for audio without length. */
function realTimeFactor(serviceMs: number, audioSeconds: number): number | null {
  const factor = serviceMs / 1000 / audioSeconds
  return Number.isFinite(factor) ? factor : null
}
