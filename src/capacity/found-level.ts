import { quantile, sortSamples } from '#statistics'
import type { FoundCapacity, FoundLevel, FoundSweep, LoadFigure } from './finding.ts'
import type { LevelResult, PromiseCapacity } from './search-steps.ts'
import type { Sweep } from './sweep.ts'
import { type DictationHabit, requestsPerPerson } from './what-if.ts'

/** A load told in requests, in speech, and in people. */
export function loadFigure(requestsPerSecond: number, habit: DictationHabit): LoadFigure {
  return {
    requestsPerSecond,
    audioSecondsPerSecond: requestsPerSecond * habit.meanAudioSeconds,
    people: requestsPerSecond / requestsPerPerson(habit),
  }
}

/** @returns null where the promise was not seen to break */
export function foundCapacity(
  { promise, crossing }: PromiseCapacity,
  habit: DictationHabit,
): FoundCapacity | null {
  if (crossing === null) return null
  const figure = (perSecond: number | null): LoadFigure | null =>
    perSecond === null ? null : loadFigure(perSecond, habit)
  return {
    estimate: loadFigure(crossing.perSecond, habit),
    low: figure(crossing.low),
    high: figure(crossing.high),
    limitedBy: promise.text,
  }
}

/** One level with its raw samples boiled down. */
export function foundLevel(
  { perSecond, stretches, promises, backlogs, stability, verdict }: LevelResult,
  habit: DictationHabit,
  texts: { readonly differing: number; readonly compared: number },
): FoundLevel {
  const judged = stretches.flatMap(({ samples, fromMs, forMs }) =>
    samples.filter(({ dueAtMs }) => dueAtMs >= fromMs && dueAtMs < fromMs + forMs),
  )
  const measuredSeconds = stretches.reduce((sum, { forMs }) => sum + forMs, 0) / 1000
  const completed = stretches.reduce(
    (sum, { samples, fromMs, forMs }) =>
      sum + samples.filter(({ endedAtMs }) => endedAtMs >= fromMs && endedAtMs < fromMs + forMs).length,
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
    achievedPerSecond: completed / measuredSeconds,
    requests: judged.length,
    failureRate: judged.length === 0 ? 0 : failed / judged.length,
    p50Ms: quantile(responses, 0.5),
    p95Ms: quantile(responses, 0.95),
    p99Ms: quantile(responses, 0.99),
    meanInSystem: meanOf(({ meanInSystem }) => meanInSystem),
    backlogGrowth: meanOf(({ growth }) => growth),
    stability,
    promises: promises.map(({ promise, ...rest }) => ({ promise: promise.text, ...rest })),
    verdict,
    measuredSeconds,
    differingTexts: texts.differing,
    comparedTexts: texts.compared,
  }
}

/** A sweep without its samples. */
export function foundSweep({ levels, scaling, effectiveServers, scalability }: Sweep): FoundSweep {
  const peak = scalability?.peak ?? null
  return {
    levels: levels.map(({ inFlight, steady, accuracy, cpuSecondsPerAudioSecond, peakResidentBytes }) => ({
      inFlight,
      requestsPerSecond: steady?.perSecond ?? null,
      speed: steady?.audioSecondsPerSecond ?? null,
      p50Ms: steady?.medianServiceMs ?? null,
      p95Ms: steady?.p95ServiceMs ?? null,
      comparedTexts: accuracy.compared,
      differingTexts: accuracy.differing,
      failed: accuracy.failed,
      wordErrorRate: accuracy.wordErrorRate,
      wordErrorRateDifference: accuracy.difference,
      cpuSecondsPerAudioSecond,
      peakResidentBytes,
    })),
    scaling,
    effectiveServers,
    serialShare:
      scalability === null
        ? null
        : { estimate: scalability.law.serialShare, interval: scalability.serialShareInterval },
    crosstalk:
      scalability === null
        ? null
        : { estimate: scalability.law.crosstalk, interval: scalability.crosstalkInterval },
    peak: peak?.seen === true ? { inFlight: peak.inFlight, interval: peak.interval } : null,
    peakReason: peak === null ? 'fewer than three levels were measured' : peak.seen ? null : peak.reason,
  }
}
