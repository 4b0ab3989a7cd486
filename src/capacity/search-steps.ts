import { trialsToShow } from '#statistics/intervals'
import type { CapacityEstimate } from './calibration.ts'
import type { Level } from './level.ts'
import {
  fillingStretch,
  fullStretch,
  highestShare,
  judgedBatches,
  judgedSeconds,
  planSeconds,
  planStretch,
  type ServerLimits,
  type StretchPlan,
  shortestSeconds,
} from './loaded-server.ts'
import { allowance, limitMs, type Objective } from './objective.ts'

export interface ObjectiveCapacity {
  readonly objective: Objective
  readonly estimate: CapacityEstimate
}

/** Step of the grid of measured loads, as a share. On a grid, a second look at a load extends the first. */
const gridStep = 0.05

/** The nearest load of the grid, at most the highest one that can be measured. */
function gridLoad(perSecond: number, { maxPerSecond }: ServerLimits): number {
  const share = Math.min(perSecond / maxPerSecond, highestShare)
  const step = Math.round(Math.log(share) / Math.log1p(gridStep))
  return maxPerSecond * Math.min(highestShare, (1 + gridStep) ** step)
}

/** Limits of a step up: a factor of the load, and a share of the distance to the maximum throughput. */
const stepUp = { load: 1.25, ofTheRest: 0.4 }

function loadAbove(perSecond: number, limits: ServerLimits): number {
  const share = perSecond / limits.maxPerSecond
  const above = Math.min(stepUp.load * share, share + stepUp.ofTheRest * (1 - share))
  return gridLoad(above * limits.maxPerSecond, limits)
}

/** A load below a clearly violated one; farther below if many requests missed. */
function loadBelow(level: Level, limits: ServerLimits): number {
  const isFarOff =
    level.stability === 'violated' || level.objectives.some(({ misses, requests }) => misses > requests / 3)
  return gridLoad(level.perSecond * (isFarOff ? 0.6 : 0.8), limits)
}

/** Input of a step besides the measured levels. */
export interface SearchUse {
  readonly objectives: readonly Objective[]
  readonly limits: ServerLimits
}

/** First load without an expected capacity, as a share of the maximum throughput. */
const firstShare = 0.5
/** Lowest load that is tried, as a share of the maximum throughput. */
const lowestShare = 0.05

/**
 * The load to measure next. It is around the expected capacity, but only one step above met loads. Without an
 * expectation it goes up or down until the capacity is between two loads, and then between them.
 *
 * @param levels in ascending order of load
 * @returns 'hopeless' if the lowest load is clearly violated, 'saturated' if the highest one is not violated
 */
export function nextLoad(
  levels: readonly Level[],
  expected: number | null,
  { objectives, limits }: SearchUse,
): number | 'hopeless' | 'saturated' {
  const lowest = gridLoad(lowestShare * limits.maxPerSecond, limits)
  const [bottom] = levels
  if (bottom === undefined)
    return Math.max(lowest, gridLoad(expected ?? firstShare * limits.maxPerSecond, limits))
  if (bottom.perSecond <= lowest && isClearlyViolated(bottom, objectives)) return 'hopeless'
  const violated = levels.find((level) => isProbablyViolated(level, objectives)) ?? null
  const highest =
    violated === null ? levels.at(-1) : levels.findLast((level) => level.perSecond < violated.perSecond)
  if (violated === null && highest !== undefined) {
    const above = loadAbove(highest.perSecond, limits)
    if (above <= highest.perSecond && (expected === null || expected >= highest.perSecond)) return 'saturated'
    return leastMeasured(Math.min(expected ?? above, above), levels, limits)
  }
  if (expected !== null) return Math.max(lowest, leastMeasured(expected, levels, limits))
  if (highest === undefined) return Math.max(lowest, loadBelow(bottom, limits))
  return leastMeasured(
    Math.sqrt(highest.perSecond * (violated?.perSecond ?? highest.perSecond)),
    levels,
    limits,
  )
}

/** Safety factor below a load with few requests, which may be violated unnoticed. */
const margin = 0.8

/** A load below everything that is clearly violated; null if the lowest load is. */
export function cautiousLoad(levels: readonly Level[], objectives: readonly Objective[]): number | null {
  const violated = levels.findIndex((level) => isClearlyViolated(level, objectives))
  const highest = (violated < 0 ? levels : levels.slice(0, violated)).at(-1)
  return highest === undefined ? null : margin * highest.perSecond
}

