import type { RunRecord } from '#journal/run-record'
import { counted, seededRandom, sumOf } from '#prelude'
import type { ErrorRate } from '#rates/documents'
import { byHost, pooledErrorRate } from '#rates/error-rate'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { bootstrapRatio, type RatioTerm } from '#statistics/bootstrap'
import type { Bounds } from '#statistics/bounds'
import {
  clusteredQuantileInterval,
  quantile,
  type SortedSamples,
  smallestSampleForQuantile,
  sortInPlace,
  sortSamples,
} from '#statistics/quantiles'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import type { PooledContender, PooledFigure } from '../../documents/evaluation.ts'
import { errorTerms, steadyTimes } from '../../requests/request-times.ts'
import type { ScoredContender } from '../../requests/scored-contender.ts'
import type { EvaluationContext } from '../contender-evaluation.ts'

/** Min number of hosts to resample; fewer say too little about another host. */
const fewestHosts = 5

export interface PoolingInput
  extends Pick<EvaluationContext, 'load' | 'clusterings' | 'seed' | 'replicates'> {
  readonly scored: readonly ScoredContender[]
  readonly contenders: readonly ContenderEvaluation[]
}

interface HostShare {
  readonly contender: string
  readonly host: string
  readonly scored: ScoredContender
  readonly figures: ContenderEvaluation
}

/**
 * Pools every contender of a merged run over all hosts. All figures are from single requests, never means of hosts'
 * figures: sums of errors over sums of words, and percentiles of all latencies. Hosts are resampled as clusters.
 *
 * @returns undefined for a run on one host
 */
export function pooledContenders(
  record: RunRecord,
  input: PoolingInput,
): readonly PooledContender[] | undefined {
  if (record.hosts === undefined) return undefined
  const shares = input.scored.flatMap((scored, index) => {
    const { merged } = scored.resolved.contender
    const figures = input.contenders[index]
    return merged === undefined || figures === undefined ? [] : [{ ...merged, scored, figures }]
  })
  const pooled = [...Map.groupBy(shares, ({ contender }) => contender)].map(([contenderId, hostShares]) =>
    pooledContender(contenderId, hostShares, input),
  )
  if (record.fleetMode !== 'shard') return pooled
  const share = measuringShare(record, pooled, shares)
  return pooled.map((contender) => ({
    ...contender,
    totalSpeed: contender.totalSpeed === null || share === null ? null : contender.totalSpeed * share,
  }))
}

/**
 * Returns the share of a shard's elapsed time that its hosts would have needed at their own speeds, all in parallel.
 * The rest is warm-up, waiting for blocks, and utterances that another host had not finished.
 *
 * @returns null where a speed or the time is unknown
 */
function measuringShare(
  { startedAt, endedAt }: RunRecord,
  pooled: readonly PooledContender[],
  shares: readonly HostShare[],
): number | null {
  const elapsedSeconds = endedAt === null ? 0 : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  let neededSeconds = 0
  for (const { contenderId, totalSpeed } of pooled) {
    if (totalSpeed === null || totalSpeed <= 0) return null
    for (const { contender, scored } of shares) {
      if (contender !== contenderId) continue
      for (const { resolved } of scored.requests)
        if (resolved.status === 'scored') neededSeconds += resolved.utterance.durationSeconds / totalSpeed
    }
  }
  return elapsedSeconds > 0 ? Math.min(1, neededSeconds / elapsedSeconds) : null
}

function pooledContender(
  contenderId: string,
  shares: readonly HostShare[],
  input: PoolingInput,
): PooledContender {
  const latencies = shares.map(({ scored }) =>
    sortInPlace(steadyTimes(scored.requests, input.load, ['latencyMs']).latencyMs),
  )
  const speeds = shares.map(({ figures }) => figures.systemSpeed)
  return {
    contenderId,
    hosts: shares.map(({ host }) => host),
    words: pooledRate(shares, 'words', input),
    characters: pooledRate(shares, 'characters', input),
    latencyP50Ms: pooledPercentile(latencies, 0.5, input.seed),
    latencyP95Ms: pooledPercentile(latencies, 0.95, input.seed),
    speedPerHost: pooledSpeed(speeds, input.seed),
    totalSpeed: speeds.some(({ value }) => value === null) ? null : sumOf(speeds, ({ value }) => value ?? 0),
  }
}

function pooledRate(
  shares: readonly HostShare[],
  level: ErrorLevel,
  { clusterings, seed, replicates }: PoolingInput,
): ErrorRate {
  const terms = shares.flatMap(({ host, scored }) =>
    errorTerms(scored.requests, level).map((term) => ({ ...term, utterance: { ...term.utterance, host } })),
  )
  return pooledErrorRate(terms, [byHost, ...clusterings], seed, replicates)
}

function pooledPercentile(
  latencies: readonly SortedSamples[],
  probability: number,
  seed: number,
): PooledFigure {
  const pooled = sortSamples(latencies.flatMap((samples) => [...samples]))
  const missing = smallestSampleForQuantile(probability) - pooled.length
  if (missing > 0) {
    const reason = `needs ${counted(missing, 'more answered request')}`
    return { value: null, interval: null, reason }
  }
  const bounds = clusteredQuantileInterval(latencies, probability, seededRandom(seed))
  return overHosts(quantile(pooled, probability), bounds, latencies.length)
}

function pooledSpeed(speeds: readonly ContenderEvaluation['systemSpeed'][], seed: number): PooledFigure {
  const terms: RatioTerm[] = []
  for (const speed of speeds) {
    if (speed.value === null) return { value: null, interval: null, reason: speed.reason }
    terms.push({ numerator: speed.audioSeconds, denominator: speed.windowSeconds })
  }
  const { estimate, interval } = bootstrapRatio(terms, { random: seededRandom(seed) })
  return overHosts(estimate, interval, terms.length)
}

/** Returns a value with its interval over the hosts, if there are enough of them. */
function overHosts(value: number | null, bounds: Bounds | null, hostCount: number): PooledFigure {
  if (hostCount < fewestHosts || bounds === null) {
    const reason = `an interval needs ${fewestHosts} hosts, and this run has ${hostCount}`
    return { value, interval: null, reason }
  }
  const { low, high } = bounds
  return { value, interval: { low, high, confidence: 0.95, method: 'bootstrap-by-host' }, reason: null }
}
