import { trialsToShow } from '#statistics'
import type { Crossing } from './capacity-fit.ts'
import type { Backlog, LevelVerdict, PromiseVerdict, Stretch } from './level.ts'
import { allowance, type ServicePromise } from './promise.ts'
import { highestShare, planStretch, type ServerLimits, type StretchPlan } from './stretch-plan.ts'

/** Everything that was measured at one load. */
export interface LevelResult {
  readonly perSecond: number
  readonly stretches: readonly Stretch[]
  readonly promises: readonly PromiseVerdict[]
  readonly backlogs: readonly Backlog[]
  readonly stability: LevelVerdict
  readonly verdict: LevelVerdict
}

/** The capacity of one promise, with what is left to say where it was not found. */
export interface PromiseCapacity {
  readonly promise: ServicePromise
  readonly crossing: Crossing | null
}

/** Loads that are measured stand on a grid whose steps are the precision, so that a second look at one continues the first. */
export interface LoadGrid {
  readonly limits: ServerLimits
  readonly precision: number
}

export function gridLevel(perSecond: number, { limits, precision }: LoadGrid): number {
  const { mostPerSecond } = limits
  const share = Math.min(perSecond / mostPerSecond, highestShare)
  const step = Math.round(Math.log(share) / Math.log1p(precision))
  return mostPerSecond * Math.min(highestShare, (1 + precision) ** step)
}

function gridBelow(perSecond: number, grid: LoadGrid): number {
  const level = gridLevel(perSecond, grid)
  return level <= perSecond * 1.001 ? level : level / (1 + grid.precision)
}

/** A step up is no more than this much more load, and no more than this part of what is left to the most. */
const stepUp = { load: 1.25, ofTheRest: 0.4 }

/** The next load to try where none is broken yet. */
export function loadAbove(perSecond: number, grid: LoadGrid): number {
  const share = perSecond / grid.limits.mostPerSecond
  const above = Math.min(stepUp.load * share, share + stepUp.ofTheRest * (1 - share))
  return gridLevel(above * grid.limits.mostPerSecond, grid)
}

/** The next load to try below one that is clearly broken: the further, the more of it missed. */
export function loadBelow(level: LevelResult, grid: LoadGrid): number {
  const isFarOff =
    level.stability === 'broken' || level.promises.some(({ misses, requests }) => misses > requests / 3)
  return gridLevel(level.perSecond * (isFarOff ? 0.6 : 0.8), grid)
}

export function isClearlyBroken({ promises, stability }: LevelResult): boolean {
  if (stability === 'broken') return true
  return promises.some(
    ({ promise, misses, requests }) => misses > 2 * allowance(promise) * requests && misses >= 5,
  )
}

/** More missed than may, though perhaps by chance: as far up as anybody has to look. */
export function isProbablyBroken({ promises, stability }: LevelResult): boolean {
  if (stability === 'broken') return true
  return promises.some(
    ({ promise, misses, requests }) => misses > allowance(promise) * requests && misses >= 4,
  )
}

/** A crossing further than this factor outside of the loads that were measured is not believed. */
const believedBeyond = 1.15

/** The lowest crossing of a promise that was seen to be missed more often than it may: a curve alone breaks nothing. */
export function firstToBreak(
  capacities: readonly PromiseCapacity[],
  levels: readonly LevelResult[],
): PromiseCapacity | null {
  const [lowest, highest] = [levels[0]?.perSecond ?? 0, levels.at(-1)?.perSecond ?? 0]
  const found = capacities.flatMap((capacity) => {
    const perSecond = capacity.crossing?.perSecond ?? 0
    const isInside = perSecond >= lowest / believedBeyond && perSecond <= highest * believedBeyond
    return isInside && isMissed(capacity.promise, levels) ? [{ capacity, perSecond }] : []
  })
  return found.toSorted((a, b) => a.perSecond - b.perSecond)[0]?.capacity ?? null
}

function isMissed(promise: ServicePromise, levels: readonly LevelResult[]): boolean {
  return levels.some(({ promises }) =>
    promises.some(
      (held) =>
        held.promise === promise && held.misses > 0 && held.misses >= allowance(promise) * held.requests,
    ),
  )
}

/** Steps of the grid to either side of the crossing that tell most of where it is. */
const nearSteps = [-2, -1, 0, 1, 2]
/**
 * As long as little is known, wider ones: a crossing is found from how the misses grow with the load, and that is seen
 * sooner where the loads differ more and more is missed.
 */
const wideSteps = [-2, 0, 2, 4]
/** Half of an interval that is wider than this many steps is that of a crossing of which little is known. */
const wideInterval = 3

