import { type Random, seededRandom } from '#prelude'
import { type PairedRatioTerm, pairedBootstrap, ratioOfSums } from '#statistics/bootstrap'
import type { Bounds } from '#statistics/bounds'
import { quantile, sortSamples } from '#statistics/quantiles'
import type { CountedUnit, Scaling } from './found-loads.ts'
import { type LevelSample, lastEndMs, steadyTurns, type Turn } from './loaded-server.ts'

/** One level of a sweep: its requests in flight, and the resources that the server used. */
export interface SweepInput {
  readonly inFlight: number
  readonly turns: readonly Turn[]
  /** CPU time of the server's process and its children; null if they are not visible. */
  readonly serverCpuSeconds: number | null
  readonly peakResidentBytes: number | null
}

interface CountedErrors {
  /** Errors in the leading unit. */
  readonly errors: number
  /** Length of the reference in the same unit. */
  readonly length: number
  /** Correct words in any case, because prices are per word. */
  readonly correctWords: number
}

/** Counts errors of one text against its reference; null without a reference. */
export interface CountErrors {
  readonly leads: CountedUnit
  count(utteranceId: string, text: string): CountedErrors | null
}

/** Differences between the texts of a level and those of the same recordings alone. */
export type LevelAccuracy = ReturnType<typeof compareTexts>

export interface Sweep {
  /** The unit of the error rates of the levels. */
  readonly leads: CountedUnit
  readonly levels: readonly ReturnType<typeof judgeSweepLevel>[]
  /** c_eff = X_max · S_1: the number of requests that it effectively processes at once. */
  readonly effectiveServers: number | null
  readonly scalability: ScalabilityFit | null
  readonly scaling: Scaling | null
  /** Why no scaling is reported; null if one is. */
  readonly scalingReason: string | null
}

/** Share of every turn that is excluded at its start. */
const skipShare = 0.1
/** Minimum gain from more requests in flight; less counts as serialised. */
const serialisedGain = 1.25
/** Minimum gain that is certain for a server with two workers. */
const certainGain = 1.6
/** Minimum significant fall from the peak to the largest number in flight. */
const thrashingFall = 0.1
/** Minimum gain, as a share of the added requests, that counts as scaling. */
const scalingShare = 0.75
/** Number of parts of a level whose throughputs give the error of the whole. */
const parts = 8

/**
 * Evaluates a sweep of numbers in flight, the first of them 1.
 *
 * @param busyBecause why the machine, and not the server, may have been the limit; null if it was not
 */
export function analyseSweep(
  inputs: readonly SweepInput[],
  countErrors: CountErrors,
  { seed, busyBecause }: { readonly seed: number; readonly busyBecause: string | null },
): Sweep {
  const alone = textsAlone(
    inputs.filter(({ inFlight }) => inFlight === 1).flatMap(({ turns }) => turns.flat()),
  )
  const levels = inputs.map((input) => judgeSweepLevel(input, alone, countErrors, seed))
  const points = levels.flatMap(({ inFlight, steady, relativeError }): ThroughputPoint[] =>
    steady === null ? [] : [{ inFlight, perSecond: steady.perSecond, relativeError }],
  )
  const single = levels.find(({ inFlight }) => inFlight === 1)?.steady ?? null
  const maxPerSecond = Math.max(...points.map(({ perSecond }) => perSecond))
  return {
    leads: countErrors.leads,
    levels,
    effectiveServers:
      single === null || points.length === 0 ? null : (maxPerSecond * single.meanServiceMs) / 1000,
    scalability: fitScalability(points, seed),
    ...(busyBecause === null ? fitScaling(points) : { scaling: null, scalingReason: busyBecause }),
  }
}

function fitScaling(points: readonly ThroughputPoint[]): Pick<Sweep, 'scaling' | 'scalingReason'> {
  const sorted = points.toSorted((a, b) => a.inFlight - b.inFlight)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined || first.inFlight !== 1 || sorted.length < 2)
    return { scaling: null, scalingReason: 'fewer than two levels were measured' }
  const called = (scaling: Scaling): ReturnType<typeof fitScaling> => ({ scaling, scalingReason: null })
  const peak = sorted.reduce((best, point) => (point.perSecond > best.perSecond ? point : best))
  const error = 2 * Math.hypot(peak.relativeError, last.relativeError)
  if (1 - last.perSecond / peak.perSecond > Math.max(thrashingFall, error)) return called('thrashing')
  const gain = peak.perSecond / first.perSecond
  if (gain < serialisedGain) {
    const maxGain = gain * (1 + 2 * Math.hypot(peak.relativeError, first.relativeError))
    return maxGain < certainGain
      ? called('serialised')
      : { scaling: null, scalingReason: 'too few requests were sent to separate one at a time from two' }
  }
  return called(gain >= scalingShare * last.inFlight ? 'scaling' : 'levelling')
}

