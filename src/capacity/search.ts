import { type Crossing, fitCrossing, fitLateCrossing } from './capacity-fit.ts'
import { backlogOf, judgePromise, missBatches, type Stretch, stabilityOf, together } from './level.ts'
import type { LoadedServer } from './loaded-server.ts'
import { allowance, type ServicePromise } from './promise.ts'
import {
  type ControlledBatch,
  controlledBatches,
  expectedSlope,
  type QueueModel,
  withoutLuck,
} from './queue-model.ts'
import {
  fewestToKeep,
  firstToBreak,
  gridLevel,
  isClearlyBroken,
  isProbablyBroken,
  type LevelResult,
  type LoadGrid,
  loadAbove,
  loadBelow,
  loadToConfirm,
  nextLoad,
  type PromiseCapacity,
  planConfirmation,
  requestsToKeep,
} from './search-steps.ts'
import {
  measureStretch,
  planStretch,
  type ServerLimits,
  type StretchPlan,
  secondsOf,
  shortestSeconds,
} from './stretch-plan.ts'

export interface SearchOptions {
  readonly promises: readonly ServicePromise[]
  readonly limits: ServerLimits
  /** What is expected of the server: the search begins at its capacity. Null where nobody has an idea. */
  readonly model: QueueModel | null
  /** Of the server's clock, for levels and confirmation together. */
  readonly budgetSeconds: number
  readonly seed: number
  /** Half of the interval that is asked for, as a share: 0.05 for plus or minus 5 %. */
  readonly precision: number
  /** Asked between the levels. */
  readonly isStopped?: () => boolean
  readonly onLevel?: (level: LevelResult) => void
}

/** Why a search ended. */
export type SearchEnding =
  /** The interval is as narrow as was asked for, and the confirmation is made. */
  | 'precise'
  /** The time is used up; what is not resolved is undecided. */
  | 'budget'
  /** Everything was still kept as near to the most that the server can do as can be measured. */
  | 'saturated'
  /** Broken at the lowest load that was tried. */
  | 'hopeless'
  /** Somebody stopped it, or the target is gone. */
  | 'interrupted'

export interface SearchResult {
  readonly levels: readonly LevelResult[]
  /** Of each promise, in the order of asking. */
  readonly capacities: readonly PromiseCapacity[]
  /** The promise that breaks first; null where no promise was seen to break. */
  readonly first: PromiseCapacity | null
  /** By its own stretches alone: none of them had a part in choosing its load. */
  readonly confirmation: LevelResult | null
  readonly ended: SearchEnding
  /** How many times the budget is likely to suffice for what this one did not; null where it did. */
  readonly budgetsNeeded: number | null
}

/** Where nobody has an idea, the first look is at this share of the most that the server can do. */
const firstShare = 0.5
/** Below this share of the most, there is no use in going down any further. */
const lowestShare = 0.02
/** Of a step of the ladder, which only finds out where to look. */
const batchesOfStep = 3
const batchesOfStretch = 5
/** A confirmation that is undecided is continued so often, or begun again lower down. */
const mostConfirmations = 4
/** One look takes no more than this part of the budget, unless nothing could be told after so short a time. */
const lookShare = 1 / 8
/** So many misses speak for themselves; of fewer, what the arrivals explain is taken out. */
const fewestTrusted = 300
/** What is kept for the confirmation: as much as it takes to say "kept", within these parts of the budget. */
const reservedShare = { least: 0.35, most: 0.55 }
/** Loads that are confirmed lie above this share of the crossing. */
const confirmedShare = 0.75

/**
 * Finds the highest load at which all promises are kept.
 *
 *   1  ladder       from where the capacity may be, coarse steps up or down, until a promise is clearly broken
 *   2  concentrate  steps around the crossing of a logistic fit, wide ones first, then of the size of the precision;
 *                   the step with the least evidence is continued, so that doubt is answered by more requests and
 *                   not by new steps
 *   3  confirm      a long stretch with a fresh seed at the lower end of the interval; where it is broken the
 *                   fit takes it in and the search goes on
 *
 * The time for the confirmation is kept from the start. Stretches become shorter where the budget is small, and where
 * nothing breaks in the time, the highest load that was reached is what is confirmed.
 */
