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
import { allowance, type Objective } from './objective.ts'

export interface ObjectiveCapacity {
  readonly objective: Objective
  readonly estimate: CapacityEstimate
}

/** Loads that are measured lie on a grid with steps of so much, so that a second look at one continues the first. */
const gridStep = 0.05

/** The load of the grid that is nearest, at most the highest one that can be measured. */
function gridLoad(perSecond: number, { mostPerSecond }: ServerLimits): number {
  const share = Math.min(perSecond / mostPerSecond, highestShare)
  const step = Math.round(Math.log(share) / Math.log1p(gridStep))
  return mostPerSecond * Math.min(highestShare, (1 + gridStep) ** step)
}

/** A step up is no more than this much more load, and no more than this part of what is left to the most. */
const stepUp = { load: 1.25, ofTheRest: 0.4 }

function loadAbove(perSecond: number, limits: ServerLimits): number {
  const share = perSecond / limits.mostPerSecond
  const above = Math.min(stepUp.load * share, share + stepUp.ofTheRest * (1 - share))
  return gridLoad(above * limits.mostPerSecond, limits)
}

/** Below a load that is clearly violated: the further, the more of it missed. */
function loadBelow(level: Level, limits: ServerLimits): number {
  const isFarOff =
    level.stability === 'violated' || level.objectives.some(({ misses, requests }) => misses > requests / 3)
  return gridLoad(level.perSecond * (isFarOff ? 0.6 : 0.8), limits)
}

/** What a step has to know besides the loads that were measured. */
export interface SearchUse {
  readonly objectives: readonly Objective[]
  readonly limits: ServerLimits
}

/** Where nothing is expected, the first look is at this share of the most that the server can do. */
const firstShare = 0.5
/** Below this share, no load is tried. */
const lowestShare = 0.05

/**
 * The load to measure next: around the expected capacity, but no leap above loads that were met; where nothing is expected, up or
 * down until the capacity lies between two loads, and then between them.
 *
 * @param levels in order of load
 * @returns 'hopeless' where the lowest load is clearly violated, 'saturated' where the highest one is not violated
 */
export function nextLoad(
  levels: readonly Level[],
  expected: number | null,
  { objectives, limits }: SearchUse,
): number | 'hopeless' | 'saturated' {
  const lowest = gridLoad(lowestShare * limits.mostPerSecond, limits)
  const [bottom] = levels
  if (bottom === undefined)
    return Math.max(lowest, gridLoad(expected ?? firstShare * limits.mostPerSecond, limits))
  if (bottom.perSecond <= lowest && isClearlyViolated(bottom, objectives)) return 'hopeless'
  const violated = levels.find((level) => isProbablyViolated(level, objectives)) ?? null
  const met =
    violated === null ? levels.at(-1) : levels.findLast((level) => level.perSecond < violated.perSecond)
  if (violated === null && met !== undefined) {
    const above = loadAbove(met.perSecond, limits)
    if (above <= met.perSecond && (expected === null || expected >= met.perSecond)) return 'saturated'
    return leastMeasured(Math.min(expected ?? above, above), levels, limits)
  }
  if (expected !== null) return Math.max(lowest, leastMeasured(expected, levels, limits))
  if (met === undefined) return Math.max(lowest, loadBelow(bottom, limits))
  return leastMeasured(Math.sqrt(met.perSecond * (violated?.perSecond ?? met.perSecond)), levels, limits)
}

/** Where nothing is expected, a load that few requests have tried may be violated: a lower one is safer. */
const margin = 0.8

/** Well below everything that is clearly violated; null where the lowest load is. */
export function cautiousLoad(levels: readonly Level[], objectives: readonly Objective[]): number | null {
  const violated = levels.findIndex((level) => isClearlyViolated(level, objectives))
  const highest = (violated < 0 ? levels : levels.slice(0, violated)).at(-1)
  return highest === undefined ? null : margin * highest.perSecond
}

/** More missed than may by much more than chance. */
function isClearlyViolated(level: Level, objectives: readonly Objective[]): boolean {
  return level.stability === 'violated' || isMissed(level, objectives, { times: 2, fewest: 5 })
}

/** More missed than may, though perhaps by chance. */
function isProbablyViolated(level: Level, objectives: readonly Objective[]): boolean {
  return level.stability === 'violated' || isProbablyMissed(level, objectives)
}

/** The same of these objectives alone. */
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

/** A crossing further than this factor outside of the loads that were measured is not believed. */
const believedBeyond = 1.15

/** Whether a curve that was fitted to the misses may be believed: inside of the loads, and with the objective missed in one. */
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

/** Steps of the grid to either side of the capacity, the most telling first. */
const stepsAround = [0, 1, -1, 2, -2]

/** Of the loads around an expected capacity the one with the fewest requests. */
function leastMeasured(expected: number, levels: readonly Level[], limits: ServerLimits): number {
  const loads = stepsAround.map((step) => gridLoad(expected * (1 + gridStep) ** step, limits))
  const requests = (perSecond: number): number =>
    (levels.find((level) => level.perSecond === perSecond)?.stretches ?? []).reduce(
      (sum, { samples }) => sum + samples.length,
      0,
    )
  return loads.toSorted((a, b) => requests(a) - requests(b))[0] ?? expected
}

