import { clopperPearsonInterval, studentQuantile, trendSlope, trialsToShow } from '#statistics'
import type { CountedBatch, MissBatch } from './capacity-fit.ts'
import type { LevelSample } from './loaded-server.ts'
import { allowance, isMiss, type ServicePromise } from './promise.ts'

/** One stretch of time under one load: its warm-up is not in it. */
export interface Stretch {
  readonly perSecond: number
  readonly fromMs: number
  readonly forMs: number
  /** Of one batch: long enough that batches next to each other are nearly independent. */
  readonly batchMs: number
  /** Everything that was sent, the warm-up too: what is left of it stands in the queue. */
  readonly samples: readonly LevelSample[]
}

/** How many requests stand in the system, and whether they grow more. */
export interface Backlog {
  readonly meanInSystem: number
  readonly endInSystem: number
  /** Growth as a share of the requests that come: 0.05 means that one in twenty stays behind. */
  readonly growth: number
  readonly growthInterval: { readonly low: number; readonly high: number } | null
}

export type LevelVerdict = 'kept' | 'broken' | 'undecided'

/** A promise held against everything that was measured at one load. */
export interface PromiseVerdict {
  readonly promise: ServicePromise
  readonly verdict: LevelVerdict
  readonly misses: number
  readonly requests: number
  /**
   * How many times fewer independent requests there are than requests, because those that wait together miss
   * together; at least 1.
   */
  readonly designEffect: number
  /** How many more requests, all in time, would make it kept; null where it is decided, or more missed than may. */
  readonly moreNeeded: number | null
}

/** Of the tests that judge a level, each one-sided. */
const confidence = 0.95
/** Fewer batches than this say nothing of how requests miss together. */
const fewestBatches = 10
/** A backlog that may grow by more than this share of the arrivals is not known to be stable. */
const steadyGrowth = 0.02

/** The misses of each batch of a stretch, in order of time; the last part of a batch is left out. */
export function missBatches(stretch: Stretch, promise: ServicePromise): CountedBatch[] {
  const { perSecond, fromMs, forMs, batchMs, samples } = stretch
  const count = Math.max(1, Math.floor(forMs / batchMs + 1e-9))
  const batches = Array.from({ length: count }, () => ({ perSecond, requests: 0, misses: 0, failures: 0 }))
  for (const { dueAtMs, endedAtMs, audioSeconds, isAnswered } of samples) {
    if (dueAtMs < fromMs) continue
    const batch = batches[Math.floor((dueAtMs - fromMs) / batchMs)]
    if (batch === undefined) continue
    batch.requests += 1
    if (!isAnswered) batch.failures += 1
    if (isMiss(promise, { responseMs: endedAtMs - dueAtMs, audioSeconds, isAnswered })) batch.misses += 1
  }
  return batches
}

/**
 * The three-way verdict on a promise: kept where the share of misses is at most the allowance with 95 %
 * confidence, broken where it is more, undecided otherwise. The intervals are exact (Clopper and Pearson), on the
 * number of independent requests that the batches show. Few batches may look alike by chance and seem independent: broken
 * has to be known by the spread of their shares too, which Student's t widens the more the fewer they are.
 *
 * @param batches of all stretches at this load
 */
export function judgePromise(promise: ServicePromise, batches: readonly MissBatch[]): PromiseVerdict {
  const allowed = allowance(promise)
  const requests = batches.reduce((sum, batch) => sum + batch.requests, 0)
  const misses = batches.reduce((sum, batch) => sum + batch.misses, 0)
  const effect = designEffect(batches)
  const independent = Math.floor(requests / effect)
  const upper = oneSided(Math.min(independent, Math.ceil(misses / effect)), independent)?.high ?? 1
  const lower = oneSided(Math.min(independent, Math.floor(misses / effect)), independent)?.low ?? 0
  const isJudged = batches.length >= fewestBatches
  const isBroken = lower > allowed && leastShare(batches) > allowed
  const verdict = isBroken ? 'broken' : isJudged && upper <= allowed ? 'kept' : ('undecided' as const)
  return {
    promise,
    verdict,
    misses,
    requests,
    designEffect: effect,
    moreNeeded:
      verdict === 'undecided' && misses <= allowed * requests
        ? Math.ceil(effect * trialsToShow(Math.ceil(misses / effect), allowed, confidence)) - requests
        : null,
  }
}