export async function searchCapacity(server: LoadedServer, options: SearchOptions): Promise<SearchResult> {
  const search = startSearch(server, options)
  if (await search.climb()) await search.concentrate()
  else await search.confirmHighest()
  return search.result()
}

interface Search {
  /** Whether a crossing lies between what was measured. */
  climb(): Promise<boolean>
  concentrate(): Promise<void>
  /** Where nothing broke. */
  confirmHighest(): Promise<void>
  result(): SearchResult
}

function startSearch(server: LoadedServer, options: SearchOptions): Search {
  const { promises, limits, budgetSeconds, precision } = options
  const grid: LoadGrid = { limits, precision }
  const stretches = new Map<number, Stretch[]>()
  const fresh = new Map<number, Stretch[]>()
  const batches = new Map<ServicePromise, readonly ControlledBatch[]>()
  const needed = requestsToKeep(promises)
  let seed = options.seed
  let ended: SearchEnding = 'budget'
  let confirmation: number | null = null
  let confirmations = 0
  let batchesToStop: number | null = null
  const startedAt = server.elapsedSeconds()
  const secondsLeft = (): number => budgetSeconds - (server.elapsedSeconds() - startedAt)

  const measure = async (plan: StretchPlan | null): Promise<Stretch | null> => {
    if (plan === null || options.isStopped?.() === true) return null
    const { perSecond } = plan
    seed += 1
    const stretch = await measureStretch(server, plan, seed)
    stretches.set(perSecond, [...(stretches.get(perSecond) ?? []), stretch])
    for (const promise of promises) {
      const known = batches.get(promise) ?? []
      // Nobody asks any more what luck had a part in.
      const model = isTrusted(known) ? null : options.model
      batches.set(promise, [...known, ...controlledBatches(stretch, promise, model)])
    }
    return stretch
  }
  const tell = (perSecond: number): LevelResult => {
    const level = judgeLevel(perSecond, stretches.get(perSecond) ?? [], promises)
    options.onLevel?.(level)
    return level
  }
  const look = async (perSecond: number, batches: number, until: number): Promise<LevelResult | null> => {
    const share = Math.max(lookShare * budgetSeconds, shortestSeconds(perSecond, limits))
    const plan = planStretch(perSecond, limits, { batches, mostSeconds: Math.min(share, until) })
    return (await measure(plan)) === null ? null : tell(perSecond)
  }
  const capacities = (): PromiseCapacity[] =>
    promises.map((promise) => {
      return { promise, crossing: crossingOf(batches.get(promise) ?? [], promise, options.model) }
    })
  const results = (): LevelResult[] =>
    [...stretches]
      .sort(([a], [b]) => a - b)
      .map(([perSecond, parts]) => judgeLevel(perSecond, parts, promises))
  const first = (): PromiseCapacity | null =>
    ended === 'hopeless' || ended === 'saturated' ? null : firstToBreak(capacities(), results())
  const confirmed = (): LevelResult | null =>
    confirmation === null ? null : judgeLevel(confirmation, fresh.get(confirmation) ?? [], promises)
  const reservedSeconds = (): number => {
    if (confirmed()?.verdict === 'kept') return 0
    const perSecond = confirmedShare * (first()?.crossing?.perSecond ?? Math.max(...stretches.keys()))
    const plan = planConfirmation(perSecond, promises, { limits, mostSeconds: Number.POSITIVE_INFINITY })
    const { least, most } = reservedShare
    const toKeep = shortestSeconds(perSecond, limits) + needed / perSecond
    const wanted = Math.max(least * budgetSeconds, Math.min(most * budgetSeconds, toKeep))
    return plan === null ? wanted : Math.min(wanted, secondsOf(plan))
  }
  const confirm = async (highest: number, promise: PromiseCapacity | null): Promise<boolean> => {
    const mostSeconds = secondsLeft()
    // What is undecided is continued, unless it lies too high by now.
    const isContinued =
      confirmation !== null && confirmed()?.verdict === 'undecided' && confirmation <= highest * 1.001
    const perSecond = isContinued
      ? (confirmation ?? highest)
      : loadToConfirm(highest, promise, { grid, promises, mostSeconds })
    const plan = planConfirmation(perSecond, promises, { limits, mostSeconds })
    // A few batches more would not decide it.
    const stretch = isContinued && (plan?.batches ?? 0) < fewestToKeep ? null : await measure(plan)
    if (stretch === null) return false
    fresh.set(perSecond, [...(fresh.get(perSecond) ?? []), stretch])
    confirmation = perSecond
    confirmations += 1
    tell(perSecond)
    return true
  }

  const isMuch = ({ promise }: PromiseCapacity): boolean => isTrusted(batches.get(promise) ?? [])
  const toConfirm = (promise: PromiseCapacity | null): number | null =>
    promise?.crossing?.low ?? promise?.crossing?.perSecond ?? wellBelow(highestUnbroken(results()))

  return {
    async climb() {
      const start = options.model?.perSecond ?? firstShare * limits.mostPerSecond
      const lowest = lowestShare * limits.mostPerSecond
      let level = await look(gridLevel(Math.max(start, lowest), grid), batchesOfStep, secondsLeft())
      if (level !== null && isClearlyBroken(level)) {
        while (level !== null && isClearlyBroken(level)) {
          const below = loadBelow(level, grid)
          if (below < lowest) {
            ended = 'hopeless'
            return false
          }
          level = await look(below, batchesOfStep, secondsLeft())
        }
        return level !== null
      }
      while (level !== null && !isProbablyBroken(level)) {
        const above = loadAbove(level.perSecond, grid)
        if (above <= level.perSecond) {
          ended = 'saturated'
          return false
        }
        level = await look(above, batchesOfStep, secondsLeft() - reservedSeconds())
      }
      return level !== null
    },
    async concentrate() {
      for (;;) {
        const promise = first()
        const crossing = promise?.crossing ?? null
        const isNarrow =
          crossing !== null && promise !== null && isMuch(promise) && isPrecise(crossing, precision)
        if (isNarrow) batchesToStop ??= secondStage * crossing.batchCount
        const isFound = isNarrow && crossing.batchCount >= (batchesToStop ?? 0)
        const isDone = confirmed()?.verdict === 'kept' || confirmations >= mostConfirmations
        if (isFound && isDone) {
          ended = 'precise'
          return
        }
        const next = nextLoad(results(), crossing, grid)
        if (!isFound && (await look(next, batchesOfStretch, secondsLeft() - reservedSeconds())) !== null)
          continue
        const highest = toConfirm(promise)
        if (isDone || highest === null || !(await confirm(highest, promise))) return
      }
    },
    async confirmHighest() {
      if (ended === 'hopeless') return
      while (confirmations < mostConfirmations && confirmed()?.verdict !== 'kept') {
        const highest = toConfirm(first())
        if (highest === null || !(await confirm(highest, first()))) return
      }
    },
    result() {
      const [levels, found, checked] = [results(), first(), confirmed()]
      const used = { precision, budgetSeconds, confirmation: checked }
      return {
        levels,
        capacities: capacities(),
        first: found,
        confirmation: checked,
        ended,
        budgetsNeeded: ended === 'budget' ? budgetsNeeded(found?.crossing ?? null, used) : null,
      }
    },
  }
}

