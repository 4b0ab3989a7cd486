import { type Crossing, fitCrossing } from './capacity-fit.ts'
import {
  type Backlog,
  backlogOf,
  judgePromise,
  type LevelVerdict,
  missBatches,
  type PromiseVerdict,
  type Stretch,
  stabilityOf,
  together,
} from './level.ts'
import type { LoadedServer } from './loaded-server.ts'
import { allowance, type ServicePromise } from './promise.ts'
import { meanInSystem, relaxationSeconds } from './queueing.ts'

/** What is known of a server before any promise is tried: from requests alone, and from a full house. */
export interface ServerLimits {
  /** Mean time of a request that is alone. */
  readonly aloneSeconds: number
  readonly serviceVariation: number
  /** Requests per second that it completes when it always has work. */
  readonly mostPerSecond: number
}

export interface SearchOptions {
  readonly promises: readonly ServicePromise[]
  readonly limits: ServerLimits
  /** Of the server's clock, for levels and confirmation together. */
  readonly budgetSeconds: number
  readonly seed: number
  /** Half of the interval that is asked for, as a share: 0.05 for plus or minus 5 %. */
  readonly precision: number
  /** Asked between the levels. */
  readonly isStopped?: () => boolean
  readonly onLevel?: (level: LevelResult) => void
}

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
  readonly confirmation: LevelResult | null
  readonly ended: SearchEnding
  /** How much more time the next stretch would have taken than was left; null where none was refused for it. */
  readonly lackedSeconds: number | null
}

/** Loads between which the first coarse look is taken, as shares of the most that the server can do. */
const ladder = [0.5, 0.7, 0.8, 0.88, 0.96]
/** Below this share of the most, there is no use in going down any further. */
const lowestShare = 0.02
/** Beyond this share of the most, a queue remembers for longer than anybody measures. */
const highestShare = 0.96
/** A batch is this many relaxation times and this many requests, at least. */
const batchRelaxations = 4
const batchRequests = 25
const warmupRelaxations = 3
/** Of a step of the ladder, which only finds out where to look. */
const batchesOfStep = 3
const batchesOfStretch = 5
const batchesOfConfirmation = 20
/** A confirmation that is undecided is continued so often, or begun again lower down. */
const mostConfirmations = 4

/**
 * Finds the highest load at which all promises are kept.
 *
 *   1  ladder       coarse steps up, until a promise is clearly broken
 *   2  concentrate  steps of the size of the precision around the crossing of a logistic fit; the step with the
 *                   least evidence is continued, so that doubt is answered by more requests and not by new steps
 *   3  confirm      a long stretch with a fresh seed at the lower end of the interval; where it is broken the
 *                   fit takes it in and the search goes on
 */
export async function searchCapacity(server: LoadedServer, options: SearchOptions): Promise<SearchResult> {
  const search = startSearch(server, options)
  if (await search.climb()) await search.concentrate()
  return search.result()
}