/** Texts of each recording alone by utterance id; several if an engine's answers vary. */
export type TextsAlone = ReadonlyMap<string, readonly string[]>

/** @param samples of requests that were alone */
export function textsAlone(samples: readonly LevelSample[]): TextsAlone {
  const texts = new Map<string, string[]>()
  for (const { utteranceId, text } of samples) {
    if (text === null) continue
    const earlier = texts.get(utteranceId) ?? []
    if (!earlier.includes(text)) texts.set(utteranceId, [...earlier, text])
  }
  return texts
}

function judgeSweepLevel(
  { inFlight, turns, serverCpuSeconds, peakResidentBytes }: SweepInput,
  alone: TextsAlone,
  countErrors: CountErrors,
  seed: number,
) {
  const samples = turns.flat()
  const audioSeconds = samples.reduce((sum, sample) => sum + (sample.isAnswered ? sample.audioSeconds : 0), 0)
  return {
    inFlight,
    steady: steadyTurns(turns, skipShare),
    relativeError: throughputError(turns),
    accuracy: compareTexts(samples, alone, countErrors, seed),
    cpuSecondsPerAudioSecond:
      serverCpuSeconds === null || audioSeconds === 0 ? null : serverCpuSeconds / audioSeconds,
    peakResidentBytes,
  }
}

/**
 * Compares the texts of samples with those of the same recordings alone.
 *
 * @returns `differing` counts texts that the recording did not give alone, and `emptied` those of them without a
 * word; `difference` is in points of the error rate against the recordings alone, null if nothing is scored
 */
export function compareTexts(
  samples: readonly LevelSample[],
  alone: TextsAlone,
  countErrors: CountErrors,
  seed: number,
) {
  let [compared, differing, emptied, failed] = [0, 0, 0, 0]
  const terms = new Map<string, PairedRatioTerm>()
  for (const { utteranceId, text, isAnswered } of samples) {
    if (!isAnswered || text === null) {
      failed += 1
      continue
    }
    const singleTexts = alone.get(utteranceId)
    if (singleTexts === undefined) continue
    compared += 1
    if (!singleTexts.includes(text)) {
      differing += 1
      if (text.trim() === '') emptied += 1
    }
    const [single] = singleTexts
    const base = single === undefined ? null : countErrors.count(utteranceId, single)
    const run = countErrors.count(utteranceId, text)
    if (base === null || run === null) continue
    // Repetitions of one recording are one unit.
    const sum = terms.get(utteranceId)
    terms.set(utteranceId, { base: addTerm(sum?.base, base), run: addTerm(sum?.run, run) })
  }
  const scored = [...terms.values()]
  const random = seededRandom(seed)
  const { estimate, interval } = pairedBootstrap(scored, { random, replicates: 2_000 })
  const errorRate = ratioOfSums(scored.map(({ run }) => run))
  const difference = estimate === null ? null : { estimate, interval }
  return { compared, differing, emptied, failed, errorRate, difference }
}

function addTerm(sum: PairedRatioTerm['base'] | undefined, { errors, length }: CountedErrors) {
  return { numerator: (sum?.numerator ?? 0) + errors, denominator: (sum?.denominator ?? 0) + length }
}

/** Relative standard error of the throughput, from the spread between parts of its turns. */
function throughputError(turns: readonly Turn[]): number {
  const ofEach = Math.ceil(parts / turns.length)
  const rates = turns.flatMap((samples) => {
    const fromMs = skipShare * lastEndMs(samples)
    const ended = samples
      .filter(({ endedAtMs, isAnswered }) => isAnswered && endedAtMs >= fromMs)
      .map(({ endedAtMs }) => endedAtMs)
      .sort((a, b) => a - b)
    const size = Math.floor((ended.length - 1) / ofEach)
    if (size < 1) return []
    return Array.from({ length: ofEach }, (_, part) => {
      const spanMs = (ended[(part + 1) * size] ?? 0) - (ended[part * size] ?? 0)
      return spanMs > 0 ? size / spanMs : 0
    })
  })
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  // With too few parts the error is unknown, so it is set to 100 %.
  if (rates.length < 2 || mean === 0) return 1
  const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (rates.length - 1)
  return Math.sqrt(variance / rates.length) / mean
}