/** Whether clearly more requests missed than allowed, so that chance is excluded. */
function isClearlyViolated(level: Level, objectives: readonly Objective[]): boolean {
  return level.stability === 'violated' || isMissed(level, objectives, { times: 2, fewest: 5 })
}

/** Whether more requests missed than allowed, though perhaps by chance. */
function isProbablyViolated(level: Level, objectives: readonly Objective[]): boolean {
  return level.stability === 'violated' || isProbablyMissed(level, objectives)
}

/** Whether more requests missed these objectives than allowed, though perhaps by chance. */
export function isProbablyMissed(level: Level, objectives: readonly Objective[]): boolean {
  return isMissed(level, objectives, { times: 1, fewest: 4 })
}

function isMissed(
  { objectives: verdicts }: Level,
  objectives: readonly Objective[],
  { times, fewest }: { readonly times: number; readonly fewest: number },
): boolean {
  return verdicts.some(({ objective: text, misses, requests }) => {
    const objective = objectives.find((each) => each.text === text)
    return objective !== undefined && misses > times * allowance(objective) * requests && misses >= fewest
  })
}

/** Maximum factor by which a credible crossing may be outside of the measured loads. */
const believedBeyond = 1.15

/** Whether a curve fitted to the misses is credible: inside of the loads, and missed at one of them. */
export function isBelieved(
  { perSecond }: Pick<CapacityEstimate, 'perSecond'>,
  objective: Objective,
  levels: readonly Level[],
): boolean {
  const [lowest, highest] = [levels[0]?.perSecond ?? 0, levels.at(-1)?.perSecond ?? 0]
  if (perSecond < lowest / believedBeyond || perSecond > highest * believedBeyond) return false
  return levels.some(({ objectives }) =>
    objectives.some(
      ({ objective: text, misses, requests }) =>
        text === objective.text && misses > 0 && misses >= allowance(objective) * requests,
    ),
  )
}

/** Steps of the grid around the capacity, the most informative first. */
const stepsAround = [0, 1, -1, 2, -2]

/** The load with the fewest requests among those around an expected capacity. */
function leastMeasured(expected: number, levels: readonly Level[], limits: ServerLimits): number {
  const loads = stepsAround.map((step) => gridLoad(expected * (1 + gridStep) ** step, limits))
  const requests = (perSecond: number): number =>
    (levels.find((level) => level.perSecond === perSecond)?.stretches ?? []).reduce(
      (sum, { samples }) => sum + samples.length,
      0,
    )
  return loads.toSorted((a, b) => requests(a) - requests(b))[0] ?? expected
}

/** Number of requests that shows every objective as met if none misses. */
function requestsToMeet(objectives: readonly Objective[]): number {
  return Math.max(...objectives.map((objective) => trialsToShow(0, allowance(objective))))
}

/** Assumed cluster size of misses, because a short search cannot measure how misses cluster. */
const fewestTogether = 3

/** Whether this many requests at a load would show it as met, if the estimate is true and luck slightly bad. */
function isLikelyShown(
  perSecond: number,
  requests: number,
  { objective, estimate }: ObjectiveCapacity,
): boolean {
  const allowed = allowance(objective)
  const logit = Math.log(allowed / (1 - allowed)) + estimate.slope * Math.log(perSecond / estimate.perSecond)
  const independent = Math.floor(requests / fewestTogether)
  const misses = independent / (1 + Math.exp(-logit))
  return trialsToShow(Math.ceil(misses + Math.sqrt(misses)), allowed) <= independent
}

const batchesOfLook = 5
/** Minimum and maximum duration of one look as a share of the time, because its result decides the next load. */
const lookShare = { least: 1 / 6, most: 2 / 5 }
/** Minimum number of requests of a look. */
const fewestRequests = 10

/** A look at a load in the remaining time, all of which the last look uses. Null for fewer than ten requests. */
export function planLook(
  perSecond: number,
  limits: ServerLimits,
  { maxSeconds, budgetSeconds }: { readonly maxSeconds: number; readonly budgetSeconds: number },
): StretchPlan | null {
  const [least, most] = [lookShare.least * budgetSeconds, lookShare.most * budgetSeconds]
  const full = fullStretch(perSecond, limits, batchesOfLook)
  const wanted = Math.min(most, planSeconds(full), Math.max(least, shortestSeconds(perSecond, limits)))
  const isLast = maxSeconds - wanted < least
  if (wanted === planSeconds(full) && !isLast) return full
  const seconds = isLast ? maxSeconds : wanted
  if (seconds * perSecond < fewestRequests) return null
  return lookFor(seconds, perSecond, limits)
}

