import { isDeepStrictEqual } from 'node:util'
import { type TurningAway, turningAwayOf } from '../at-work.ts'
import { type CountedBatch, type Crossing, fitCrossing, fitLateCrossing } from '../capacity-fit.ts'
import { allowance, type Objective } from '../objective.ts'
import { type Calibration, type CapacityEstimate, calibrate } from '../simulation/calibration.ts'
import { boundedBy, type SimulatedServer } from '../simulation/simulated-capacity.ts'
import type { Turn } from './ceiling.ts'
import { type Level, missBatches } from './level.ts'
import { isBelieved } from './search-steps.ts'
import type { Stretch } from './stretch-plan.ts'

/** What is expected of a server before any open load was tried. */
export interface ServerModel {
  readonly server: SimulatedServer
  /** Of the recordings that are sent, in seconds. */
  readonly lengths: readonly number[]
  /** The closed loads that it was made of. */
  readonly turns: readonly Turn[]
}

/** Estimates the capacity for one objective from everything that was measured so far. */
export interface Estimator {
  readonly objective: Objective
  add(stretch: Stretch): void
  /** Null where neither the misses nor a model give it. */
  estimate(levels: readonly Level[]): CapacityEstimate | null
  /** The curve that was fitted to the misses, once there are enough of them to speak for themselves. */
  fit(): Crossing | null
}

/** A simulated capacity below this is 0, but for rounding. */
const leastPerSecond = 1e-6
/** Fewer misses do not speak for themselves: they are evidence about the speed of the simulated server. */
const fewestTrusted = 300
/** From so many misses on, their curve is known better than any calibration, and stretches are no longer simulated. */
const mostSimulated = 1500

export function estimatorOf(objective: Objective, model: ServerModel | null, seed: number): Estimator {
  const batches: CountedBatch[] = []
  const stretches: Stretch[] = []
  const turningAway = (): TurningAway =>
    turningAwayOf(
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
    add(stretch) {
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
    estimate(levels) {
      const calibrated = calibration?.estimate() ?? null
      // Where even single requests of the simulation violate the objective, it does not place a load.
      if (calibrated === null || calibrated.perSecond < leastPerSecond) return fitted(levels)
      const curve = misses() >= fewestTrusted ? fitted(levels) : null
      return curve !== null && widthOf(curve) <= widthOf(calibrated) ? curve : calibrated
    },
    fit: () => (misses() >= fewestTrusted ? crossing() : null),
  }
}

function widthOf({ low, high }: CapacityEstimate): number {
  return Math.log(high / low)
}
