import { studentQuantile } from '#statistics/distributions'

/** Requests and misses in an interval of time: one unit of independent evidence. */
export interface MissBatch {
  /** Offered requests per second. */
  readonly perSecond: number
  readonly requests: number
  readonly misses: number
}

/** A batch with its unanswered requests, which miss any objective. */
export interface CountedBatch extends MissBatch {
  readonly failures: number
}

/** The load at which the share of misses crosses the allowance, in requests per second. */
export interface Crossing {
  readonly perSecond: number
  /** Bounds of the 95 % interval; null if the batches do not give one. */
  readonly low: number | null
  readonly high: number | null
  /** Growth of the logit of the share of misses with the logarithm of the load. */
  readonly slope: number
  /** Number of batches near enough to be fitted. */
  readonly batchCount: number
  /** Variance of a batch's misses relative to that of independent requests; at least 1. */
  readonly designEffect: number
}

/**
 * Confidence of the quantile behind a 95 % interval. Batches are not quite independent, and a search ends on a narrow
 * interval. With 98 %, intervals of simulated servers contain the capacity about as often as claimed.
 */
const confidence = 0.98

/** Maximum ratio of a level to the crossing, because the curve is straight only near it. */
const nearFactor = 1.35

/**
 * Fits logit P(miss) = a + b·ln(λ / λ₀) to the batches of all levels near the crossing, and finds where it
 * crosses the allowance.
 *
 *   P(miss)  1 ┤                      ╭────
 *              │                   ╭──╯
 *     allowed  ┤┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄╳┄┄┄
 *            0 ┤──────────────────╯┆
 *              └───────────────────┴────────► λ
 *                              capacity
 *
 * Misses of waiting requests are correlated, so the interval comes from the spread between batches (a sandwich estimate
 * with Student's t), not from the binomial. It is Fieller's, because the crossing is a ratio of two estimates.
 *
 * @param allowed share of misses, strictly between 0 and 1
 * @returns null if the batches show no crossing: everything or nothing missed, or misses do not grow with load
 * @see Liang and Zeger 1986, doi:10.1093/biomet/73.1.13; Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x
 */
export function fitCrossing(batches: readonly MissBatch[], allowed: number): Crossing | null {
  let near = batches
  let crossing: Crossing | null = null
  for (let pass = 0; pass < 4; pass += 1) {
    const next = crossOnce(near, allowed)
    if (next === null) return crossing
    crossing = next
    const { perSecond } = next
    const reach = (level: number): boolean =>
      Math.abs(Math.log(level / perSecond)) <= Math.log(nearFactor) + 1e-9
    const withinReach = batches.filter((batch) => reach(batch.perSecond))
    if (new Set(withinReach.map((batch) => batch.perSecond)).size < 2) return crossing
    near = withinReach
  }
  return crossing
}

/**
 * Fits the crossing of a latency objective if some requests fail at any load. Their misses bend the curve, which is straight
 * for late answers. The share of failures f up to the crossing is therefore subtracted from misses and allowance.
 *
 *   P(miss) = f + (1 - f) · P(late)
 */
export function fitLateCrossing(batches: readonly CountedBatch[], allowed: number): Crossing | null {
  const crossing = fitCrossing(batches, allowed)
  if (crossing === null) return null
  const borne = batches.filter(({ perSecond }) => perSecond <= crossing.perSecond)
  const failures = borne.reduce((sum, batch) => sum + batch.failures, 0)
  const failing = failures / borne.reduce((sum, batch) => sum + batch.requests, 0)
  if (!(failing > 0 && failing < allowed)) return crossing
  const late = batches.map(({ perSecond, requests, misses }) => ({
    perSecond,
    requests: (1 - failing) * requests,
    misses: misses - failing * requests,
  }))
  return fitCrossing(late, (allowed - failing) / (1 - failing))
}

function crossOnce(batches: readonly MissBatch[], allowed: number): Crossing | null {
  const requests = batches.reduce((sum, batch) => sum + batch.requests, 0)
  if (requests === 0) return null
  const centre =
    batches.reduce((sum, batch) => sum + batch.requests * Math.log(batch.perSecond), 0) / requests
  const points = batches.map((batch) => ({ ...batch, x: Math.log(batch.perSecond) - centre }))
  const fit = fitLogistic(points)
  if (fit === null || !(fit.slope > 0)) return null
  const target = Math.log(allowed / (1 - allowed))
  const at = (target - fit.intercept) / fit.slope
  const t = studentQuantile(1 - (1 - confidence) / 2, Math.max(1, batches.length - 2))
  const { low, high } = fieller(fit, target, t)
  const load = (x: number | null): number | null => (x === null ? null : Math.exp(centre + x))
  return {
    perSecond: Math.exp(centre + at),
    low: load(low),
    high: load(high),
    slope: fit.slope,
    batchCount: batches.length,
    designEffect: fit.designEffect,
  }
}

interface Point {
  readonly x: number
  readonly requests: number
  readonly misses: number
}

interface LogisticFit {
  readonly intercept: number
  readonly slope: number
  /** Variance of (intercept, slope), robust to correlated misses. */
  readonly variance: Symmetric
  readonly designEffect: number
}

