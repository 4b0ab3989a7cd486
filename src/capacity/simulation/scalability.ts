import { type Random, seededRandom } from '#prelude'
import { type Bounds, quantile, sortSamples } from '#statistics'

/** Throughput with so many requests in flight, and how well it is known. */
export interface ThroughputPoint {
  readonly inFlight: number
  readonly perSecond: number
  /** Standard error over the throughput; 0 where it does not vary. */
  readonly relativeError: number
}

/**
 * Gunther's universal scalability law, X(N) = g·N / (1 + s·(N - 1) + k·N·(N - 1)).
 *
 *   X ┤       ╭──╮          g   throughput of one alone
 *     │    ╭──╯  ╰──╮       s   share of the work that only one can do at a time
 *     │  ╭─╯        ╰─      k   what the others cost each one: above 0 there is a peak, at √((1-s)/k)
 *     └──────────────► N
 */
export interface ScalabilityLaw {
  readonly perSecondAlone: number
  readonly serialShare: number
  readonly crosstalk: number
}

export interface ScalabilityFit {
  readonly law: ScalabilityLaw
  readonly serialShareInterval: Bounds
  readonly crosstalkInterval: Bounds
  /** The most productive number in flight, or why none is given. */
  readonly peak:
    | { readonly seen: true; readonly inFlight: number; readonly interval: Bounds }
    | { readonly seen: false; readonly reason: string }
}

/** A law of three coefficients is not fitted to fewer levels. */
const fewestLevels = 3
/** A peak is only believed between levels: at least as many as this, on both sides of it. */
const fewestLevelsOfPeak = 5
/** Nothing is said beyond this many times the largest number tested. */
const farthest = 2
const replicates = 1_000

/**
 * Fits the law by weighted non-negative least squares on its linear form, N/X = 1/g + (s/g)(N-1) + (k/g)N(N-1), with
 * weights that make the relative errors of all levels count alike; intervals by a parametric bootstrap of the levels.
 *
 * @returns null for fewer than three levels
 * @see Gunther 2007, Guerrilla Capacity Planning, 4 to 6; Lawson and Hanson 1974 for the non-negative solution
 */
export function fitScalability(points: readonly ThroughputPoint[], seed: number): ScalabilityFit | null {
  if (new Set(points.map((point) => point.inFlight)).size < fewestLevels) return null
  const law = solve(points)
  if (law === null) return null
  const random = seededRandom(seed)
  const laws: ScalabilityLaw[] = []
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    const drawn = points.map((point) => ({
      ...point,
      perSecond: point.perSecond * Math.exp(point.relativeError * standardNormal(random)),
    }))
    const next = solve(drawn)
    if (next !== null) laws.push(next)
  }
  const crosstalkInterval = intervalOf(laws.map((each) => each.crosstalk))
  const serialShareInterval = intervalOf(laws.map((each) => each.serialShare))
  return { law, serialShareInterval, crosstalkInterval, peak: peakOf(points, law, laws, crosstalkInterval) }
}

/** Requests per second that the law gives for a number in flight. */
export function throughputAt(
  { perSecondAlone, serialShare, crosstalk }: ScalabilityLaw,
  inFlight: number,
): number {
  return (
    (perSecondAlone * inFlight) / (1 + serialShare * (inFlight - 1) + crosstalk * inFlight * (inFlight - 1))
  )
}

function peakOf(
  points: readonly ThroughputPoint[],
  law: ScalabilityLaw,
  laws: readonly ScalabilityLaw[],
  crosstalk: Bounds,
): ScalabilityFit['peak'] {
  const levels = points.map((point) => point.inFlight).sort((a, b) => a - b)
  const largest = levels.at(-1) ?? 0
  if (levels.length < fewestLevelsOfPeak)
    return {
      seen: false,
      reason: `${levels.length} levels were measured; a peak takes ${fewestLevelsOfPeak}`,
    }
  if (!(crosstalk.low > 0))
    return { seen: false, reason: `no peak was seen up to ${largest} in flight: throughput does not fall` }
  const inFlight = peakInFlight(law)
  if (inFlight > farthest * largest)
    return {
      seen: false,
      reason: `the peak lies beyond ${farthest * largest}, twice the most that was tested`,
    }
  if (inFlight > largest)
    return { seen: false, reason: `throughput still rose at ${largest} in flight, the most that was tested` }
  return { seen: true, inFlight, interval: intervalOf(laws.map(peakInFlight)) }
}

function peakInFlight({ serialShare, crosstalk }: ScalabilityLaw): number {
  return crosstalk > 0
    ? Math.max(1, Math.sqrt(Math.max(0, 1 - serialShare) / crosstalk))
    : Number.POSITIVE_INFINITY
}

/** Every set of coefficients that may be above 0 is tried; there are four, and the best one is exact. */
function solve(points: readonly ThroughputPoint[]): ScalabilityLaw | null {
  let best: { readonly residual: number; readonly law: ScalabilityLaw } | null = null
  for (const [hasSerial, hasCrosstalk] of [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ] as const) {
    const columns = (n: number): number[] => [
      1,
      ...(hasSerial ? [n - 1] : []),
      ...(hasCrosstalk ? [n * (n - 1)] : []),
    ]
    const coefficients = leastSquares(points, columns)
    if (coefficients === null || coefficients.some((coefficient) => coefficient < 0)) continue
    const [intercept = 0, ...rest] = coefficients
    if (!(intercept > 0)) continue
    const law = {
      perSecondAlone: 1 / intercept,
      serialShare: hasSerial ? (rest[0] ?? 0) / intercept : 0,
      crosstalk: hasCrosstalk ? (rest.at(-1) ?? 0) / intercept : 0,
    }
    const residual = points.reduce(
      (sum, { inFlight, perSecond }) => sum + (throughputAt(law, inFlight) / perSecond - 1) ** 2,
      0,
    )
    if (best === null || residual < best.residual) best = { residual, law }
  }
  return best?.law ?? null
}

/** Solves the normal equations by elimination; null where they have no single solution. */
function leastSquares(points: readonly ThroughputPoint[], columns: (n: number) => number[]): number[] | null {
  const size = columns(1).length
  const rows = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0))
  for (const { inFlight, perSecond } of points) {
    const values = columns(inFlight)
    const y = inFlight / perSecond
    for (const [i, row] of rows.entries()) {
      const left = (values[i] ?? 0) / y ** 2
      for (const [j, value] of values.entries()) row[j] = (row[j] ?? 0) + left * value
      row[size] = (row[size] ?? 0) + left * y
    }
  }
  for (let pivot = 0; pivot < size; pivot += 1) {
    const pivotRow = rows[pivot]
    const divisor = pivotRow?.[pivot] ?? 0
    if (pivotRow === undefined || !(Math.abs(divisor) > 1e-12)) return null
    for (const [index, row] of rows.entries()) {
      if (index === pivot) continue
      const factor = (row[pivot] ?? 0) / divisor
      for (let column = pivot; column <= size; column += 1)
        row[column] = (row[column] ?? 0) - factor * (pivotRow[column] ?? 0)
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1))
}

function intervalOf(values: readonly number[]): Bounds {
  const sorted = sortSamples(values.map((value) => Math.min(value, Number.MAX_SAFE_INTEGER)))
  return { low: quantile(sorted, 0.025) ?? 0, high: quantile(sorted, 0.975) ?? 0 }
}

/** Box and Muller 1958, doi:10.1214/aoms/1177706645. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit())
}
