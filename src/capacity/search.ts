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
  /** At least one objective. */
  readonly objectives: readonly Objective[]
  readonly limits: ServerLimits
  /** Null if the sweep had too few requests for a model. */
  readonly model: ServerModel | null
  readonly seed: number
  /** Half-width of the interval, as a share, at which the search ends early; null to use all of the time. */
  readonly precision: number | null
  /** Called before and after each stretch; an interrupted stretch is not judged. */
  readonly isStopped?: () => boolean
  readonly onLevel?: (level: Level, estimate: CapacityEstimate | null) => void
}

export interface SearchResult {
  /** Levels in ascending order of load. */
  readonly levels: readonly Level[]
  /** Capacity for the objective that is violated first; null if nothing gives it. */
  readonly capacity: ObjectiveCapacity | null
  /** The level of the confirmation's own stretches, none of which influenced the choice of its load. */
  readonly confirmation: Level | null
  readonly ended: SearchEnding
  /** Null if the server was as fast at the end as at the beginning. */
  readonly change: SpeedChange | null
}

/** A change of the server's speed during the measurement. */
interface SpeedChange {
  /** Ratio of the time of a request alone at the end of the search to that at its beginning. */
  readonly times: number
  /** First and last estimate of the capacity, in requests per second; null without any. */
  readonly estimates: { readonly first: number; readonly last: number } | null
}

/** Maximum number of confirmations: an undecided one is continued, or begun again at a lower load. */
const maxConfirmations = 4

/**
 * Begins a search for the highest load at which all objectives are met; nothing is sent yet. It has separate steps, so that
 * other measurements can be made in between. Times are those of the server's clock.
 *
 *   explore   measures loads around the expected capacity, the least measured one next. The expectation comes from the
 *             simulated server at first, then from all looks
 *   confirm   measures a long stretch with fresh arrivals at the low end of the interval
 *
 * Each step uses all of its time. With a requested precision, the search ends when it is reached and confirmed.
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
    // An interrupted stretch did not send all its requests, so it would count as a higher load than it was.
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
  /** @param fill whether to use all of the time */
  const confirmOnce = async (maxSeconds: number, fill: boolean): Promise<boolean> => {
    const capacity = first()
    const highest = capacity?.estimate.low ?? cautiousLoad(levels(), objectives)
    if (highest === null || confirmations >= maxConfirmations) return false
    // An undecided confirmation is continued, unless its load is too high by now.
    const isContinued =
      confirmedAt !== null && confirmed()?.verdict === 'undecided' && confirmedAt <= highest * 1.001
    const plan = planConfirmation(isContinued ? (confirmedAt ?? highest) : highest, {
      capacity: isContinued ? null : capacity,
      objectives,
      limits,
      maxSeconds: maxSeconds - drainSeconds(highest),
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
      const remainingSeconds = untilSeconds - server.elapsedSeconds()
      if (capacity !== null && isPrecise(capacity.estimator.fit())) {
        if (confirmed()?.verdict === 'met' || confirmations >= maxConfirmations) {
          ended = 'precise'
          return
        }
        if (!(await confirmOnce(remainingSeconds, false))) return
        continue
      }
      const maxSeconds = remainingSeconds - keptSeconds() - drainSeconds(next)
      const plan =
        planLook(next, limits, { maxSeconds, budgetSeconds: untilSeconds - startedAt }) ??
        planFirstLook(levels(), limits, maxSeconds)
      if ((await measure(plan)) === null) return
    }
  }
  /** A confirmation at the most that the server does can still violate an objective. */
  const ending = (): SearchEnding =>
    ended === 'saturated' && confirmed()?.verdict === 'violated' ? 'budget' : ended
  return {
    /** Measures loads around the expected capacity until a time, minus the reserve for the confirmation. */
    explore: (untilSeconds: number): Promise<void> => look(untilSeconds, () => reserveSeconds(untilSeconds)),
    /** A long stretch with fresh arrivals at a load that probably meets the objectives; else more looks. */
    async confirm(untilSeconds: number): Promise<void> {
      if (ended === 'precise' || ended === 'hopeless') return
      const isMade = await confirmOnce(untilSeconds - server.elapsedSeconds(), true)
      // Time that is too short for a confirmation still narrows the interval.
      if (!isMade && ended === 'budget') await look(untilSeconds, () => 0)
    },
    result: (): SearchResult => ({
      levels: levels(),
      capacity: first(),
      confirmation: confirmed(),
      ended: ending(),
      change: findSpeedChange(alone, estimates),
    }),
  }
}