/** Where to look next: of the steps around the crossing the one with the fewest requests. */
export function nextLoad(levels: readonly LevelResult[], crossing: Crossing | null, grid: LoadGrid): number {
  const aim = aimOf(levels, crossing)
  const steps = isRoughlyKnown(crossing, grid) ? nearSteps : wideSteps
  const loads = steps.map((step) => gridLevel(aim * (1 + grid.precision) ** step, grid))
  const requests = (perSecond: number): number =>
    (levels.find((level) => level.perSecond === perSecond)?.stretches ?? []).reduce(
      (sum, { forMs }) => sum + forMs * perSecond,
      0,
    )
  return loads.toSorted((a, b) => requests(a) - requests(b))[0] ?? aim
}

function isRoughlyKnown(crossing: Crossing | null, { precision }: LoadGrid): boolean {
  if (crossing === null || crossing.low === null || crossing.high === null) return false
  return Math.log(crossing.high / crossing.low) <= 2 * wideInterval * Math.log1p(precision)
}

/**
 * At the crossing, unless the fit puts it outside of what was measured, where it knows nothing; then between the highest
 * load that may be kept and the lowest that is clearly broken.
 */
function aimOf(levels: readonly LevelResult[], crossing: Crossing | null): number {
  const broken = levels.find(isClearlyBroken)?.perSecond ?? levels.at(-1)?.perSecond ?? 0
  const kept = levels.findLast((level) => level.perSecond < broken)?.perSecond ?? broken
  const isInside =
    crossing !== null && crossing.perSecond >= (levels[0]?.perSecond ?? 0) && crossing.perSecond <= broken
  return isInside ? crossing.perSecond : Math.sqrt(kept * broken)
}

/** Fewer batches than this never say "kept". */
export const fewestToKeep = 10
/** Batches of a long stretch: enough to say "kept" of the strictest promise, with some that miss. */
const batchesOfConfirmation = 20
const requestsOfBatch = 25
const sparingly = 1.2

/** Requests, all of them in time, after which every promise is kept. */
export function requestsToKeep(promises: readonly ServicePromise[]): number {
  return Math.max(...promises.map((promise) => trialsToShow(0, allowance(promise))))
}

/** A long stretch at a load, for as long as there is time. */
export function planConfirmation(
  perSecond: number,
  promises: readonly ServicePromise[],
  { limits, mostSeconds }: { readonly limits: ServerLimits; readonly mostSeconds: number },
): StretchPlan | null {
  const batches = Math.ceil((sparingly * requestsToKeep(promises)) / requestsOfBatch)
  return planStretch(perSecond, limits, { batches: Math.max(batchesOfConfirmation, batches), mostSeconds })
}

/** A confirmation further below than this share of the highest load in question would confirm something else. */
const lowestConfirmed = 0.8

/**
 * The load to confirm: the highest one, from the low end of the interval down, of which a promise that holds is likely
 * to be called kept in the time that is left.
 *
 * @param highest that comes into question
 */
export function loadToConfirm(
  highest: number,
  first: PromiseCapacity | null,
  {
    grid,
    promises,
    mostSeconds,
  }: {
    readonly grid: LoadGrid
    readonly promises: readonly ServicePromise[]
    readonly mostSeconds: number
  },
): number {
  const isLikelyKept = (perSecond: number): boolean => {
    const plan = planConfirmation(perSecond, promises, { limits: grid.limits, mostSeconds })
    if (plan === null || plan.batches < fewestToKeep) return false
    return first === null || isLikelyShown(perSecond, perSecond * plan.forSeconds, first)
  }
  const least = lowestConfirmed * (first?.crossing?.perSecond ?? highest)
  let load = gridBelow(Math.max(highest, least), grid)
  while (load / (1 + grid.precision) >= least && !isLikelyKept(load)) load /= 1 + grid.precision
  return load
}

/** A short search sees too little of how misses come together: so many do at least. */
const fewestTogether = 3

/** Whether so many requests show that no more miss than may, were the curve of the fit the truth and luck a little bad. */
function isLikelyShown(perSecond: number, requests: number, { promise, crossing }: PromiseCapacity): boolean {
  if (crossing === null) return true
  const allowed = allowance(promise)
  const logit = Math.log(allowed / (1 - allowed)) + crossing.slope * Math.log(perSecond / crossing.perSecond)
  const independent = Math.floor(requests / Math.max(fewestTogether, crossing.designEffect))
  const misses = independent / (1 + Math.exp(-logit))
  return trialsToShow(Math.ceil(misses + Math.sqrt(misses)), allowed) <= independent
}