/** A symmetric matrix over (intercept, slope). */
interface Symmetric {
  readonly aa: number
  readonly ab: number
  readonly bb: number
}

/**
 * Half a miss and half a hit are added at either end of the loads. With them a fit exists even if all misses are on
 * one side, and real batches outweigh them.
 */
const halfRequests = 0.5

/** Fits by Newton's method; null if it does not converge. */
function fitLogistic(points: readonly Point[]): LogisticFit | null {
  const xs = points.map((point) => point.x)
  const [least, most] = [Math.min(...xs), Math.max(...xs)]
  if (!(most - least > 1e-9)) return null
  const anchored = [
    ...points,
    { x: least, requests: 2 * halfRequests, misses: halfRequests },
    { x: most, requests: 2 * halfRequests, misses: halfRequests },
  ]
  const share =
    anchored.reduce((sum, p) => sum + p.misses, 0) / anchored.reduce((sum, p) => sum + p.requests, 0)
  let intercept = Math.log(share / (1 - share))
  let slope = 1
  for (let step = 0; step < 100; step += 1) {
    const { score, information } = derivatives(anchored, intercept, slope)
    const determinant = information.aa * information.bb - information.ab ** 2
    if (!(determinant > 1e-12)) return null
    let da = (information.bb * score.a - information.ab * score.b) / determinant
    let db = (information.aa * score.b - information.ab * score.a) / determinant
    // Longer steps overshoot where the curve is steep.
    const length = Math.max(Math.abs(da) / 2, Math.abs(db) / 10, 1)
    da /= length
    db /= length
    intercept += da
    slope += db
    if (Math.abs(da) < 1e-9 && Math.abs(db) < 1e-9) {
      return { intercept, slope, ...estimateVariance(points, information, { intercept, slope }) }
    }
  }
  return null
}

function derivatives(points: readonly Point[], intercept: number, slope: number) {
  let [scoreA, scoreB, aa, ab, bb] = [0, 0, 0, 0, 0]
  for (const { x, requests, misses } of points) {
    const probability = logistic(intercept + slope * x)
    const excess = misses - requests * probability
    const weight = requests * probability * (1 - probability)
    scoreA += excess
    scoreB += excess * x
    aa += weight
    ab += weight * x
    bb += weight * x * x
  }
  return { score: { a: scoreA, b: scoreB }, information: { aa, ab, bb } }
}

/**
 * The variance of both coefficients: the larger of two estimates. The sandwich estimate uses only the batches. The
 * quasi-binomial one assumes the model, and is more reliable with few batches.
 */
function estimateVariance(
  points: readonly Point[],
  { aa, ab, bb }: Symmetric,
  { intercept, slope }: { readonly intercept: number; readonly slope: number },
): Pick<LogisticFit, 'variance' | 'designEffect'> {
  let [maa, mab, mbb, pearson] = [0, 0, 0, 0]
  for (const { x, requests, misses } of points) {
    const probability = logistic(intercept + slope * x)
    const excess = misses - requests * probability
    maa += excess ** 2
    mab += excess ** 2 * x
    mbb += excess ** 2 * x * x
    if (requests > 0) pearson += excess ** 2 / (requests * probability * (1 - probability))
  }
  const degrees = Math.max(1, points.length - 2)
  const determinant = aa * bb - ab * ab
  const inverse = { aa: bb / determinant, ab: -ab / determinant, bb: aa / determinant }
  const designEffect = Math.max(1, pearson / degrees)
  const quasi = {
    aa: designEffect * inverse.aa,
    ab: designEffect * inverse.ab,
    bb: designEffect * inverse.bb,
  }
  // The sandwich I⁻¹ M I⁻¹, with the usual correction for few batches.
  const correction = points.length / degrees
  const [paa, pab] = [inverse.aa * maa + inverse.ab * mab, inverse.aa * mab + inverse.ab * mbb]
  const [pba, pbb] = [inverse.ab * maa + inverse.bb * mab, inverse.ab * mab + inverse.bb * mbb]
  const robust = {
    aa: correction * (paa * inverse.aa + pab * inverse.ab),
    ab: correction * (paa * inverse.ab + pab * inverse.bb),
    bb: correction * (pba * inverse.ab + pbb * inverse.bb),
  }
  return { variance: robust.aa > quasi.aa ? robust : quasi, designEffect }
}

/** Interval of the x at which a + b·x equals the target: the roots of (a + bx - target)² = t² var(a + bx). */
function fieller({ intercept, slope, variance }: LogisticFit, target: number, t: number) {
  const offset = intercept - target
  const quadratic = slope ** 2 - t * t * variance.bb
  const linear = slope * offset - t * t * variance.ab
  const constant = offset ** 2 - t * t * variance.aa
  const root = linear ** 2 - quadratic * constant
  if (!(root >= 0) || !(quadratic > 0)) return { low: null, high: null }
  return { low: (-linear - Math.sqrt(root)) / quadratic, high: (-linear + Math.sqrt(root)) / quadratic }
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value))
}
