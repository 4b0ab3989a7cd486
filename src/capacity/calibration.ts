import { lazily, seededRandom } from '#prelude'
import { isJudged } from './level.ts'
import type { LevelSample, Stretch } from './loaded-server.ts'
import { allowance, isMiss, type Objective } from './objective.ts'
import {
  capacityFinder,
  drawJobs,
  listRequests,
  type ServerUse,
  type SimulatedServer,
  simulateQueue,
  type Variation,
} from './simulated-server.ts'

/** A capacity with its 95 % interval, in requests per second. */
export interface CapacityEstimate {
  readonly perSecond: number
  readonly low: number
  readonly high: number
  /** Growth of the logit of the share of misses with the logarithm of the load. */
  readonly slope: number
  /** Whether open loads have narrowed the estimate clearly beyond that of the initial simulation. */
  readonly isMeasured: boolean
}

/**
 * Finds the capacity for one objective from few misses, by calibrating the simulation of the server.
 *
 * In minutes of an open load, most misses fall into a few bursts, so their count has a large variance. The simulation with the
 * same arrivals has the same bursts. The speed v at which it misses as often as the server is therefore known far better than
 * the share of misses. For each stretch and each v on a grid, repeats of the simulation give mean and variance of the root of
 * the misses, and so the likelihood of v (a synthetic likelihood). All stretches and a prior around v = 1 give the posterior
 * of v. The capacity is the simulated capacity at v.
 *
 *   likelihood  ┤     ╭─╮  stretch 1
 *               │   ╭─╯ ╰╭─╮ stretch 2        capacity = C(v)
 *             0 ┤───╯    ╯ ╰───
 *               └──────┴──────► ln v
 *                      0
 *
 * @see Wood 2010, doi:10.1038/nature09319 (synthetic likelihood)
 */
export type Calibration = ReturnType<typeof calibrate>

/** Half-width of the grid over ln v, its step for simulations, and its step after interpolation. */
const reach = 0.6
const simulatedStep = 0.05
const step = 0.0125
/** Number of simulations of one stretch at one speed; fewer for long stretches, whose moments vary less. */
const repeats = { most: 20, fewest: 6, requests: 8_000 }
/**
 * Error of a simulation made from a sweep, as the scale of a t distribution with 4 degrees of freedom over ln v. On
 * eleven simulated servers, some with locks and batches, it was 0.01 to 0.11 after sweeps of half a minute.
 */
const priorScale = 0.08
const priorDegrees = 4
/** Model error: standard deviation of ln v between stretches, and of the capacity at a given v. */
const spreadOfStretches = 0.02
const spreadOfCapacity = 0.02
/**
 * A model with the wrong kind of queue has an apparent speed that depends on the distance of a load from the
 * capacity: ln v changes by γ · ln(λ / C). Only the spread of γ is known; a server that works in batches has γ = 0.5.
 */
const slopeOfError = { spread: 0.3, values: [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6] }
const farthest = 0.15
/** Degrees of freedom and minimum variance of a likelihood whose moments come from few simulations. */
const likelihoodDegrees = 5
const minVariance = 0.05
/** An estimate counts as measured once loads have narrowed the spread of the prior to this share. */
const measuredShare = 0.5
/** Maximum posterior share at an end of the grid; with more, the true speed is outside of the grid. */
const maxShareAtEnds = 0.02

export function calibrate(server: SimulatedServer, objective: Objective, use: ServerUse) {
  const evidence: Evidence[] = []
  const prior = formPrior(server)
  const finder = lazily(() => capacityFinder(server, use))
  const curves = capacityCurves((variation) => finder()([objective], variation))
  const slope = lazily(() => measureSlope(objective, (other) => finder()([other])))
  /** Evidence depends on the distance of a load from the capacity, which the first pass takes from the prior. */
  const posterior = () => {
    let found = summarisePosterior([prior])
    let failureShare = 0
    for (let pass = 0; pass < 2; pass += 1) {
      const capacity = curves(0, found.quantile(0.5))
      failureShare = countFailureShare(evidence.filter(({ perSecond }) => perSecond <= capacity))
      const distances = evidence.map(({ perSecond }) =>
        capacity > 0 ? Math.max(-farthest, Math.min(farthest, Math.log(perSecond / capacity))) : 0,
      )
      found = summarisePosterior(
        slopeOfError.values.map((slope) => {
          const weight = -(slope ** 2) / (2 * slopeOfError.spread ** 2)
          return grid.map((_, index) =>
            evidence.reduce(
              (sum, { logLikelihoods }, at) =>
                sum + shifted(logLikelihoods, index, slope * (distances[at] ?? 0)),
              weight + (prior[index] ?? 0),
            ),
          )
        }),
      )
    }
    return { found, failureShare }
  }
  return {
    add(stretch: Stretch): void {
      const { perSecond, samples } = stretch
      const failures = samples.filter((sample) => !isTaken(sample, server)).length
      const exact = weighEvidence(stretch, server, objective, use.seed + evidence.length)
      const logLikelihoods = blurred(exact, spreadOfStretches)
      evidence.push({ perSecond, requests: samples.length, failures, logLikelihoods })
    },
    /** Null if the server differs so much from its simulation that v is outside of the grid. */
    estimate(): CapacityEstimate | null {
      const { found, failureShare } = posterior()
      if (found.atEnds > maxShareAtEnds) return null
      const capacityAt = (share: number): number => curves(failureShare, found.quantile(share))
      const isMeasured = found.spread <= measuredShare * summarisePosterior([prior]).spread
      const [perSecond, low, high] = [capacityAt(0.5), capacityAt(0.025), capacityAt(0.975)]
      return { perSecond, low, high, slope: slope(), isMeasured }
    },
  }
}

