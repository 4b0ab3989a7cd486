import type { RunCounts, TelemetryLine } from '#journal'
import type { LoadShape } from '#load'
import { addCounts, type ErrorCounts, errorRate, noErrors, sentenceErrorRate } from '#scoring'
import { type Clustering, speakerCountOf } from './clustering.ts'
import { modelLoading, untilSteady } from './cold-start.ts'
import { moneySpent } from './cost.ts'
import { type ErrorTerm, pooledErrorRate } from './error-rate.ts'
import type { ContenderEvaluation, EvaluatedLoad, UtteranceEvaluation } from './evaluation.ts'
import { firstOfAnswered } from './first-attempt.ts'
import type { JudgedContender, JudgedRequest } from './judged-run.ts'
import { latencyByDuration, latencySamples } from './latency-by-duration.ts'
import { fitLatencyModel } from './latency-model.ts'
import { percentileSet } from './percentiles.ts'
import { measurePhases, phasesOf } from './phases.ts'
import { cpuCost } from './resources.ts'
import { type WindowPart, windowParts } from './steady-part.ts'
import { systemSpeed } from './system-speed.ts'
import type { TranscriptScore, TranscriptScorer } from './transcript-scorer.ts'

/** A judged request with the counts of its transcript. */
export interface ScoredRequest {
  readonly judged: JudgedRequest
  /** Null unless it was scored. */
  readonly score: TranscriptScore | null
  /** The text that the reference is taken for; its first where nothing was scored. */
  readonly reference: string
  /** Null where it was not sent. */
  readonly window: WindowPart | null
}

export interface ScoredContender {
  readonly judged: JudgedContender
  readonly requests: readonly ScoredRequest[]
}

export function scoreContender(
  judged: JudgedContender,
  scorer: TranscriptScorer,
  load: LoadShape,
): ScoredContender {
  const parts = windowParts(judged.requests, load)
  const requests = judged.requests.map((request): ScoredRequest => {
    const { hypothesis, utterance } = request
    return {
      judged: request,
      score: hypothesis === null ? null : scorer.score(utterance, hypothesis),
      reference: hypothesis === null ? utterance.reference : scorer.reading(utterance, hypothesis),
      window: parts.get(request.request.index) ?? null,
    }
  })
  return { judged, requests }
}

export interface EvaluationContext {
  readonly scorer: TranscriptScorer
  readonly clusterings: readonly Clustering[]
  readonly load: EvaluatedLoad
  readonly seed: number
  /** Of the bootstraps; 10,000 unless told, and 0 where nobody looks at intervals of rates. */
  readonly replicates?: number | undefined
  readonly telemetry: readonly TelemetryLine[]
}

/** All figures of one contender. */
export function evaluateContender(scored: ScoredContender, context: EvaluationContext): ContenderEvaluation {
  const { contender, requests } = scored.judged
  const rows = scored.requests.map((request) => evaluateRequest(request, context.load))
  const steady = rows.filter(({ window }) => window === 'steady')
  const answeredIn = (part: WindowPart): number =>
    rows.filter(({ window, status }) => window === part && status === 'scored').length
  const counts = countFates(requests)
  const drained = new Set(
    rows.flatMap(({ window, requestIndex }) => (window === 'drain' ? [requestIndex] : [])),
  )
  const utterances = [
    ...new Set(requests.filter(({ status }) => status === 'scored').map(({ utterance }) => utterance)),
  ]
  const sent = counts.answered + counts.failed
  return {
    contender,
    counts,
    failures: failureCounts(requests),
    failureRate: sent === 0 ? null : counts.failed / sent,
    scoredCount: counts.answered,
    noSpeechCount: requests.filter((request) => request.saidNoSpeech).length,
    utteranceCount: utterances.length,
    speakerCount: utterances.length === 0 ? null : speakerCountOf(utterances),
    coverage: counts.planned === 0 ? null : counts.answered / counts.planned,
    ...accuracy(scored, context),
    leftOut: { rampCount: answeredIn('ramp'), drainCount: answeredIn('drain') },
    latencyMs: percentileSet(steady.map((row) => row.latencyMs)),
    firstAttemptMs: percentileSet(steady.map(firstOfAnswered)),
    sentAgain: {
      requestCount: requests.filter(({ attemptCount }) => attemptCount > 1).length,
      answeredCount: requests.filter(({ attemptCount, status }) => attemptCount > 1 && status === 'scored')
        .length,
    },
    serviceMs: percentileSet(steady.map((row) => row.serviceMs)),
    latencyByDuration: latencyByDuration(rows),
    latencyModel: fitLatencyModel(latencySamples(rows)),
    realTimeFactor: percentileSet(steady.map((row) => row.realTimeFactor)),
    systemSpeed: systemSpeed(scored.judged.sendings, {
      concurrency: context.load.concurrency,
      // Only of speakers anything is sent while the load runs out: the others are waited for.
      isDrained: ({ index }) => context.load.kind === 'speakers' && drained.has(index),
    }),
    serverDecodeMs: percentileSet(steady.map((row) => row.serverDecodeMs)),
    serverLatencyMs: percentileSet(steady.map((row) => row.serverLatencyMs)),
    cpuSecondsPerAudioSecond: cpuCost(scored.judged.sendings, context.telemetry),
    postProcessedRate: postProcessedRate(requests),
    firstRequestMs: firstRequestMs(scored.judged),
    modelLoadingMs: modelLoading(scored.judged),
    untilSteadyMs: untilSteady(scored.judged, {
      concurrency: context.load.concurrency,
      steady: new Set(steady.map(({ requestIndex }) => requestIndex)),
    }),
    phases: measurePhases(
      scored.requests.flatMap(({ judged: { attempt, status }, window }) =>
        attempt !== null && status === 'scored' && window === 'steady' ? [attempt] : [],
      ),
    ),
    cost: moneySpent(contender, [...scored.judged.warmup, ...scored.judged.sendings]),
  }
}