/** Throughput at a number of requests in flight, with its error. */
export interface ThroughputPoint {
  readonly inFlight: number
  readonly perSecond: number
  /** Standard error divided by the throughput; 0 without variation. */
  readonly relativeError: number
}

/**
 * Gunther's universal scalability law, X(N) = g·N / (1 + s·(N - 1) + k·N·(N - 1)).
 *
 *   X ┤       ╭──╮          g   throughput with one request in flight
 *     │    ╭──╯  ╰──╮       s   serial share of the work
 *     │  ╭─╯        ╰─      k   crosstalk between requests: above 0 there is a peak, at √((1-s)/k)
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
  /** The number in flight with the highest throughput, or why none is given. */
  readonly peak:
    | { readonly seen: true; readonly inFlight: number; readonly interval: Bounds }
    | { readonly seen: false; readonly reason: string }
}

/** Minimum number of levels for a law of three coefficients. */
const fewestLevels = 3
/** Minimum number of levels for a peak, which must have levels on both sides. */
const fewestLevelsOfPeak = 5
/** Maximum multiple of the largest tested number to which the law is extrapolated. */
const farthest = 2
const replicates = 1_000

/**
 * Fits the law by weighted non-negative least squares on its linear form, N/X = 1/g + (s/g)(N-1) + (k/g)N(N-1). The
 * weights make relative errors count alike; intervals come from a parametric bootstrap of the levels.
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
  const crosstalkInterval = findInterval(laws.map((each) => each.crosstalk))
  const serialShareInterval = findInterval(laws.map((each) => each.serialShare))
  return { law, serialShareInterval, crosstalkInterval, peak: findPeak(points, law, laws, crosstalkInterval) }
}

/** Requests per second by the law at a number in flight. */
export function throughputAt(
  { perSecondAlone, serialShare, crosstalk }: ScalabilityLaw,
  inFlight: number,
): number {
  return (
    (perSecondAlone * inFlight) / (1 + serialShare * (inFlight - 1) + crosstalk * inFlight * (inFlight - 1))
  )
}

function findPeak(
  points: readonly ThroughputPoint[],
  law: ScalabilityLaw,
  laws: readonly ScalabilityLaw[],
  crosstalk: Bounds,
): ScalabilityFit['peak'] {
  const levels = points.map((point) => point.inFlight).sort((a, b) => a - b)
  const largest = levels.at(-1) ?? 0
  const unseen = (reason: string) => ({ seen: false, reason }) as const
  if (levels.length < fewestLevelsOfPeak)
    return unseen(`${levels.length} levels were measured; a peak takes ${fewestLevelsOfPeak}`)
  if (!(crosstalk.low > 0))
    return unseen(`no peak was seen up to ${largest} in flight: throughput does not fall`)
  const inFlight = peakInFlight(law)
  if (inFlight > farthest * largest)
    return unseen(`the peak lies beyond ${farthest * largest}, twice the most that was tested`)
  if (inFlight > largest)
    return unseen(`throughput still rose at ${largest} in flight, the most that was tested`)
  return { seen: true, inFlight, interval: findInterval(laws.map(peakInFlight)) }
}

function peakInFlight({ serialShare, crosstalk }: ScalabilityLaw): number {
  return crosstalk > 0
    ? Math.max(1, Math.sqrt(Math.max(0, 1 - serialShare) / crosstalk))
    : Number.POSITIVE_INFINITY
}

/** Tries all four sets of coefficients that may be positive, so the best one is exact. */
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

/** Solves the normal equations by elimination; null without a unique solution. */
function leastSquares(points: readonly ThroughputPoint[], columns: (n: number) => number[]): number[] | null {
  const size = columns(1).length
  const rows = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0))
  for (const { inFlight, perSecond } of points) {
    const values = columns(inFlight)
    const y = inFlight / perSecond
    for (const [i, row] of rows.entries()) {
      const weighted = (values[i] ?? 0) / y ** 2
      for (const [j, value] of values.entries()) row[j] = (row[j] ?? 0) + weighted * value
      row[size] = (row[size] ?? 0) + weighted * y
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

function findInterval(values: readonly number[]): Bounds {
  const sorted = sortSamples(values.map((value) => Math.min(value, Number.MAX_SAFE_INTEGER)))
  return { low: quantile(sorted, 0.025) ?? 0, high: quantile(sorted, 0.975) ?? 0 }
}

/** A standard normal variate. Box and Muller 1958, doi:10.1214/aoms/1177706645. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit())
}