function isTrusted(batches: readonly ControlledBatch[]): boolean {
  return batches.reduce((sum, { misses }) => sum + misses, 0) >= fewestTrusted
}

/** A model is not believed to explain more than this part of how misses come together. */
const mostExplained = 0.5

/**
 * Where the misses cross what is allowed. A short measurement says more of its few unlucky moments than of the server: there a
 * model of the queue takes out what the arrivals explain, and knows about how steeply misses grow.
 */
function crossingOf(
  batches: readonly ControlledBatch[],
  promise: ServicePromise,
  model: QueueModel | null,
): Crossing | null {
  const allowed = allowance(promise)
  const crossingBy = promise.kind === 'failures' ? fitCrossing : fitLateCrossing
  const expected = isTrusted(batches) ? null : expectedSlope(promise, model)
  if (expected === null) return crossingBy(batches, allowed)
  // Whoever asks how misses come together means those that are seen.
  const designEffect = crossingBy(batches, allowed, expected)?.designEffect ?? 1
  const leastEffect = Math.max(1, mostExplained * designEffect)
  const crossing = crossingBy(withoutLuck(batches), allowed, { ...expected, leastEffect })
  return crossing === null ? null : { ...crossing, designEffect }
}

/** The highest load below everything that is clearly broken. */
function highestUnbroken(levels: readonly LevelResult[]): number | null {
  const broken = levels.findIndex(isClearlyBroken)
  return (broken < 0 ? levels : levels.slice(0, broken)).at(-1)?.perSecond ?? null
}