type Accuracy = Pick<
  ContenderEvaluation,
  'words' | 'characters' | 'sentenceErrorRate' | 'wordsWithFailuresAsEmpty' | 'meanUtteranceWordErrorRate'
>

function accuracy(scored: ScoredContender, context: EvaluationContext): Accuracy {
  const { clusterings, scorer, seed, replicates } = context
  const words: ErrorTerm[] = []
  const characters: ErrorTerm[] = []
  const wordsOfAll: ErrorTerm[] = []
  for (const { judged, score } of scored.requests) {
    const { utterance } = judged
    if (judged.status === 'failed') {
      wordsOfAll.push({ counts: scorer.score(utterance, '').words, utterance })
    }
    if (score === null) continue
    wordsOfAll.push({ counts: score.words, utterance })
    words.push({ counts: score.words, utterance })
    characters.push({ counts: score.characters, utterance })
  }
  const answered = pooledErrorRate(words, clusterings, seed, replicates)
  return {
    words: answered,
    characters: pooledErrorRate(characters, clusterings, seed, replicates),
    sentenceErrorRate: sentenceErrorRate(words.map(({ counts }) => counts)),
    // Without failures it is the same sum of the same terms, with the same interval.
    wordsWithFailuresAsEmpty:
      wordsOfAll.length === words.length
        ? answered
        : pooledErrorRate(wordsOfAll, clusterings, seed, replicates),
    meanUtteranceWordErrorRate: meanUtteranceRate(scored.requests),
  }
}

/** Mean over utterances of each one's own rate, pooled over its rounds; empty references have none. */
function meanUtteranceRate(requests: readonly ScoredRequest[]): number | null {
  const totals = new Map<string, ErrorCounts>()
  for (const { judged, score } of requests) {
    if (score === null) continue
    const { id } = judged.utterance
    totals.set(id, addCounts(totals.get(id) ?? noErrors, score.words))
  }
  const rates = [...totals.values()].map(errorRate).filter((rate) => rate !== null)
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

function countFates(requests: readonly JudgedRequest[]): RunCounts {
  const count = (status: JudgedRequest['status']): number =>
    requests.filter((request) => request.status === status).length
  const counts = {
    planned: requests.length,
    answered: count('scored'),
    failed: count('failed'),
    dropped: count('dropped'),
    notSent: count('notSent'),
  }
  if (counts.planned !== counts.answered + counts.failed + counts.dropped + counts.notSent) {
    throw new TypeError(`a planned request was lost or counted twice: ${JSON.stringify(counts)}`)
  }
  return counts
}

/** Null where nothing was post-processed at all. */
function postProcessedRate(requests: readonly JudgedRequest[]): number | null {
  const told = requests.flatMap(({ attempt }) =>
    attempt?.outcome.ok === true ? [attempt.outcome.answer.isPostProcessed] : [],
  )
  const known = told.filter((isPostProcessed) => isPostProcessed !== undefined)
  return known.length === 0 ? null : known.filter((isPostProcessed) => isPostProcessed).length / known.length
}

function failureCounts(requests: readonly JudgedRequest[]): ContenderEvaluation['failures'] {
  const counts = new Map<string, number>()
  for (const { status, failure } of requests) {
    if (status !== 'failed' || failure === null) continue
    counts.set(failure, (counts.get(failure) ?? 0) + 1)
  }
  return [...counts]
    .map(([label, count]) => ({ label, count }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
}

function firstRequestMs(judged: JudgedContender): number | null {
  const first = judged.warmup.reduce<JudgedContender['warmup'][number] | null>(
    (earliest, sending) => (earliest === null || sending.sentAtMs < earliest.sentAtMs ? sending : earliest),
    null,
  )
  return first === null || !first.outcome.ok ? null : first.endedAtMs - first.sentAtMs
}

/** One row of the evaluation: a planned request with its fate, its counts and its times. */
export function evaluateRequest(
  { judged, score, reference, window }: ScoredRequest,
  { latencyCountsFrom }: Pick<EvaluatedLoad, 'latencyCountsFrom'>,
): UtteranceEvaluation {
  const { request, utterance, attempt, first, attemptCount, status } = judged
  const scored = status === 'scored' ? attempt : null
  const serviceMs = scored === null ? null : scored.endedAtMs - scored.sentAtMs
  const from = latencyCountsFrom === 'due' ? 'dueAtMs' : 'sentAtMs'
  const answer = attempt?.outcome.ok === true ? attempt.outcome.answer : null
  const words = score?.words ?? null
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
    // Whoever sends again has waited from the beginning.
    latencyMs: scored === null || first === null ? null : scored.endedAtMs - first[from],
    attemptCount,
    firstAttemptMs: first === null ? null : first.endedAtMs - first[from],
    serviceMs,
    phases: scored === null ? null : phasesOf(scored),
    realTimeFactor: serviceMs === null ? null : realTimeFactor(serviceMs, utterance.durationSeconds),
    serverDecodeMs: answer?.serverDecodeMs ?? null,
    serverLatencyMs: answer?.serverLatencyMs ?? null,
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