function startSearch(
  server: LoadedServer,
  options: SearchOptions,
): { climb(): Promise<boolean>; concentrate(): Promise<void>; result(): SearchResult } {
  const { promises, limits, budgetSeconds, precision } = options
  const stretches = new Map<number, Stretch[]>()
  let seed = options.seed
  let ended: SearchResult['ended'] = 'budget'
  let confirmation: number | null = null
  let confirmations = 0
  let batchesToStop: number | null = null
  let lackedSeconds: number | null = null
  const startedAt = server.elapsedSeconds()
  const secondsLeft = (): number => budgetSeconds - (server.elapsedSeconds() - startedAt)

  const measure = async (perSecond: number, batches: number): Promise<LevelResult | null> => {
    const plan = planStretch(perSecond, limits, batches)
    const lacked = plan.warmupSeconds + plan.forSeconds - secondsLeft()
    if (lacked > 0) lackedSeconds = lacked
    if (lacked > 0 || options.isStopped?.() === true) return null
    seed += 1
    const stretch = await measureStretch(server, plan, seed)
    stretches.set(perSecond, [...(stretches.get(perSecond) ?? []), stretch])
    const level = judgeLevel(perSecond, stretches.get(perSecond) ?? [], promises)
    options.onLevel?.(level)
    return level
  }
  const capacities = (): PromiseCapacity[] =>
    promises.map((promise) => {
      const batches = [...stretches.values()].flat().flatMap((stretch) => missBatches(stretch, promise))
      return { promise, crossing: fitCrossing(batches, allowance(promise)) }
    })
  const results = (): LevelResult[] =>
    [...stretches]
      .sort(([a], [b]) => a - b)
      .map(([perSecond, parts]) => judgeLevel(perSecond, parts, promises))

  const first = (): PromiseCapacity | null =>
    ended === 'hopeless' || ended === 'saturated' ? null : firstToBreak(capacities(), results())
  const isConfirmed = (): boolean =>
    results().find((level) => level.perSecond === confirmation)?.verdict === 'kept'

  return {
    async climb() {
      const [start = 1] = ladder
      let lowest: LevelResult | null = null
      for (let share = start; share >= lowestShare; share /= 2) {
        lowest = await measure(gridLevel(share * limits.mostPerSecond, limits, precision), batchesOfStep)
        if (lowest === null || !isClearlyBroken(lowest)) break
      }
      if (lowest === null) return false
      if (isClearlyBroken(lowest)) {
        ended = 'hopeless'
        return false
      }
      if (stretches.size > 1) return true
      for (const share of ladder.slice(1)) {
        const level = await measure(gridLevel(share * limits.mostPerSecond, limits, precision), batchesOfStep)
        if (level === null) return false
        if (isClearlyBroken(level)) return true
      }
      ended = 'saturated'
      return false
    },
    async concentrate() {
      for (;;) {
        const crossing = first()?.crossing ?? null
        const isNarrow = crossing !== null && isPrecise(crossing, precision)
        if (isNarrow) batchesToStop ??= secondStage * crossing.batchCount
        const isFound = isNarrow && crossing.batchCount >= (batchesToStop ?? 0)
        if (isFound && (isConfirmed() || confirmations >= mostConfirmations)) {
          ended = 'precise'
          return
        }
        const next = isFound
          ? gridBelow(crossing.low ?? crossing.perSecond, limits, precision)
          : leastKnown(aimOf(results(), crossing), stretches, limits, precision)
        const batches = isFound ? batchesOfConfirmation : batchesOfStretch
        if ((await measure(next, batches)) === null) return
        if (!isFound) continue
        confirmation = next
        confirmations += 1
      }
    },
    result() {
      const levels = results()
      return {
        levels,
        capacities: capacities(),
        first: first(),
        confirmation: levels.find((level) => level.perSecond === confirmation) ?? null,
        ended,
        lackedSeconds,
      }
    },
  }
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

/** How one load is measured: how long it settles, and what is counted of it. */
interface StretchPlan {
  readonly perSecond: number
  readonly batches: number
  readonly warmupSeconds: number
  readonly forSeconds: number
  readonly prefill: number
}

function planStretch(perSecond: number, limits: ServerLimits, batches: number): StretchPlan {
  const { aloneSeconds, mostPerSecond, serviceVariation } = limits
  const settled = Math.min(perSecond, highestShare * mostPerSecond)
  const relaxation = relaxationSeconds(settled, mostPerSecond)
  const batchSeconds = Math.max(batchRelaxations * relaxation, batchRequests / perSecond)
  const servers = Math.max(1, Math.round(aloneSeconds * mostPerSecond))
  const serviceSeconds = servers / mostPerSecond
  const queue = { perSecond: settled, serviceSeconds, servers, arrivalVariation: 1, serviceVariation }
  return {
    perSecond,
    batches,
    warmupSeconds: warmupRelaxations * relaxation,
    forSeconds: batches * batchSeconds,
    prefill: Math.round(meanInSystem(queue)),
  }
}

async function measureStretch(server: LoadedServer, plan: StretchPlan, seed: number): Promise<Stretch> {
  const { perSecond, batches, warmupSeconds, forSeconds, prefill } = plan
  const order = { kind: 'open', perSecond, forSeconds: warmupSeconds + forSeconds, prefill, seed } as const
  const samples = await server.measure(order)
  const batchMs = (1000 * forSeconds) / batches
  return { perSecond, fromMs: 1000 * warmupSeconds, forMs: 1000 * forSeconds, batchMs, samples }
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
  const plan = planStretch(perSecond, limits, batchesOfConfirmation)
  return judgeLevel(perSecond, [await measureStretch(server, plan, seed)], promises)
}

/** Loads that are measured stand on a grid, so that a second look at one continues the first. */
function gridLevel(perSecond: number, { mostPerSecond }: ServerLimits, precision: number): number {
  const share = Math.min(perSecond / mostPerSecond, highestShare)
  const step = Math.round(Math.log(share) / Math.log1p(precision))
  return mostPerSecond * Math.min(highestShare, (1 + precision) ** step)
}

function gridBelow(perSecond: number, limits: ServerLimits, precision: number): number {
  const level = gridLevel(perSecond, limits, precision)
  return level <= perSecond * 1.001 ? level : level / (1 + precision)
}

/** A crossing further than this factor outside of the loads that were measured is not believed. */
const believedBeyond = 1.15

function firstToBreak(
  capacities: readonly PromiseCapacity[],
  levels: readonly LevelResult[],
): PromiseCapacity | null {
  const [lowest, highest] = [levels[0]?.perSecond ?? 0, levels.at(-1)?.perSecond ?? 0]
  const found = capacities.flatMap((capacity) => {
    const { perSecond } = capacity.crossing ?? { perSecond: 0 }
    const isBelieved = perSecond >= lowest / believedBeyond && perSecond <= highest * believedBeyond
    return isBelieved && perSecond > 0 ? [{ capacity, perSecond }] : []
  })
  return found.toSorted((a, b) => a.perSecond - b.perSecond)[0]?.capacity ?? null
}

/**
 * Where to look next: at the crossing, unless the fit puts it outside of what was measured, where it knows nothing;
 * then between the highest load that may be kept and the lowest that is clearly broken.
 */
function aimOf(levels: readonly LevelResult[], crossing: Crossing | null): number {
  const broken = levels.find(isClearlyBroken)?.perSecond ?? levels.at(-1)?.perSecond ?? 0
  const kept = levels.findLast((level) => level.perSecond < broken)?.perSecond ?? broken
  const isInside =
    crossing !== null && crossing.perSecond >= (levels[0]?.perSecond ?? 0) && crossing.perSecond <= broken
  return isInside ? crossing.perSecond : Math.sqrt(kept * broken)
}

function isClearlyBroken({ promises, stability }: LevelResult): boolean {
  if (stability === 'broken') return true
  return promises.some(
    ({ promise, misses, requests }) => misses > 2 * allowance(promise) * requests && misses >= 5,
  )
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

/** Two steps to either side of the crossing tell most of where it is; the one with the fewest requests is next. */
function leastKnown(
  crossing: number,
  stretches: ReadonlyMap<number, readonly Stretch[]>,
  limits: ServerLimits,
  precision: number,
): number {
  const steps = [-2, -1, 0, 1, 2].map((step) =>
    gridLevel(crossing * (1 + precision) ** step, limits, precision),
  )
  const seconds = (perSecond: number): number =>
    (stretches.get(perSecond) ?? []).reduce((sum, { forMs }) => sum + forMs * perSecond, 0)
  return steps.toSorted((a, b) => seconds(a) - seconds(b))[0] ?? crossing
}
