import { quantile, sortSamples } from '#statistics/quantiles'
import type { FleetSize, UserHabit } from './cost.ts'
import type { ContenderCapacity } from './finding.ts'
import type {
  FoundBounds,
  FoundCapacity,
  FoundInterference,
  FoundLevel,
  FoundSweep,
  LevelVerdict,
  LoadFigure,
  Overload,
} from './found-loads.ts'
import { isJudged, type Level } from './level.ts'
import type { LevelSample } from './loaded-server.ts'
import { allowance, isMiss, type Objective } from './objective.ts'
import type { SearchResult } from './search.ts'
import type { LevelAccuracy, ScalabilityFit, Sweep } from './sweep.ts'

/** A load in requests, in speech and in concurrent users. */
export function loadFigure(requestsPerSecond: number, habit: UserHabit): LoadFigure {
  return {
    requestsPerSecond,
    audioSecondsPerSecond: requestsPerSecond * habit.meanAudioSeconds,
    concurrentUsers: requestsPerSecond / requestsPerUser(habit),
  }
}

/** The result of a search; null if nothing gives a capacity, or no load meets the objectives. */
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

/** @param levels in ascending order of load */
export function foundBounds(
  levels: readonly (LoadFigure & { readonly verdict: LevelVerdict })[],
  confirmation: { readonly load: LoadFigure; readonly verdict: LevelVerdict } | null,
): FoundBounds {
  const violated = levels.find(({ verdict }) => verdict === 'violated') ?? null
  const loadsMet = [
    ...(confirmation?.verdict === 'met' ? [confirmation.load] : []),
    ...levels.filter(({ verdict }) => verdict === 'met'),
  ].filter(({ requestsPerSecond }) => requestsPerSecond < (violated?.requestsPerSecond ?? Infinity))
  const highest = loadsMet.toSorted((a, b) => b.requestsPerSecond - a.requestsPerSecond)[0]
  return {
    met: highest === undefined ? null : pickFigure(highest),
    violated: violated === null ? null : pickFigure(violated),
  }
}

function pickFigure({ requestsPerSecond, audioSecondsPerSecond, concurrentUsers }: LoadFigure): LoadFigure {
  return { requestsPerSecond, audioSecondsPerSecond, concurrentUsers }
}

/** A level without its samples. */
export function foundLevel(
  { perSecond, stretches, objectives, backlogs, stability, verdict }: Level,
  habit: UserHabit,
  texts: { readonly differing: number; readonly compared: number },
): FoundLevel {
  const judged = stretches.flatMap((stretch) => stretch.samples.filter((sample) => isJudged(stretch, sample)))
  const measuredSeconds = stretches.reduce((sum, { forSeconds }) => sum + forSeconds, 0)
  const answered = stretches.flatMap((stretch) =>
    stretch.samples.filter(
      ({ endedAtMs, isAnswered }) => isAnswered && isJudged(stretch, { dueAtMs: endedAtMs }),
    ),
  ).length
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
export function foundSweep(sweep: Sweep): FoundSweep {
  const { leads, levels, scaling, scalingReason, effectiveServers, scalability } = sweep
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
    serialShare: scalability && {
      estimate: scalability.law.serialShare,
      interval: scalability.serialShareInterval,
    },
    crosstalk: scalability && {
      estimate: scalability.law.crosstalk,
      interval: scalability.crosstalkInterval,
    },
    ...foundPeak(scalability?.peak ?? null, scaling),
  }
}

/** The peak of the law. It counts only if throughput falls beyond it, because noise may also bend the curve. */
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

/** Dictation latency alone and during long recordings that are sent one after the other. */
export function judgeInterference(
  perSecond: number,
  { alone, withLong, long }: Readonly<Record<'alone' | 'withLong' | 'long', readonly LevelSample[]>>,
): FoundInterference {
  return {
    perSecond,
    longAudioSeconds:
      long.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / Math.max(1, long.length),
    longRequests: long.length,
    aloneP95Ms: p95Ms(alone),
    withLongP95Ms: p95Ms(withLong),
    requests: alone.length + withLong.length,
  }
}

function p95Ms(samples: readonly LevelSample[]): number | null {
  const answered = samples.filter(({ isAnswered }) => isAnswered)
  return quantile(sortSamples(answered.map(({ dueAtMs, endedAtMs }) => endedAtMs - dueAtMs)), 0.95)
}

/** Send lag of the requests of open loads. */
export function summariseSendLag(sendLagMs: readonly number[]) {
  const sorted = sortSamples(sendLagMs)
  return { lateP99Ms: quantile(sorted, 0.99), lateMaxMs: sorted.at(-1) ?? null }
}

/** Number of requests in a row that show recovery. */
const requestsInARow = 20

