import { type Random, seededRandom } from '#prelude'
import { type PairedRatioTerm, pairedBootstrap, ratioOfSums } from '#statistics/bootstrap'
import type { Bounds } from '#statistics/bounds'
import { quantile, sortSamples } from '#statistics/quantiles'
import type { CountedUnit, Scaling } from './found-loads.ts'
import { type LevelSample, lastEndMs, steadyTurns, type Turn } from './loaded-server.ts'

/** One level of a sweep: so many in flight, and what the server used for it. */
export interface SweepInput {
  readonly inFlight: number
  readonly turns: readonly Turn[]
  /** Of the server's process and its children; null where they cannot be seen. */
  readonly serverCpuSeconds: number | null
  readonly peakResidentBytes: number | null
}

interface CountedErrors {
  /** In the unit that leads. */
  readonly errors: number
  /** Of the reference, in the same unit. */
  readonly length: number
  /** Words, whatever leads: prices are of words. */
  readonly correctWords: number
}

/** Errors of one text against its reference; null where there is no reference. */
export interface CountErrors {
  readonly leads: CountedUnit
  count(utteranceId: string, text: string): CountedErrors | null
}

/** How the texts of a level differ from those of the same recordings alone. */
export type LevelAccuracy = ReturnType<typeof compareTexts>

export interface Sweep {
  /** What the error rates of the levels are of. */
  readonly leads: CountedUnit
  readonly levels: readonly ReturnType<typeof judgeSweepLevel>[]
  /** c_eff = X_max · S_1: how many requests it really works on at once. */
  readonly effectiveServers: number | null
  readonly scalability: ScalabilityFit | null
  readonly scaling: Scaling | null
  /** Why there is no word for it; null where there is. */
  readonly scalingReason: string | null
}

/** Left out at the start of every turn, while it gets going, as a share of it. */
const skipShare = 0.1
/** Less gain than this from any number in flight is none. */
const serialisedGain = 1.25
/** Of a server that works on two at once, throughput gains more than this for certain. */
const certainGain = 1.6
/** A fall from the peak to the largest number in flight that is more than this is no chance. */
const thrashingFall = 0.1
/** A gain of this part of what was put in is scaling. */
const scalingShare = 0.75
/** Parts of a level whose throughputs say how well the whole is known. */
const parts = 8

/**
 * Judges a sweep of numbers in flight, the first of them 1.
 *
 * @param busyBecause why the machine, and not the server, may have been the limit; null where it was not
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
  const most = Math.max(...points.map(({ perSecond }) => perSecond))
  return {
    leads: countErrors.leads,
    levels,
    effectiveServers: single === null || points.length === 0 ? null : (most * single.meanServiceMs) / 1000,
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
    const most = gain * (1 + 2 * Math.hypot(peak.relativeError, first.relativeError))
    return most < certainGain
      ? called('serialised')
      : { scaling: null, scalingReason: 'too few requests were sent to separate one at a time from two' }
  }
  return called(gain >= scalingShare * last.inFlight ? 'scaling' : 'levelling')
}

/** By utterance id, every text that it gave alone: an engine may answer in more than one way. */
export type TextsAlone = ReadonlyMap<string, readonly string[]>

/** @param samples of requests that were alone */
export function textsAlone(samples: readonly LevelSample[]): TextsAlone {
  const texts = new Map<string, string[]>()
  for (const { utteranceId, text } of samples) {
    if (text === null) continue
    const known = texts.get(utteranceId) ?? []
    if (!known.includes(text)) texts.set(utteranceId, [...known, text])
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
 * Holds the texts of samples against those that the same recordings gave alone.
 *
 * @returns `differing` counts texts that are not the one, or one of those, that the recording gave alone, and `emptied` those of them
 *   without a word; `difference` is against the recordings alone, in points of the rate, and null where nothing is scored
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
    const own = alone.get(utteranceId)
    if (own === undefined) continue
    compared += 1
    if (!own.includes(text)) {
      differing += 1
      if (text.trim() === '') emptied += 1
    }
    const [single] = own
    const base = single === undefined ? null : countErrors.count(utteranceId, single)
    const run = countErrors.count(utteranceId, text)
    if (base === null || run === null) continue
    // One recording is one unit, however often it was sent.
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

/** Standard error of the throughput over itself, from the spread of the parts of its turns. */
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
  // Too few show nothing: it may be off by all of it.
  if (rates.length < 2 || mean === 0) return 1
  const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (rates.length - 1)
  return Math.sqrt(variance / rates.length) / mean
}

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
  const crosstalkInterval = findInterval(laws.map((each) => each.crosstalk))
  const serialShareInterval = findInterval(laws.map((each) => each.serialShare))
  return { law, serialShareInterval, crosstalkInterval, peak: findPeak(points, law, laws, crosstalkInterval) }
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

function findInterval(values: readonly number[]): Bounds {
  const sorted = sortSamples(values.map((value) => Math.min(value, Number.MAX_SAFE_INTEGER)))
  return { low: quantile(sorted, 0.025) ?? 0, high: quantile(sorted, 0.975) ?? 0 }
}

/** Box and Muller 1958, doi:10.1214/aoms/1177706645. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit())
}
