import { isDeepStrictEqual } from 'node:util'
import { type Point, trendSlope } from '#statistics/series/trend'
import { type Calibration, type CapacityEstimate, calibrate } from './calibration.ts'
import { type CountedBatch, type Crossing, fitCrossing, fitLateCrossing } from './capacity-fit.ts'
import type { SearchEnding } from './finding.ts'
import { judgeLevel, type Level, missBatches } from './level.ts'
import {
  type LoadedServer,
  measureStretch,
  planSeconds,
  type ServerLimits,
  type Stretch,
  type StretchPlan,
  type Turn,
} from './loaded-server.ts'
import { allowance, type Objective } from './objective.ts'
import {
  cautiousLoad,
  confirmationSeconds,
  isBelieved,
  isProbablyMissed,
  nextLoad,
  type ObjectiveCapacity,
  planConfirmation,
  planFirstLook,
  planLook,
  usualDrainSeconds,
} from './search-steps.ts'
import { modelTurningAway, type TurningAway, timesAlone, usualServiceMs } from './server-model.ts'
import { boundedBy, type SimulatedServer } from './simulated-server.ts'

export interface SearchOptions {
  /** At least one. */
  readonly objectives: readonly Objective[]
  readonly limits: ServerLimits
  /** Null where the sweep saw too little for one. */
  readonly model: ServerModel | null
  readonly seed: number
  /** Half of the interval, as a share, at which the search ends before its time; null: the whole time is used. */
  readonly precision: number | null
  /** Asked before and after each stretch: one that was stopped is not judged. */
  readonly isStopped?: () => boolean
  readonly onLevel?: (level: Level, estimate: CapacityEstimate | null) => void
}

export interface SearchResult {
  /** In order of load. */
  readonly levels: readonly Level[]
  /** For the objective that is violated first; null where nothing gives it. */
  readonly capacity: ObjectiveCapacity | null
  /** By its own stretches alone: none of them had a part in choosing its load. */
  readonly confirmation: Level | null
  readonly ended: SearchEnding
  /** Null where the server was as fast at the end as at the beginning. */
  readonly change: SpeedChange | null
}

/** A server that became slower or faster while it was measured. */
interface SpeedChange {
  /** How many times as long a request alone took at the end of the search as at its beginning. */
  readonly times: number
  /** What the estimate was after the first loads that gave one, and after the last. */
  readonly estimates: { readonly first: number; readonly last: number } | null
}

/** A confirmation that is undecided is continued so often, or begun again lower down. */
const mostConfirmations = 4

/**
 * Begins a search for the highest load at which all objectives are met; nothing is sent yet. It goes in steps, so that other
 * measurements may lie between them. Times are those of the server's clock.
 *
 *   explore   loads around the expected capacity, the least measured one next: at first that of the simulated server, then what
 *             all looks together say
 *   confirm   a long stretch with fresh arrivals at the low end of the interval
 *
 * Each uses all of its time. Where a precision is asked for, the search ends when it is reached and confirmed.
 */
