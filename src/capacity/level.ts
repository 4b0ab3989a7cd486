import { countUpTo } from '#prelude'
import type { Bounds } from '#statistics/bounds'
import { studentQuantile } from '#statistics/distributions'
import { clopperPearsonInterval, trialsToShow } from '#statistics/intervals'
import { trendSlope } from '#statistics/series/trend'
import type { CountedBatch, MissBatch } from './capacity-fit.ts'
import type { LevelVerdict, ObjectiveVerdict } from './found-loads.ts'
import { judgedBatches, type LevelSample, type Stretch, type StretchPlan } from './loaded-server.ts'
import { allowance, isMiss, type Objective } from './objective.ts'

/** Mean number of requests in the system, and its growth. */
export interface Backlog {
  readonly meanInSystem: number
  /** Growth as a share of the arrivals: 0.05 means that one request in twenty accumulates. */
  readonly growth: number
  readonly growthInterval: Bounds | null
}

/** Everything that was measured at one load. */
export interface Level {
  readonly perSecond: number
  readonly stretches: readonly Stretch[]
  readonly objectives: readonly ObjectiveVerdict[]
  readonly backlogs: readonly Backlog[]
  readonly stability: LevelVerdict
  readonly verdict: LevelVerdict
}

/** Confidence of each one-sided test of a level. */
const confidence = 0.95
/** Maximum growth of a stable backlog, as a share of the arrivals. */
const steadyGrowth = 0.02

/** Whether a request counts: it was due neither in the warm-up nor after the end. */
export function isJudged(
  { warmupSeconds, forSeconds }: StretchPlan,
  { dueAtMs }: Pick<LevelSample, 'dueAtMs'>,
): boolean {
  return dueAtMs >= 1000 * warmupSeconds && dueAtMs < 1000 * (warmupSeconds + forSeconds)
}

/** The misses of each batch of a stretch, in order of time. */
export function missBatches(stretch: Stretch, objective: Objective): CountedBatch[] {
  const { perSecond, batches: count, warmupSeconds, forSeconds, samples } = stretch
  const batches = Array.from({ length: count }, () => ({ perSecond, requests: 0, misses: 0, failures: 0 }))
  const batchMs = (1000 * forSeconds) / count
  for (const { dueAtMs, endedAtMs, audioSeconds, isAnswered } of samples) {
    const batch = batches[Math.floor((dueAtMs - 1000 * warmupSeconds) / batchMs)]
    if (batch === undefined) continue
    batch.requests += 1
    if (!isAnswered) batch.failures += 1
    if (isMiss(objective, { responseMs: endedAtMs - dueAtMs, audioSeconds, isAnswered })) batch.misses += 1
  }
  return batches
}

/**
 * The three-way verdict on an objective: met if the share of misses is at most the allowance with 95 % confidence,
 * violated if it is more, undecided otherwise. The intervals are exact (Clopper and Pearson), on the effective number
 * of independent requests in the batches. Few batches may be alike by chance and seem independent. Therefore
 * "violated" also requires a test on the spread of their shares by Student's t, which is wider for fewer batches.
 *
 * @param batches of all stretches at this load
 */
export function judgeObjective(objective: Objective, batches: readonly MissBatch[]): ObjectiveVerdict {
  const allowed = allowance(objective)
  const requests = batches.reduce((sum, batch) => sum + batch.requests, 0)
  const misses = batches.reduce((sum, batch) => sum + batch.misses, 0)
  const effect = designEffect(batches)
  const { low: lower, high: upper } = missBounds(misses, requests, effect)
  const isJudged = batches.length >= judgedBatches
  const isViolated = lower > allowed && leastShare(batches) > allowed
  const verdict = isViolated ? 'violated' : isJudged && upper <= allowed ? 'met' : ('undecided' as const)
  return {
    objective: objective.text,
    verdict,
    misses,
    requests,
    missRate: estimateMissRate(misses, requests, effect),
    designEffect: effect,
    moreNeeded:
      verdict === 'undecided' && misses <= allowed * requests
        ? Math.max(
            Math.ceil(effect * trialsToShow(Math.ceil(misses / effect), allowed, confidence)) - requests,
            Math.ceil(((judgedBatches - batches.length) * requests) / Math.max(1, batches.length)),
          )
        : null,
  }
}

/** The share of misses, with the bounds of the verdict, so that interval and verdict never contradict each other. */
export function estimateMissRate(
  misses: number,
  requests: number,
  effect: number,
): ObjectiveVerdict['missRate'] {
  if (requests === 0) return null
  const estimate = misses / requests
  const { low, high } = missBounds(misses, requests, effect)
  return { estimate, interval: { low: Math.min(estimate, low), high: Math.max(estimate, high) } }
}

