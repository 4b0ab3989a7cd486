import type { RequestFailure } from '#contract/failures'
import type { RunCounts, RunRecord } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'
import { lazily, onDemand } from '#prelude'
import type { ErrorRate } from '#rates/documents'
import { type Clustering, countSpeakers, type ErrorTerm, pooledErrorRate } from '#rates/error-rate'
import { errorCount, referenceLength } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { sortInPlace } from '#statistics/quantiles'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { EvaluatedLoad, WindowPart } from '../documents/evaluation.ts'
import { type PercentileSet, type TimeKind, timeKinds } from '../documents/latency.ts'
import { loadPhases, pickTelemetry } from '../requests/evaluated-load.ts'
import { errorTerms, type ScoredRequest, steadyTimes } from '../requests/request-times.ts'
import { listUtterances, type ResolvedContender, type ResolvedRequest } from '../requests/resolved-run.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { measureEnergy, moneySpent } from './costs.ts'
import { groupFailures } from './failure-groups.ts'
import { modelLoading, untilSteady, warmUpFigures } from './latency/cold-start.ts'
import {
  findPercentiles,
  fitLatencyModel,
  latencyByDuration,
  measurePhases,
  percentileSet,
} from './latency/latency-figures.ts'
import { cpuCost, findUnread } from './machine/resources.ts'
import { rateLimitWaits, reusedAnswers, systemSpeed } from './speed/system-speed.ts'

export interface EvaluationContext {
  readonly scorer: TranscriptScorer
  readonly clusterings: readonly Clustering[]
  readonly record: Pick<RunRecord, 'load' | 'seed' | 'corpus' | 'config'>
  readonly load: EvaluatedLoad
  readonly seed: number
  /** Number of bootstrap replicates; default: 10,000; 0 where intervals of rates are not needed. */
  readonly replicates?: number | undefined
  readonly telemetry: readonly TelemetryLine[]
}

/** Returns all figures of one contender. Each is computed on first access, because a comparison uses few. */
export function evaluateContender(scored: ScoredContender, context: EvaluationContext): ContenderEvaluation {
  const { resolved } = scored
  const { contender, requests } = resolved
  const { load, telemetry } = context
  const counts = countOutcomes(requests)
  const answered = scored.requests.filter(({ score }) => score !== null)
  const utterances = listUtterances(resolved, ({ status }) => status === 'scored')
  const sent = counts.answered + counts.failed
  const samples = scored.latencies
  const answeredIn = (part: WindowPart): readonly ScoredRequest[] =>
    answered.filter(({ window }) => window === part)
  const pooled = (terms: readonly ErrorTerm[]): ErrorRate =>
    pooledErrorRate(terms, context.clusterings, context.seed, context.replicates)
  // Without failures both rates have the same terms, and so the same interval.
  const withFailures = (level: ErrorLevel): ErrorRate =>
    counts.failed === 0 ? figures[level] : pooled(termsWithFailures(scored, context.scorer, level))
  const otherTimes = lazily(() => steadyTimes(scored.requests, load, timeKinds))
  // The values mostly equal the latencies: without retries, and under a closed load. They are then shared.
  const timesOrLatency = (kind: TimeKind): PercentileSet =>
    isAlike(otherTimes()[kind], otherTimes().latencyMs)
      ? figures.latencyMs
      : percentileSet(otherTimes()[kind])
  const figures: ContenderEvaluation = onDemand<ContenderEvaluation>({
    contender: () => contender,
    counts: () => counts,
    loadPhases: () => loadPhases(resolved, context.record),
    reused: resolved.reused.length === 0 ? undefined : () => reusedAnswers(resolved.reused),
    failures: () => groupFailures(listFailures(requests)),
    failureRate: () => (sent === 0 ? null : counts.failed / sent),
    scoredCount: () => counts.answered,
    noSpeechCount: () => requests.filter(({ saidNoSpeech }) => saidNoSpeech).length,
    utteranceCount: () => utterances.length,
    speakerCount: () => (utterances.length === 0 ? null : countSpeakers(utterances)),
    coverage: () => (counts.planned === 0 ? null : counts.answered / counts.planned),
    words: () => pooled(errorTerms(answered, 'words')),
    characters: () => pooled(errorTerms(answered, 'characters')),
    sentenceErrorRate: () => sentenceErrorRate(answered),
    wordsWithFailuresAsEmpty: () => withFailures('words'),
    charactersWithFailuresAsEmpty: () => withFailures('characters'),
    meanUtteranceWordErrorRate: () => meanUtteranceRate(answered),
    leftOut: () => ({ rampCount: answeredIn('ramp').length, drainCount: answeredIn('drain').length }),
    latencyMs: () =>
      findPercentiles(sortInPlace(steadyTimes(scored.requests, load, ['latencyMs']).latencyMs)),
    firstAttemptMs: () => timesOrLatency('firstAttemptMs'),
    sentAgain: () => ({
      requestCount: requests.filter(({ repeatCount }) => repeatCount > 0).length,
      answeredCount: requests.filter(({ repeatCount, status }) => repeatCount > 0 && status === 'scored')
        .length,
    }),
    rateLimit: () => rateLimitWaits(resolved.sendings),
    serviceMs: () => timesOrLatency('serviceMs'),
    latencyByDuration: () => latencyByDuration(samples),
    latencyModel: () => fitLatencyModel(samples),
    realTimeFactor: () => percentileSet(otherTimes().realTimeFactor),
    systemSpeed: () => {
      const drained = drainedRequests(scored, load)
      return systemSpeed(resolved.sendings, {
        concurrency: load.concurrency,
        isDrained: ({ index }) => drained.has(index),
      })
    },
    serverDecodeMs: () => percentileSet(otherTimes().serverDecodeMs),
    serverLatencyMs: () => percentileSet(otherTimes().serverLatencyMs),
    cpuSecondsPerAudioSecond: () => cpuCost(resolved.sendings, pickTelemetry(contender, telemetry)),
    energy:
      findUnread(telemetry) === undefined
        ? undefined
        : () => measureEnergy(resolved.sendings, pickTelemetry(contender, telemetry)),
    postProcessedRate: () => postProcessedRate(requests),
    firstRequestMs: () => firstRequestMs(resolved),
    modelLoadingMs: () => modelLoading(resolved),
    untilSteadyMs: () =>
      untilSteady(resolved, {
        concurrency: load.concurrency,
        isSteady: (row) => scored.requests.at(row)?.window === 'steady',
      }),
    warmUp: () => warmUpFigures(resolved, load),
    phases: () => measurePhases(answeredIn('steady')),
    cost: () => moneySpent(contender, [resolved.warmup, resolved.sendings]),
  })
  return figures
}