export function startSearch(server: LoadedServer, options: SearchOptions) {
  const { objectives, limits, model, precision } = options
  const startedAt = server.elapsedSeconds()
  const stretches = new Map<number, Stretch[]>()
  const fresh = new Map<number, Stretch[]>()
  const drains: { readonly perSecond: number; readonly seconds: number }[] = []
  const estimators = objectives.map((objective) => chooseEstimator(objective, model, options.seed))
  const alone: Point[] = []
  const estimates: number[] = []
  let seed = options.seed
  let ended: SearchEnding = 'budget'
  let confirmedAt: number | null = null
  let confirmations = 0
  const isPrecise = judgePrecision(precision)

  const levels = (): Level[] =>
    [...stretches]
      .sort(([a], [b]) => a - b)
      .map(([perSecond, parts]) => judgeLevel(perSecond, parts, objectives))
  const first = (): (ObjectiveCapacity & { readonly estimator: Estimator }) | null =>
    findLowest(estimators, levels())
  const confirmed = (): Level | null =>
    confirmedAt === null ? null : judgeLevel(confirmedAt, fresh.get(confirmedAt) ?? [], objectives)
  const drainSeconds = (perSecond: number): number =>
    Math.max(
      usualDrainSeconds(options),
      ...drains.filter((drain) => drain.perSecond <= perSecond).map(({ seconds }) => seconds),
    )
  const measure = async (plan: StretchPlan | null): Promise<Stretch | null> => {
    if (plan === null || options.isStopped?.() === true) return null
    const { perSecond } = plan
    seed += 1
    const fromSeconds = server.elapsedSeconds()
    const stretch = await measureStretch(server, plan, seed)
    // Of a stretch that was stopped, the rest was not sent: judged, it would be a lower load than it is taken for.
    if (options.isStopped?.() === true) return null
    drains.push({ perSecond, seconds: server.elapsedSeconds() - fromSeconds - planSeconds(plan) })
    stretches.set(perSecond, [...(stretches.get(perSecond) ?? []), stretch])
    for (const estimator of estimators) estimator.add(stretch)
    if (model !== null) alone.push(...pointsAlone(stretch, fromSeconds, model.server))
    const level = judgeLevel(perSecond, stretches.get(perSecond) ?? [], objectives)
    const estimate = first()?.estimate ?? null
    if (estimate !== null) estimates.push(estimate.perSecond)
    options.onLevel?.(level, estimate)
    return stretch
  }
  /** @param fill whether all of the time is used */
  const confirmOnce = async (mostSeconds: number, fill: boolean): Promise<boolean> => {
    const capacity = first()
    const highest = capacity?.estimate.low ?? cautiousLoad(levels(), objectives)
    if (highest === null || confirmations >= mostConfirmations) return false
    // What is undecided is continued, unless it lies too high by now.
    const isContinued =
      confirmedAt !== null && confirmed()?.verdict === 'undecided' && confirmedAt <= highest * 1.001
    const plan = planConfirmation(isContinued ? (confirmedAt ?? highest) : highest, {
      capacity: isContinued ? null : capacity,
      objectives,
      limits,
      mostSeconds: mostSeconds - drainSeconds(highest),
      fill,
    })
    const stretch = await measure(plan)
    if (stretch === null) return false
    confirmedAt = stretch.perSecond
    fresh.set(confirmedAt, [...(fresh.get(confirmedAt) ?? []), stretch])
    confirmations += 1
    return true
  }
  const reserveSeconds = (untilSeconds: number): number => {
    if (confirmed()?.verdict === 'met') return 0
    const perSecond = first()?.estimate.perSecond ?? cautiousLoad(levels(), objectives)
    return perSecond === null
      ? 0
      : confirmationSeconds(perSecond, untilSeconds - startedAt, { objectives, limits })
  }
  const look = async (untilSeconds: number, keptSeconds: () => number): Promise<void> => {
    for (;;) {
      const capacity = first()
      const next = nextLoad(levels(), capacity?.estimate.perSecond ?? null, { objectives, limits })
      if (typeof next === 'string') {
        ended = next
        return
      }
      const left = untilSeconds - server.elapsedSeconds()
      if (capacity !== null && isPrecise(capacity.estimator.fit())) {
        if (confirmed()?.verdict === 'met' || confirmations >= mostConfirmations) {
          ended = 'precise'
          return
        }
        if (!(await confirmOnce(left, false))) return
        continue
      }
      const mostSeconds = left - keptSeconds() - drainSeconds(next)
      const plan =
        planLook(next, limits, { mostSeconds, budgetSeconds: untilSeconds - startedAt }) ??
        planFirstLook(levels(), limits, mostSeconds)
      if ((await measure(plan)) === null) return
    }
  }
  return {
    /** Measures loads around the expected capacity until that time, less what the confirmation takes. */
    explore: (untilSeconds: number): Promise<void> => look(untilSeconds, () => reserveSeconds(untilSeconds)),
    /** One long stretch with fresh arrivals at a load that is likely to meet the objectives, until that time; more looks where it is too short. */
    async confirm(untilSeconds: number): Promise<void> {
      if (ended === 'precise' || ended === 'hopeless') return
      const isMade = await confirmOnce(untilSeconds - server.elapsedSeconds(), true)
      // Too little time for that still narrows the interval.
      if (!isMade && ended === 'budget') await look(untilSeconds, () => 0)
    },
    result: (): SearchResult => ({
      ...{ levels: levels(), capacity: first(), confirmation: confirmed(), ended },
      change: findSpeedChange(alone, estimates),
    }),
  }
}