/**
 * Results of an overload, followed by half of the capacity until the server recovers.
 *
 * @param order of the overload; later requests belong to the recovery
 * @param accuracy of all the texts, against those of the recordings alone
 * @param crossedCount answers with the text of another recording, by `findCrossedAnswers` of #analysis
 */
export function judgeOverload(
  samples: readonly LevelSample[],
  objective: Objective,
  order: Pick<Overload, 'times' | 'perSecond' | 'forSeconds'>,
  { differing, emptied, compared }: Pick<LevelAccuracy, 'differing' | 'emptied' | 'compared'>,
  crossedCount: number,
): Overload {
  const { forSeconds } = order
  const endMs = 1000 * forSeconds
  const during = samples.filter(({ dueAtMs }) => dueAtMs < endMs)
  const after = samples
    .filter(({ dueAtMs }) => dueAtMs >= endMs)
    .toSorted((one, other) => one.dueAtMs - other.dueAtMs)
  const backlogAt = (atMs: number): number =>
    samples.filter(({ dueAtMs, endedAtMs }) => dueAtMs <= atMs && endedAtMs > atMs).length
  const isInTime = ({ dueAtMs, endedAtMs, audioSeconds, isAnswered }: LevelSample): boolean =>
    !isMiss(objective, { responseMs: endedAtMs - dueAtMs, audioSeconds, isAnswered })
  const mayMiss = Math.floor(allowance(objective) * requestsInARow)
  const missesOf = (part: readonly LevelSample[]): number => part.filter((each) => !isInTime(each)).length
  const held = after.findIndex((sample, index) => {
    const next = after.slice(index, index + requestsInARow)
    return isInTime(sample) && next.length === requestsInARow && missesOf(next) <= mayMiss
  })
  const heldSinceMs = after[held]?.dueAtMs
  const last = after.at(-1) ?? samples.at(-1)
  const half = backlogAt(endMs / 2)
  const backlogAtEnd = backlogAt(endMs)
  return {
    ...order,
    requests: during.length,
    answered: samples.filter(({ isAnswered }) => isAnswered).length,
    turnedAway: samples.filter(({ isTurnedAway }) => isTurnedAway === true).length,
    failed: samples.filter(({ isAnswered, isTurnedAway }) => !isAnswered && isTurnedAway !== true).length,
    backlogAtEnd,
    backlogPerSecond: (backlogAtEnd - half) / (forSeconds / 2),
    // There was no backlog if the first request after the overload is in time.
    recoverySeconds: heldSinceMs === undefined ? null : held === 0 ? 0 : (heldSinceMs - endMs) / 1000,
    tooFewAfterwards:
      after.length < requestsInARow ? { requests: after.length, misses: missesOf(after) } : null,
    isAlive: last !== undefined && (last.isAnswered || last.isTurnedAway === true),
    differing,
    crossed: Math.min(crossedCount, differing - emptied),
    emptied,
    compared,
  }
}

/** Requests per second of one user. Waiting for answers would lower it, so this is an upper bound. */
function requestsPerUser({ meanAudioSeconds, meanPauseSeconds }: UserHabit): number {
  return 1 / (meanAudioSeconds + meanPauseSeconds)
}

/** Number of such machines for the users; null if one machine has too little capacity for one user. */
export function fleetFor(users: number, capacityPerSecond: number, habit: UserHabit): FleetSize | null {
  const usersPerMachine = Math.floor(capacityPerSecond / requestsPerUser(habit) + 1e-9)
  if (usersPerMachine < 1) return null
  const machines = Math.ceil(users / usersPerMachine)
  return { machines, machinesWithSpare: machines + 1, usersPerMachine }
}

/**
 * The load that one machine certainly sustains; null if none is known. Too few machines are worse than too many, so
 * it is the low end of the interval, or the confirmed load if that is higher. A single met load of the search counts
 * only without either, because one of several loads near the capacity may meet the objectives by chance.
 */
export function sustainedLoad(found: Pick<ContenderCapacity, 'capacity' | 'bounds' | 'confirmation'>) {
  const { capacity, bounds, confirmation } = found
  const estimated =
    capacity === null || !(capacity.low.requestsPerSecond > 0)
      ? null
      : { basis: capacity.basis, load: capacity.low }
  const confirmed =
    confirmation?.verdict === 'met' ? ({ basis: 'confirmed', load: confirmation.load } as const) : null
  const [highest] = [estimated, confirmed]
    .filter((each) => each !== null)
    .toSorted((a, b) => b.load.requestsPerSecond - a.load.requestsPerSecond)
  return highest ?? (bounds.met === null ? null : ({ basis: 'met', load: bounds.met } as const))
}