interface Evidence {
  readonly perSecond: number
  readonly requests: number
  readonly failures: number
  /** Log-likelihoods over the grid of ln v. */
  readonly logLikelihoods: readonly number[]
}

/** Pseudo-counts for the failure share: 60 further requests with 0.3 failures, because usually few fail. */
const expectedFailures = { of: 60, failures: 0.3 }

/** Share of requests that fail at any load, from loads below the capacity: failures above may be due to load. */
function countFailureShare(evidence: readonly Evidence[]): number {
  const requests = evidence.reduce((sum, each) => sum + each.requests, expectedFailures.of)
  return evidence.reduce((sum, each) => sum + each.failures, expectedFailures.failures) / requests
}

/** The slope is measured between the capacity and the capacity for this many times fewer misses. */
const fewerMisses = 3
/** Slope if it cannot be measured: that of a queue with a utilisation of two thirds. */
const usualSlope = 10

function measureSlope(objective: Objective, capacityFor: (objective: Objective) => number | null): number {
  if (objective.kind === 'failures') return usualSlope
  const allowed = allowance(objective)
  const stricter = { ...objective, percentile: 1 - allowed / fewerMisses }
  const [high, low] = [capacityFor(objective), capacityFor(stricter)]
  if (high === null || low === null || !(high > low)) return usualSlope
  return (logit(allowed) - logit(allowed / fewerMisses)) / Math.log(high / low)
}

function logit(share: number): number {
  return Math.log(share / (1 - share))
}

const grid: readonly number[] = Array.from(
  { length: Math.round((2 * reach) / step) + 1 },
  (_, index) => index * step - reach,
)

/** Log-density of the prior over the grid. It is wider after a sweep of few requests, whose mean is less certain. */
function formPrior({ service: { ratios } }: SimulatedServer): readonly number[] {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  const variance = ratios.reduce((sum, ratio) => sum + (ratio / mean - 1) ** 2, 0) / ratios.length
  const scale = Math.hypot(priorScale, Math.sqrt(variance / ratios.length))
  return grid.map((logSpeed) => logStudent(logSpeed / scale, priorDegrees))
}

/** Log-likelihood of the misses of a stretch at each speed of the grid. */
function weighEvidence(
  stretch: Stretch,
  server: SimulatedServer,
  objective: Objective,
  seed: number,
): readonly number[] {
  const samples = stretch.samples.toSorted((a, b) => a.dueAtMs - b.dueAtMs)
  const judged = samples.map((sample) => isJudged(stretch, sample))
  const rootOfMisses = (responseMsOf: (index: number) => number): number => {
    let misses = 0
    for (const [index, sample] of samples.entries()) {
      if (judged[index] !== true) continue
      const responseMs = responseMsOf(index)
      const isAnswered = isTaken(sample, server) && !Number.isNaN(responseMs)
      if (isMiss(objective, { responseMs, audioSeconds: sample.audioSeconds, isAnswered })) misses += 1
    }
    // Anscombe 1948: the variance of this transform hardly depends on the mean.
    return Math.sqrt(misses + 3 / 8)
  }
  const measured = rootOfMisses((index) => {
    const { endedAtMs = 0, dueAtMs = 0, isAnswered = false } = samples[index] ?? {}
    return isAnswered ? endedAtMs - dueAtMs : Number.NaN
  })
  const count = Math.min(
    repeats.most,
    Math.max(repeats.fewest, Math.round(repeats.requests / samples.length)),
  )
  const random = seededRandom(seed)
  const jobs = Array.from({ length: count }, () => drawJobs(server, listRequests(samples), random))
  const likelihoodAt = (logSpeed: number): number => {
    const speed = Math.exp(logSpeed)
    const roots = jobs.map((all) => {
      const responseMs = simulateQueue(all, server, { speed })
      return rootOfMisses((index) => responseMs[index] ?? Number.NaN)
    })
    const mean = roots.reduce((sum, root) => sum + root, 0) / count
    const spread = roots.reduce((sum, root) => sum + (root - mean) ** 2, 0) / (count - 1)
    const variance = minVariance + spread * (1 + 1 / count)
    return logStudent((measured - mean) / Math.sqrt(variance), likelihoodDegrees) - Math.log(variance) / 2
  }
  const every = Math.round(simulatedStep / step)
  const simulated = grid.filter((_, index) => index % every === 0).map(likelihoodAt)
  return grid.map((_, index) => {
    const [below, part] = [Math.floor(index / every), (index % every) / every]
    const low = simulated[below] ?? 0
    return low + part * ((simulated[below + 1] ?? low) - low)
  })
}