/** The logarithm of what each request took that found an empty server, over what it takes by the sweep; over seconds. */
function pointsAlone(
  { samples }: Stretch,
  fromSeconds: number,
  { service, workers }: SimulatedServer,
): Point[] {
  return timesAlone(samples, workers).map(({ sentAtMs, audioSeconds, serviceMs }) => ({
    x: fromSeconds + sentAtMs / 1000,
    y: Math.log(serviceMs / usualServiceMs(service, audioSeconds)),
  }))
}

/** A server whose speed changes by less than this keeps it. */
const leastChange = 1.25
/** Of a change that is no chance: asked of every search, and said of one in a thousand whose server keeps its speed. */
const changeConfidence = 0.999
/** Above this number, comparing pairs takes longer than its result is worth. */
const mostAlone = 600

/**
 * Whether requests that were alone became slower or faster from the first to the last of them, by the slope of Sen: what the load
 * does to a request is not in their times.
 */
function findSpeedChange(alone: readonly Point[], estimates: readonly number[]): SpeedChange | null {
  const every = Math.ceil(alone.length / mostAlone)
  const points = alone.filter((_, index) => index % every === 0)
  const { slope = 0, interval = null } = trendSlope(points, changeConfidence) ?? {}
  if (interval === null || (interval.low <= 0 && interval.high >= 0)) return null
  const times = Math.exp(slope * ((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)))
  if (Math.abs(Math.log(times)) < Math.log(leastChange)) return null
  const [first, last] = [estimates[0], estimates.at(-1)]
  return { times, estimates: first === undefined || last === undefined ? null : { first, last } }
}

/** The capacity for the objective that is violated first; null where nothing gives it for one that was seen to be violated at less. */
function findLowest(
  estimators: readonly Estimator[],
  levels: readonly Level[],
): (ObjectiveCapacity & { readonly estimator: Estimator }) | null {
  const all = estimators.map((estimator) => ({ estimator, estimate: estimator.estimate(levels) }))
  const found = all.flatMap(({ estimator, estimate }) =>
    estimate === null ? [] : [{ objective: estimator.objective, estimate, estimator }],
  )
  const lowest = found.toSorted((a, b) => a.estimate.perSecond - b.estimate.perSecond)[0] ?? null
  const unknown = all.flatMap(({ estimator, estimate }) => (estimate === null ? [estimator.objective] : []))
  const isOpen = levels.some(
    (level) => level.perSecond <= (lowest?.estimate.perSecond ?? 0) && isProbablyMissed(level, unknown),
  )
  return isOpen ? null : lowest
}

/** Fewer batches than this do not know their own spread, and a search would end on a lucky one. */
const fewestBatches = 40
/**
 * An interval is narrow for the first time when its batches happen to agree, and is then too narrow. So the search goes on
 * until it has this many times as many batches as it had then: the second stage of a two-stage procedure.
 *
 * @see Stein 1945, doi:10.1214/aoms/1177731088
 */
const secondStage = 1.5