/** Returns the indices of requests that were sent while a load of users ran out, when only some users still spoke. */
function drainedRequests({ requests }: ScoredContender, load: EvaluatedLoad): ReadonlySet<number> {
  if (load.kind !== 'users') return new Set()
  return new Set(
    requests.flatMap(({ window, resolved: { request } }) => (window === 'drain' ? request.index : [])),
  )
}

/** Returns error terms in which every failed request is an empty transcript. */
function termsWithFailures(
  { requests }: ScoredContender,
  scorer: TranscriptScorer,
  level: ErrorLevel,
): readonly ErrorTerm[] {
  return requests.flatMap(({ resolved: { utterance, status }, score, weight }) =>
    score === null && status !== 'failed'
      ? []
      : { counts: (score ?? scorer.score(utterance, ''))[level], utterance, weight },
  )
}

/** Returns the share of answers with an error, where every utterance has the same weight; null without any answer. */
export function sentenceErrorRate(requests: readonly ScoredRequest[]): number | null {
  let [wrong, all] = [0, 0]
  for (const { score, weight } of requests) {
    if (score === null) continue
    all += weight
    if (errorCount(score.words) > 0) wrong += weight
  }
  return all === 0 ? null : wrong / all
}

/** Returns the mean over utterances of each one's rate, pooled over its rounds, without empty references. */
function meanUtteranceRate(requests: readonly ScoredRequest[]): number | null {
  const totals = new Map<string, { errors: number; words: number }>()
  for (const { resolved, score } of requests) {
    if (score === null) continue
    const { id } = resolved.utterance
    const total = totals.get(id) ?? { errors: 0, words: 0 }
    total.errors += errorCount(score.words)
    total.words += referenceLength(score.words)
    if (!totals.has(id)) totals.set(id, total)
  }
  const rates = [...totals.values()].flatMap(({ errors, words }) => (words === 0 ? [] : errors / words))
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

function countOutcomes(requests: readonly ResolvedRequest[]): RunCounts {
  const counted = { scored: 0, failed: 0, dropped: 0, notSent: 0 }
  for (const { status } of requests) counted[status] += 1
  const { scored: answered, ...others } = counted
  const counts = { planned: requests.length, answered, ...others }
  if (counts.planned !== counts.answered + counts.failed + counts.dropped + counts.notSent) {
    throw new TypeError(`a planned request was lost or counted twice: ${JSON.stringify(counts)}`)
  }
  return counts
}

/** Returns null where nothing was post-processed. */
function postProcessedRate(requests: readonly ResolvedRequest[]): number | null {
  let [postProcessed, edited] = [0, 0]
  for (const { attempt, reused } of requests) {
    const { outcome } = attempt ?? reused ?? {}
    const isPostProcessed = outcome?.ok === true ? outcome.answer.isPostProcessed : undefined
    if (isPostProcessed === undefined) continue
    postProcessed += 1
    edited += isPostProcessed ? 1 : 0
  }
  return postProcessed === 0 ? null : edited / postProcessed
}

function listFailures(requests: readonly ResolvedRequest[]): readonly RequestFailure[] {
  return requests.flatMap(({ status, failure }) => (status === 'failed' && failure !== null ? [failure] : []))
}

function firstRequestMs(resolved: ResolvedContender): number | null {
  const first = resolved.warmup.reduce<ResolvedContender['warmup'][number] | null>(
    (earliest, sending) => (earliest === null || sending.sentAtMs < earliest.sentAtMs ? sending : earliest),
    null,
  )
  return first === null || !first.outcome.ok ? null : first.endedAtMs - first.sentAtMs
}

function isAlike(values: Float64Array, others: Float64Array): boolean {
  return values.length === others.length && values.every((value, index) => value === others[index])
}