/** Whether the simulation accounts for a request: it was answered, or turned away by a bounded queue. */
function isTaken({ isAnswered, isTurnedAway }: LevelSample, { queueBound }: SimulatedServer): boolean {
  return isAnswered || (queueBound !== null && isTurnedAway === true)
}

/** Logarithm of Student's density without its constant. */
function logStudent(value: number, degrees: number): number {
  return (-(degrees + 1) / 2) * Math.log1p(value ** 2 / degrees)
}

/** The log-likelihood at a point of the grid shifted by a difference of ln v. */
function shifted(logLikelihoods: readonly number[], index: number, logSpeed: number): number {
  const at = Math.min(grid.length - 1, Math.max(0, index + Math.round(logSpeed / step)))
  return logLikelihoods[at] ?? 0
}

/** The log-likelihood blurred by a normal error of ln v with this standard deviation. */
function blurred(logLikelihoods: readonly number[], spread: number): readonly number[] {
  const highest = Math.max(...logLikelihoods)
  const kernel = grid.map((_, distance) => Math.exp(-((distance * step) ** 2) / (2 * spread ** 2)))
  return logLikelihoods.map((_, index) => {
    let [sum, weights] = [0, 0]
    for (const [other, logLikelihood] of logLikelihoods.entries()) {
      const weight = kernel[Math.abs(index - other)] ?? 0
      sum += weight * Math.exp(logLikelihood - highest)
      weights += weight
    }
    return Math.log(sum / weights + Number.MIN_VALUE)
  })
}

/** @param mixed log-densities of a mixture, whose densities are added */
function summarisePosterior(mixed: readonly (readonly number[])[]) {
  const highest = Math.max(...mixed.flat())
  const logs = grid.map((_, index) =>
    Math.log(mixed.reduce((sum, each) => sum + Math.exp((each[index] ?? 0) - highest), Number.MIN_VALUE)),
  )
  const sums = blurred(logs, spreadOfCapacity).map(Math.exp)
  const total = sums.reduce((sum, each) => sum + each, 0)
  const shares = sums.map((each) => each / total)
  const mean = shares.reduce((sum, share, index) => sum + share * (grid[index] ?? 0), 0)
  const variance = shares.reduce((sum, share, index) => sum + share * ((grid[index] ?? 0) - mean) ** 2, 0)
  return {
    quantile(wanted: number): number {
      let below = 0
      for (const [index, share] of shares.entries()) {
        if (below + share >= wanted) return (grid[index] ?? 0) + step * ((wanted - below) / share - 0.5)
        below += share
      }
      return reach
    },
    spread: Math.sqrt(variance),
    /** Posterior share at an end of the grid, the larger of both. */
    atEnds: Math.max(shares[0] ?? 0, shares.at(-1) ?? 0),
  }
}

/** Step over ln v at which the capacity is simulated; between, it is interpolated linearly. */
const curveStep = 0.2
/** Step to which shares of failures are rounded. */
const failureStep = 0.0025

/** Simulated capacities by failure share and ln v; 0 if even single requests violate the objective. */
function capacityCurves(
  capacityOf: (variation: Variation) => number | null,
): (failureShare: number, logSpeed: number) => number {
  const capacities = new Map<string, number>()
  return (failureShare, logSpeed) => {
    const failures = failureStep * Math.round(failureShare / failureStep)
    const at = (index: number): number => {
      const key = `${failures} ${index}`
      const found =
        capacities.get(key) ?? capacityOf({ speed: Math.exp(index * curveStep), failureShare: failures }) ?? 0
      capacities.set(key, found)
      return found
    }
    const below = Math.floor(logSpeed / curveStep)
    return at(below) + (logSpeed / curveStep - below) * (at(below + 1) - at(below))
  }
}
