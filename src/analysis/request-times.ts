import { lazyRows, type Rows } from '#prelude'
import { errorRate } from '#scoring'
import type { ScoredRequest } from './contender-evaluation.ts'
import type { EvaluatedLoad, UtteranceEvaluation } from './evaluation.ts'
import { firstOfAnswered } from './first-attempt.ts'
import type { JudgedRequest } from './judged-run.ts'
import type { LatencySample } from './latency-line.ts'
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
): Readonly<Record<keyof Times, readonly number[]>> {
  const steady: Record<keyof Times, number[]> = {
    latencyMs: [],
    firstAttemptMs: [],
    serviceMs: [],
    realTimeFactor: [],
    serverDecodeMs: [],
    serverLatencyMs: [],
  }
  const keep = (values: number[], value: number | null): void => {
    if (value !== null) values.push(value)
  }
  for (const { window, judged } of requests) {
    if (window !== 'steady') continue
    const times = timesOf(judged, load)
    keep(steady.latencyMs, times.latencyMs)
    keep(steady.firstAttemptMs, firstOfAnswered(times))
    keep(steady.serviceMs, times.serviceMs)
    keep(steady.realTimeFactor, times.realTimeFactor)
    keep(steady.serverDecodeMs, times.serverDecodeMs)
    keep(steady.serverLatencyMs, times.serverLatencyMs)
  }
  return steady
}

/** The latencies of a contender's answered requests of the steady part that took any time at all. */
export function contenderSamples(requests: Rows<ScoredRequest>, load: CountsFrom): Rows<LatencySample> {
  const ids: string[] = []
  const lengths: number[] = []
  const latencies: number[] = []
  for (const { window, judged } of requests) {
    const { latencyMs } = window === 'steady' ? timesOf(judged, load) : { latencyMs: null }
    if (latencyMs === null || latencyMs <= 0) continue
    const { id, durationSeconds } = judged.utterance
    ids.push(id)
    lengths.push(durationSeconds)
    latencies.push(latencyMs)
  }
  return lazyRows(latencies.length, (row) => ({
    utteranceId: ids[row] as string,
    audioSeconds: lengths[row] as number,
    latencyMs: latencies[row] as number,
  }))
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