/** Where no curve is known, a load that few requests have tried is not surely one that is kept: one that is lower may be. */
const margin = 0.8

function wellBelow(perSecond: number | null): number | null {
  return perSecond === null ? null : margin * perSecond
}

/** Nobody knows how much more it takes where nothing was found: then twice as much is tried. */
const unknownNeed = 2
/** A little less than enough was not enough. */
const leastNeed = 1.25

/** The width of an interval falls with the root of the time. */
function budgetsNeeded(
  crossing: Crossing | null,
  {
    precision,
    budgetSeconds,
    confirmation,
  }: {
    readonly precision: number
    readonly budgetSeconds: number
    readonly confirmation: LevelResult | null
  },
): number {
  const { low = null, high = null } = crossing ?? {}
  if (low === null || high === null) return unknownNeed
  const narrower = Math.log(high / low) / (2 * Math.log1p(precision))
  const more = Math.max(0, ...(confirmation?.promises ?? []).map(({ moreNeeded }) => moreNeeded ?? 0))
  const moreSeconds = confirmation === null ? 0 : more / confirmation.perSecond
  return Math.max(leastNeed, narrower ** 2 + moreSeconds / budgetSeconds)
}

function judgeLevel(
  perSecond: number,
  stretches: readonly Stretch[],
  promises: readonly ServicePromise[],
): LevelResult {
  const verdicts = promises.map((promise) =>
    judgePromise(
      promise,
      stretches.flatMap((stretch) => missBatches(stretch, promise)),
    ),
  )
  const backlogs = stretches.map(backlogOf)
  const stability = stabilityOf(backlogs)
  const verdict = together([...verdicts.map((each) => each.verdict), stability])
  return { perSecond, stretches, promises: verdicts, backlogs, stability, verdict }
}

/**
 * Measures and judges one load by itself: warmed up, long enough for a verdict, as the search does it. A load beyond
 * what the server can do is measured as long as the highest one below.
 */
export async function measureLevel(
  server: LoadedServer,
  {
    perSecond,
    promises,
    limits,
    seed,
  }: Pick<SearchOptions, 'promises' | 'limits' | 'seed'> & { readonly perSecond: number },
): Promise<LevelResult> {
  const plan = planConfirmation(perSecond, promises, { limits, mostSeconds: Number.POSITIVE_INFINITY })
  if (plan === null) throw new RangeError(`${perSecond} requests a second are not a load`)
  return judgeLevel(perSecond, [await measureStretch(server, plan, seed)], promises)
}

/**
 * An interval is narrow for the first time when its batches happen to agree, and is then too narrow. So the search goes on
 * until it has this many times as many batches as it had then: the second stage of a two-stage procedure.
 *
 * @see Stein 1945, doi:10.1214/aoms/1177731088
 */
const secondStage = 1.5

/** Fewer batches near the crossing than this do not know their own spread, and a search would stop on a lucky one. */
const fewestNearBatches = 40

function isPrecise({ low, high, batchCount }: Crossing, precision: number): boolean {
  if (low === null || high === null || batchCount < fewestNearBatches) return false
  return Math.log(high / low) <= 2 * Math.log1p(precision)
}