/** Requests, all of them in time, after which every objective is met. */
function requestsToMeet(objectives: readonly Objective[]): number {
  return Math.max(...objectives.map((objective) => trialsToShow(0, allowance(objective))))
}

/** A short search sees too little of how misses come together: so many do at least. */
const fewestTogether = 3

/** Whether so many requests at a load show that no more miss than may, were the estimate true and luck a little bad. */
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
/** One look takes at least and at most this part of the time: what one says places the next. */
const lookShare = { least: 1 / 6, most: 2 / 5 }
/** The fewest requests of a look. */
const fewestRequests = 10

/** A look at a load in the time that there is; the last one takes what is left. Null for fewer than ten requests. */
export function planLook(
  perSecond: number,
  limits: ServerLimits,
  { mostSeconds, budgetSeconds }: { readonly mostSeconds: number; readonly budgetSeconds: number },
): StretchPlan | null {
  const [least, most] = [lookShare.least * budgetSeconds, lookShare.most * budgetSeconds]
  const full = fullStretch(perSecond, limits, batchesOfLook)
  const wanted = Math.min(most, planSeconds(full), Math.max(least, shortestSeconds(perSecond, limits)))
  const isLast = mostSeconds - wanted < least
  if (wanted === planSeconds(full) && !isLast) return full
  const seconds = isLast ? mostSeconds : wanted
  if (seconds * perSecond < fewestRequests) return null
  return lookFor(seconds, perSecond, limits)
}

function lookFor(seconds: number, perSecond: number, limits: ServerLimits): StretchPlan {
  const filling = fillingStretch(perSecond, limits, seconds)
  if (filling !== null) return filling
  // Too short for a verdict, but some evidence all the same.
  const { prefill } = fullStretch(perSecond, limits, batchesOfLook)
  return { perSecond, batches: 2, warmupSeconds: seconds / 5, forSeconds: (4 * seconds) / 5, prefill }
}

/** Requests of a look that nothing is expected of but a bound. */
const requestsOfFirstLook = 2 * fewestRequests

/**
 * Where the expected capacity is so low that too few requests fit into the time, and nothing was measured: the lowest load at which
 * enough do. It is a bound, where the expectation is nothing but a simulation.
 */
export function planFirstLook(
  levels: readonly Level[],
  limits: ServerLimits,
  mostSeconds: number,
): StretchPlan | null {
  const perSecond = requestsOfFirstLook / mostSeconds
  if (levels.length > 0 || !(perSecond > 0 && perSecond < highestShare * limits.mostPerSecond)) return null
  return lookFor(mostSeconds, perSecond, limits)
}

/** A confirmation further below than this share of the capacity would confirm something else. */
const lowestConfirmed = 0.8
/** Batches of a long stretch: enough to say "met" of the strictest objective, with some that miss. */
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
 * A long stretch at the highest load, from the given one down, of which an objective that is met is likely to be called met in the
 * time that there is.
 *
 * @param capacity null where the load is fixed, or nothing is expected
 * @param fill whether all of the time is used
 */
export function planConfirmation(
  highest: number,
  use: SearchUse & {
    readonly capacity: ObjectiveCapacity | null
    readonly mostSeconds: number
    readonly fill: boolean
  },
): StretchPlan | null {
  const { capacity, objectives, limits, mostSeconds, fill } = use
  const batches = confirmationBatches(objectives)
  const planAt = (perSecond: number): StretchPlan | null =>
    fill
      ? fillingStretch(perSecond, limits, mostSeconds)
      : planStretch(perSecond, limits, { batches, mostSeconds })
  if (capacity === null) return planAt(gridLoad(highest, limits))
  const least = lowestConfirmed * capacity.estimate.perSecond
  let load = gridLoad(Math.max(highest, least) / Math.sqrt(1 + gridStep), limits)
  const isLikelyMet = (plan: StretchPlan | null): boolean =>
    plan !== null &&
    plan.batches >= judgedBatches &&
    isLikelyShown(plan.perSecond, plan.perSecond * plan.forSeconds, capacity)
  while (load / (1 + gridStep) >= least && !isLikelyMet(planAt(load))) load /= 1 + gridStep
  return planAt(load)
}

/** A confirmation that would take more than this part of the time is not made: the interval gains more by it. */
const mostConfirmed = 0.45

/**
 * What is kept of the time for the confirmation: enough for every load of the lowest step of the grid, from which the estimate may
 * still move by another one; for fewer arrivals than the mean by two standard deviations of a Poisson count; and for the last answers.
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
  return seconds <= mostConfirmed * budgetSeconds ? seconds : 0
}

/** How long the last requests of a load may take that meets the objectives. */
export function usualDrainSeconds({ objectives, limits }: SearchUse): number {
  const limitsMs = objectives.map((objective) => (objective.kind === 'latency' ? objective.fixedMs : 0))
  return limits.aloneSeconds + Math.max(...limitsMs) / 1000
}