/** A two-sided interval of 90 % has two one-sided bounds of 95 %. */
function oneSided(misses: number, requests: number): { readonly low: number; readonly high: number } | null {
  return clopperPearsonInterval(misses, requests, 2 * confidence - 1)
}

/** Variance of the misses between batches over what as many independent requests would have, with the same share of misses. */
function designEffect(batches: readonly MissBatch[]): number {
  const { requests, share, variance } = spreadOf(batches)
  const independent = requests * share * (1 - share)
  return variance === null || independent === 0 ? 1 : Math.max(1, variance / independent)
}

/** Lower 95 % bound of the share of misses, by the spread of the batches, which is no less than that of independent requests. */
function leastShare(batches: readonly MissBatch[]): number {
  const { requests, share, variance } = spreadOf(batches)
  if (variance === null) return 0
  const spread = Math.sqrt(Math.max(variance, requests * share * (1 - share)))
  return share - (studentQuantile(confidence, batches.length - 1) * spread) / requests
}

/** Share of misses of all batches, and the variance of their sum; null for fewer than two batches. */
function spreadOf(batches: readonly MissBatch[]): {
  readonly requests: number
  readonly share: number
  readonly variance: number | null
} {
  const requests = batches.reduce((sum, batch) => sum + batch.requests, 0)
  const misses = batches.reduce((sum, batch) => sum + batch.misses, 0)
  if (requests === 0) return { requests, share: 0, variance: null }
  const share = misses / requests
  if (batches.length < 2) return { requests, share, variance: null }
  const squares = batches.reduce((sum, batch) => sum + (batch.misses - batch.requests * share) ** 2, 0)
  return { requests, share, variance: (squares * batches.length) / (batches.length - 1) }
}

/** Looks at how many requests are in the system at even moments of a stretch. */
export function backlogOf({ perSecond, fromMs, forMs, batchMs, samples }: Stretch): Backlog {
  // Half a batch apart: nearer ones say the same thing twice.
  const looks = Math.max(8, Math.min(100, Math.floor((2 * forMs) / batchMs)))
  const arrivals = samples.map((sample) => sample.dueAtMs).sort((a, b) => a - b)
  const departures = samples.map((sample) => sample.endedAtMs).sort((a, b) => a - b)
  const points = Array.from({ length: looks + 1 }, (_, look) => {
    const atMs = fromMs + (forMs * look) / looks
    return { x: atMs / 1000, y: countUpTo(arrivals, atMs) - countUpTo(departures, atMs) }
  })
  const trend = trendSlope(points, 2 * confidence - 1)
  return {
    meanInSystem: points.reduce((sum, { y }) => sum + y, 0) / points.length,
    endInSystem: points.at(-1)?.y ?? 0,
    growth: (trend?.slope ?? 0) / perSecond,
    growthInterval:
      trend?.interval == null
        ? null
        : { low: trend.interval.low / perSecond, high: trend.interval.high / perSecond },
  }
}

/**
 * Whether the backlog of a level is known not to grow, or known to grow, over all its stretches together: their
 * mean growth, with the errors of independent means.
 */
export function stabilityOf(backlogs: readonly Backlog[]): LevelVerdict {
  let [sum, above, below] = [0, 0, 0]
  for (const { growth, growthInterval } of backlogs) {
    if (growthInterval === null) return 'undecided'
    sum += growth
    above += (growthInterval.high - growth) ** 2
    below += (growth - growthInterval.low) ** 2
  }
  const count = backlogs.length
  if (count === 0) return 'undecided'
  if ((sum - Math.sqrt(below)) / count > steadyGrowth) return 'broken'
  return (sum + Math.sqrt(above)) / count <= steadyGrowth ? 'kept' : 'undecided'
}

/** The whole is broken where a part is, and kept where all parts are. */
export function together(verdicts: readonly LevelVerdict[]): LevelVerdict {
  if (verdicts.includes('broken')) return 'broken'
  return verdicts.every((verdict) => verdict === 'kept') ? 'kept' : 'undecided'
}

/** How many of the ascending moments are not after one. */
function countUpTo(moments: readonly number[], atMs: number): number {
  let low = 0
  let high = moments.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((moments[middle] ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return low
}