/** Requests that found an empty server: log of the ratio of their time to that of the sweep, over seconds. */
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

/** Minimum factor of a reported speed change. */
const minChange = 1.25
/** Confidence of a speed change: in one search of a thousand with a steady server it is a false alarm. */
const changeConfidence = 0.999
/** Maximum number of requests whose pairs are compared, because their number grows with its square. */
const maxAloneRequests = 600

/**
 * The change of the time of requests alone from the first to the last, by Sen's slope. Requests alone are independent
 * of the load.
 */
function findSpeedChange(alone: readonly Point[], estimates: readonly number[]): SpeedChange | null {
  const every = Math.ceil(alone.length / maxAloneRequests)
  const points = alone.filter((_, index) => index % every === 0)
  const { slope = 0, interval = null } = trendSlope(points, changeConfidence) ?? {}
  if (interval === null || (interval.low <= 0 && interval.high >= 0)) return null
  const times = Math.exp(slope * ((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)))
  if (Math.abs(Math.log(times)) < Math.log(minChange)) return null
  const [first, last] = [estimates[0], estimates.at(-1)]
  return { times, estimates: first === undefined || last === undefined ? null : { first, last } }
}

/** The capacity for the objective that is violated first; null if an objective without one is violated at less. */
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

/** Minimum number of batches, because fewer underestimate their spread and would end a search by luck. */
const fewestBatches = 40
/**
 * Factor of further batches. An interval first becomes narrow when its batches agree by chance, and is then too
 * narrow. The search therefore continues to this multiple of the batches: the second stage of a two-stage procedure.
 *
 * @see Stein 1945, doi:10.1214/aoms/1177731088
 */
const secondStage = 1.5

/** Returns whether a curve has the requested precision; never without a request. */
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

/** The simulation of a server from its sweep, before any open load. */
export interface ServerModel {
  readonly server: SimulatedServer
  /** Lengths of the sent recordings in seconds. */
  readonly lengths: readonly number[]
  /** Turns of the closed loads that it was made from. */
  readonly turns: readonly Turn[]
}

/** A smaller simulated capacity is a rounding error of 0. */
const minPerSecond = 1e-6
/** Minimum number of misses for a fitted curve; fewer only calibrate the simulated server. */
const fewestTrusted = 300
/** Number of misses from which on the fitted curve is better than a calibration, so simulating ends. */
const maxSimulatedMisses = 1500

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
  /** Null if no simulation predicts the misses: refusals without a known rule, or failures without refusals. */
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
        if (misses() < maxSimulatedMisses) calibration?.add(stretch)
      } else {
        calibration = calibrationFor(refusals)
        for (const each of stretches) calibration?.add(each)
      }
      batches.push(...missBatches(stretch, objective))
    },
    /** Null if neither the misses nor a model give it. */
    estimate(levels: readonly Level[]): CapacityEstimate | null {
      const calibrated = calibration?.estimate() ?? null
      // If even single simulated requests violate the objective, the calibration gives no capacity.
      if (calibrated === null || calibrated.perSecond < minPerSecond) return fitted(levels)
      const curve = misses() >= fewestTrusted ? fitted(levels) : null
      return curve !== null && measureWidth(curve) <= measureWidth(calibrated) ? curve : calibrated
    },
    /** The curve fitted to the misses; null with too few of them. */
    fit: (): Crossing | null => (misses() >= fewestTrusted ? crossing() : null),
  }
}

function measureWidth({ low, high }: CapacityEstimate): number {
  return Math.log(high / low)
}
