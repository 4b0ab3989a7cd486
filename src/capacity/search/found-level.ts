import { quantile, sortSamples } from '#statistics'
import { requestsPerUser } from '../cost/fleet.ts'
import type { UserHabit } from '../document/found-costs.ts'
import type { FoundSweep } from '../document/found-sweep.ts'
import type { FoundBounds, FoundCapacity, FoundLevel, LevelVerdict, LoadFigure } from '../document/loads.ts'
import type { ScalabilityFit } from '../simulation/scalability.ts'
import { isJudged, type Level } from './level.ts'
import type { SearchResult } from './search.ts'
import type { Sweep } from './sweep.ts'

/** A load in requests, in speech and in concurrent users. */
export function loadFigure(requestsPerSecond: number, habit: UserHabit): LoadFigure {
  return {
    requestsPerSecond,
    audioSecondsPerSecond: requestsPerSecond * habit.meanAudioSeconds,
    concurrentUsers: requestsPerSecond / requestsPerUser(habit),
  }
}

/** What a search found; null where nothing gives it, or no load meets the objectives. */
export function foundCapacity(
  { capacity, ended }: Pick<SearchResult, 'capacity' | 'ended'>,
  habit: UserHabit,
): FoundCapacity | null {
  if (capacity === null || ended === 'hopeless' || !(capacity.estimate.perSecond > 0)) return null
  const { estimate, objective } = capacity
  return {
    basis: estimate.isMeasured ? 'measured' : 'simulated',
    estimate: loadFigure(estimate.perSecond, habit),
    low: loadFigure(estimate.low, habit),
    high: loadFigure(estimate.high, habit),
    limitedBy: ended === 'saturated' ? null : objective.text,
  }
}

/** @param levels in order of load */
export function foundBounds(
  levels: readonly (LoadFigure & { readonly verdict: LevelVerdict })[],
  confirmation: { readonly load: LoadFigure; readonly verdict: LevelVerdict } | null,
): FoundBounds {
  const violated = levels.find(({ verdict }) => verdict === 'violated') ?? null
  const met = [
    ...(confirmation?.verdict === 'met' ? [confirmation.load] : []),
    ...levels.filter(({ verdict }) => verdict === 'met'),
  ].filter(({ requestsPerSecond }) => requestsPerSecond < (violated?.requestsPerSecond ?? Infinity))
  const highest = met.toSorted((a, b) => b.requestsPerSecond - a.requestsPerSecond)[0]
  return {
    met: highest === undefined ? null : figureOf(highest),
    violated: violated === null ? null : figureOf(violated),
  }
}

function figureOf({ requestsPerSecond, audioSecondsPerSecond, concurrentUsers }: LoadFigure): LoadFigure {
  return { requestsPerSecond, audioSecondsPerSecond, concurrentUsers }
}

/** One level without its samples. */
export function foundLevel(
  { perSecond, stretches, objectives, backlogs, stability, verdict }: Level,
  habit: UserHabit,
  texts: { readonly differing: number; readonly compared: number },
): FoundLevel {
  const judged = stretches.flatMap((stretch) => stretch.samples.filter((sample) => isJudged(stretch, sample)))
  const measuredSeconds = stretches.reduce((sum, { forSeconds }) => sum + forSeconds, 0)
  const answered = stretches.reduce(
    (sum, stretch) =>
      sum +
      stretch.samples.filter(
        ({ endedAtMs, isAnswered }) => isAnswered && isJudged(stretch, { dueAtMs: endedAtMs }),
      ).length,
    0,
  )
  const responses = sortSamples(
    judged.filter(({ isAnswered }) => isAnswered).map(({ endedAtMs, dueAtMs }) => endedAtMs - dueAtMs),
  )
  const failed = judged.filter(({ isAnswered }) => !isAnswered).length
  const meanOf = (pick: (backlog: (typeof backlogs)[number]) => number): number =>
    backlogs.reduce((sum, backlog) => sum + pick(backlog), 0) / Math.max(1, backlogs.length)
  return {
    ...loadFigure(perSecond, habit),
    achievedPerSecond: answered / measuredSeconds,
    requests: judged.length,
    failureRate: judged.length === 0 ? 0 : failed / judged.length,
    p50Ms: quantile(responses, 0.5),
    p95Ms: quantile(responses, 0.95),
    p99Ms: quantile(responses, 0.99),
    meanInSystem: meanOf(({ meanInSystem }) => meanInSystem),
    backlogGrowth: meanOf(({ growth }) => growth),
    stability,
    objectives,
    verdict,
    measuredSeconds,
    differingTexts: texts.differing,
    comparedTexts: texts.compared,
  }
}

/** A sweep without its samples. */
export function foundSweep({
  leads,
  levels,
  scaling,
  scalingReason,
  effectiveServers,
  scalability,
}: Sweep): FoundSweep {
  return {
    leads,
    levels: levels.map(({ inFlight, steady, accuracy, cpuSecondsPerAudioSecond, peakResidentBytes }) => ({
      inFlight,
      requestsPerSecond: steady?.perSecond ?? null,
      speed: steady?.audioSecondsPerSecond ?? null,
      p50Ms: steady?.medianServiceMs ?? null,
      p95Ms: steady?.p95ServiceMs ?? null,
      comparedTexts: accuracy.compared,
      differingTexts: accuracy.differing,
      failed: accuracy.failed,
      errorRate: accuracy.errorRate,
      errorRateDifference: accuracy.difference,
      cpuSecondsPerAudioSecond,
      peakResidentBytes,
    })),
    scaling,
    scalingReason,
    effectiveServers,
    serialShare:
      scalability === null
        ? null
        : { estimate: scalability.law.serialShare, interval: scalability.serialShareInterval },
    crosstalk:
      scalability === null
        ? null
        : { estimate: scalability.law.crosstalk, interval: scalability.crosstalkInterval },
    ...foundPeak(scalability?.peak ?? null, scaling),
  }
}

/** A law may bend where throughput only wavers: a peak is one where throughput falls beyond it. */
function foundPeak(
  peak: ScalabilityFit['peak'] | null,
  scaling: Sweep['scaling'],
): Pick<FoundSweep, 'peak' | 'peakReason'> {
  if (peak === null) return { peak: null, peakReason: 'fewer than three levels were measured' }
  if (!peak.seen) return { peak: null, peakReason: peak.reason }
  if (scaling !== 'thrashing')
    return { peak: null, peakReason: 'throughput does not fall by more than its error' }
  return { peak: { inFlight: peak.inFlight, interval: peak.interval }, peakReason: null }
}