function lookFor(seconds: number, perSecond: number, limits: ServerLimits): StretchPlan {
  const filling = fillingStretch(perSecond, limits, seconds)
  if (filling !== null) return filling
  // The time is too short for a verdict, but still gives some evidence.
  const { prefill } = fullStretch(perSecond, limits, batchesOfLook)
  return { perSecond, batches: 2, warmupSeconds: seconds / 5, forSeconds: (4 * seconds) / 5, prefill }
}

/** Number of requests of a look that can only give a bound. */
const requestsOfFirstLook = 2 * fewestRequests

/**
 * The lowest load with enough requests in the time, if nothing was measured and the expected capacity has too few.
 * The look gives a measured bound next to the simulated expectation.
 */
export function planFirstLook(
  levels: readonly Level[],
  limits: ServerLimits,
  maxSeconds: number,
): StretchPlan | null {
  const perSecond = requestsOfFirstLook / maxSeconds
  if (levels.length > 0 || !(perSecond > 0 && perSecond < highestShare * limits.maxPerSecond)) return null
  return lookFor(maxSeconds, perSecond, limits)
}

/** Lowest confirmed load as a share of the capacity; a lower one would not confirm the capacity. */
const lowestConfirmed = 0.8
/** Batches of a confirmation: enough to show the strictest objective as met even with some misses. */
const batchesOfConfirmation = 2 * judgedBatches
const requestsOfBatch = 25
const sparingly = 1.2

export function confirmationBatches(objectives: readonly Objective[]): number {
  return Math.max(
    batchesOfConfirmation,
    Math.ceil((sparingly * requestsToMeet(objectives)) / requestsOfBatch),
  )
}

/**
 * A long stretch at a load from the given one down: the highest that would probably be shown as met in the time.
 *
 * @param capacity null if the load is fixed, or nothing is expected
 * @param fill whether to use all of the time
 */
export function planConfirmation(
  highest: number,
  use: SearchUse & {
    readonly capacity: ObjectiveCapacity | null
    readonly maxSeconds: number
    readonly fill: boolean
  },
): StretchPlan | null {
  const { capacity, objectives, limits, maxSeconds, fill } = use
  const batches = confirmationBatches(objectives)
  const planAt = (perSecond: number): StretchPlan | null =>
    fill
      ? fillingStretch(perSecond, limits, maxSeconds)
      : planStretch(perSecond, limits, { batches, maxSeconds })
  if (capacity === null) return planAt(gridLoad(highest, limits))
  const least = lowestConfirmed * capacity.estimate.perSecond
  let load = gridLoad(Math.max(highest, least) / Math.sqrt(1 + gridStep), limits)
  const isLikelyMet = (plan: StretchPlan | null): boolean =>
    plan !== null &&
    plan.batches >= judgedBatches &&
    isLikelyShown(plan.perSecond, plan.perSecond * plan.forSeconds, capacity)
  // A load off the grid would not be found again by its number when the confirmation is continued.
  while (load / (1 + gridStep) >= least && !isLikelyMet(planAt(load)))
    load = gridLoad(load / (1 + gridStep), limits)
  return planAt(load)
}

/** Maximum share of the time for a confirmation; a longer one is skipped, because looks narrow the interval more. */
const maxConfirmedShare = 0.45

/**
 * Time in seconds to reserve for the confirmation; 0 if it would take too long. It suffices for the lowest confirmed
 * load, also after one more grid step, for two standard deviations fewer Poisson arrivals, and for the last answers.
 */
export function confirmationSeconds(
  expected: number,
  budgetSeconds: number,
  { objectives, limits }: SearchUse,
): number {
  const lowest = lowestConfirmed * expected
  const needed = Math.max(
    ...objectives.map((objective) => {
      const trials = trialsToShow(0, allowance(objective))
      return objective.kind === 'failures' ? trials : fewestTogether * trials
    }),
  )
  const requests = needed + 2 * Math.sqrt(needed)
  const seconds =
    Math.max(...[lowest, lowest * (1 + gridStep) ** 2].map((load) => judgedSeconds(load, limits, requests))) +
    usualDrainSeconds({ objectives, limits })
  return seconds <= maxConfirmedShare * budgetSeconds ? seconds : 0
}

/** Maximum time in seconds that the last requests of a met load may take. */
export function usualDrainSeconds({ objectives, limits }: SearchUse): number {
  const { aloneSeconds, longestAudioSeconds } = limits
  const limitsMs = objectives.map((objective) =>
    objective.kind === 'latency' ? limitMs(objective, longestAudioSeconds) : 0,
  )
  return aloneSeconds + Math.max(...limitsMs) / 1000
}