/** Whether a curve is known as well as was asked for; never where nothing was. */
function judgePrecision(precision: number | null): (crossing: Crossing | null) => boolean {
  let batchesToStop: number | null = null
  return (crossing) => {
    const { low = null, high = null, batchCount = 0 } = crossing ?? {}
    if (precision === null || low === null || high === null || batchCount < fewestBatches) return false
    if (Math.log(high / low) > 2 * Math.log1p(precision)) return false
    batchesToStop ??= secondStage * batchCount
    return batchCount >= batchesToStop
  }
}

/** What is expected of a server before any open load was tried. */
export interface ServerModel {
  readonly server: SimulatedServer
  /** Of the recordings that are sent, in seconds. */
  readonly lengths: readonly number[]
  /** The closed loads that it was made of. */
  readonly turns: readonly Turn[]
}

/** A simulated capacity below this is 0, but for rounding. */
const leastPerSecond = 1e-6
/** Fewer misses do not speak for themselves: they are evidence about the speed of the simulated server. */
const fewestTrusted = 300
/** From so many misses on, their curve is known better than any calibration, and stretches are no longer simulated. */
const mostSimulated = 1500

type Estimator = ReturnType<typeof chooseEstimator>

/** Estimates the capacity for one objective from everything that was measured so far. */
function chooseEstimator(objective: Objective, model: ServerModel | null, seed: number) {
  const batches: CountedBatch[] = []
  const stretches: Stretch[] = []
  const turningAway = (): TurningAway =>
    modelTurningAway(
      stretches.map(({ samples }) => samples),
      { closed: model?.turns ?? [], workers: model?.server.workers ?? 1 },
    )
  /** Null where no simulation foresees the misses: failures that are no matter of the queue, and refusals that are none. */
  const calibrationFor = (refusals: TurningAway): Calibration | null => {
    if (model === null || refusals.kind === 'unexplained') return null
    if (refusals.kind === 'none' && objective.kind === 'failures') return null
    return calibrate(boundedBy(model.server, refusals), objective, { lengths: model.lengths, seed })
  }
  let refusals = turningAway()
  let calibration = calibrationFor(refusals)
  const misses = (): number => batches.reduce((sum, batch) => sum + batch.misses, 0)
  const crossing = (): Crossing | null => {
    const fitted = objective.kind === 'failures' ? fitCrossing : fitLateCrossing
    return fitted(batches, allowance(objective))
  }
  const fitted = (levels: readonly Level[]): CapacityEstimate | null => {
    const { perSecond = 0, low = null, high = null, slope = 0 } = crossing() ?? {}
    if (low === null || high === null || !isBelieved({ perSecond }, objective, levels)) return null
    return { perSecond, low, high, slope, isMeasured: true }
  }
  return {
    objective,
    add(stretch: Stretch): void {
      stretches.push(stretch)
      const before = refusals
      refusals = turningAway()
      if (isDeepStrictEqual(before, refusals)) {
        if (misses() < mostSimulated) calibration?.add(stretch)
      } else {
        calibration = calibrationFor(refusals)
        for (const each of stretches) calibration?.add(each)
      }
      batches.push(...missBatches(stretch, objective))
    },
    /** Null where neither the misses nor a model give it. */
    estimate(levels: readonly Level[]): CapacityEstimate | null {
      const calibrated = calibration?.estimate() ?? null
      // Where even single requests of the simulation violate the objective, it does not place a load.
      if (calibrated === null || calibrated.perSecond < leastPerSecond) return fitted(levels)
      const curve = misses() >= fewestTrusted ? fitted(levels) : null
      return curve !== null && measureWidth(curve) <= measureWidth(calibrated) ? curve : calibrated
    },
    /** The curve that was fitted to the misses, once there are enough of them to speak for themselves. */
    fit: (): Crossing | null => (misses() >= fewestTrusted ? crossing() : null),
  }
}

function measureWidth({ low, high }: CapacityEstimate): number {
  return Math.log(high / low)
}