/** One-sided 95 % bounds of the share of misses, for the effective number of independent requests. */
function missBounds(misses: number, requests: number, effect: number): Bounds {
  const independent = Math.floor(requests / effect)
  // A two-sided interval of 90 % has two one-sided bounds of 95 %.
  const boundsOf = (count: number): Bounds | null =>
    clopperPearsonInterval(Math.min(independent, count), independent, 2 * confidence - 1)
  return {
    low: boundsOf(Math.floor(misses / effect))?.low ?? 0,
    high: boundsOf(Math.ceil(misses / effect))?.high ?? 1,
  }
}

/** Variance of the misses between batches, relative to that of independent requests with the same share. */
function designEffect(batches: readonly MissBatch[]): number {
  const { requests, share, variance } = measureSpread(batches)
  const independent = requests * share * (1 - share)
  return variance === null || independent === 0 ? 1 : Math.max(1, variance / independent)
}

/** Lower 95 % bound of the share of misses by the spread of the batches, at least that of independent requests. */
function leastShare(batches: readonly MissBatch[]): number {
  const { requests, share, variance } = measureSpread(batches)
  if (variance === null) return 0
  const spread = Math.sqrt(Math.max(variance, requests * share * (1 - share)))
  return share - (studentQuantile(confidence, batches.length - 1) * spread) / requests
}

/** Share of misses of all batches, and the variance of their sum; null for fewer than two batches. */
function measureSpread(batches: readonly MissBatch[]) {
  const requests = batches.reduce((sum, batch) => sum + batch.requests, 0)
  const misses = batches.reduce((sum, batch) => sum + batch.misses, 0)
  if (requests === 0) return { requests, share: 0, variance: null }
  const share = misses / requests
  if (batches.length < 2) return { requests, share, variance: null }
  const squares = batches.reduce((sum, batch) => sum + (batch.misses - batch.requests * share) ** 2, 0)
  return { requests, share, variance: (squares * batches.length) / (batches.length - 1) }
}

/** Counts the requests in the system at equidistant times of a stretch. */
export function measureBacklog({ perSecond, batches, warmupSeconds, forSeconds, samples }: Stretch): Backlog {
  // Points are half a batch apart, because closer ones are highly correlated.
  const looks = Math.max(8, Math.min(100, 2 * batches))
  const arrivals = samples.map((sample) => sample.dueAtMs).sort((a, b) => a - b)
  const departures = samples.map((sample) => sample.endedAtMs).sort((a, b) => a - b)
  const points = Array.from({ length: looks + 1 }, (_, look) => {
    const atMs = 1000 * (warmupSeconds + (forSeconds * look) / looks)
    return { x: atMs / 1000, y: countUpTo(arrivals, atMs) - countUpTo(departures, atMs) }
  })
  const trend = trendSlope(points, 2 * confidence - 1)
  return {
    meanInSystem: points.reduce((sum, { y }) => sum + y, 0) / points.length,
    growth: (trend?.slope ?? 0) / perSecond,
    growthInterval:
      trend?.interval == null
        ? null
        : { low: trend.interval.low / perSecond, high: trend.interval.high / perSecond },
  }
}

/**
 * Whether the backlog of a level certainly does or does not grow, from the mean growth of all its stretches with the
 * errors of independent means.
 */
export function judgeStability(backlogs: readonly Backlog[]): LevelVerdict {
  let [sum, above, below] = [0, 0, 0]
  for (const { growth, growthInterval } of backlogs) {
    if (growthInterval === null) return 'undecided'
    sum += growth
    above += (growthInterval.high - growth) ** 2
    below += (growth - growthInterval.low) ** 2
  }
  const count = backlogs.length
  if (count === 0) return 'undecided'
  if ((sum - Math.sqrt(below)) / count > steadyGrowth) return 'violated'
  return (sum + Math.sqrt(above)) / count <= steadyGrowth ? 'met' : 'undecided'
}

/** The verdicts on one load from all its stretches. */
export function judgeLevel(
  perSecond: number,
  stretches: readonly Stretch[],
  objectives: readonly Objective[],
): Level {
  const verdicts = objectives.map((objective) =>
    judgeObjective(
      objective,
      stretches.flatMap((stretch) => missBatches(stretch, objective)),
    ),
  )
  const backlogs = stretches.map(measureBacklog)
  const stability = judgeStability(backlogs)
  const verdict = together([...verdicts.map((each) => each.verdict), stability])
  return { perSecond, stretches, objectives: verdicts, backlogs, stability, verdict }
}

/** The overall verdict: violated if any part is violated, met if all parts are met. */
function together(verdicts: readonly LevelVerdict[]): LevelVerdict {
  if (verdicts.includes('violated')) return 'violated'
  return verdicts.every((verdict) => verdict === 'met') ? 'met' : 'undecided'
}
