import { seededRandom } from '#prelude'
import { type Bounds, type PairedRatioTerm, pairedBootstrapDifference, ratioOfSums } from '#statistics'
import type { CountedUnit, Scaling } from '../document/found-sweep.ts'
import type { LevelSample } from '../simulation/loaded-server.ts'
import { fitScalability, type ScalabilityFit, type ThroughputPoint } from '../simulation/scalability.ts'
import { lastEndMs, type SteadyPart, steadyTurns, type Turn } from './ceiling.ts'

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
export interface LevelAccuracy {
  readonly compared: number
  /** Texts that are not the one, or one of those, that the recording gave alone. */
  readonly differing: number
  /** Of the differing ones, those that are the text of another recording. */
  readonly crossed: number
  /** Of the differing ones, those without a word. */
  readonly emptied: number
  readonly failed: number
  readonly errorRate: number | null
  /** Against the recordings alone, in points of the rate; null where nothing is scored. */
  readonly difference: { readonly estimate: number; readonly interval: Bounds | null } | null
}

export interface SweepLevel {
  readonly inFlight: number
  readonly steady: SteadyPart | null
  readonly relativeError: number
  readonly accuracy: LevelAccuracy
  readonly cpuSecondsPerAudioSecond: number | null
  readonly peakResidentBytes: number | null
}

export interface Sweep {
  /** What the error rates of the levels are of. */
  readonly leads: CountedUnit
  readonly levels: readonly SweepLevel[]
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
    ...(busyBecause === null ? scalingOf(points) : { scaling: null, scalingReason: busyBecause }),
  }
}

function scalingOf(points: readonly ThroughputPoint[]): Pick<Sweep, 'scaling' | 'scalingReason'> {
  const sorted = points.toSorted((a, b) => a.inFlight - b.inFlight)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined || first.inFlight !== 1 || sorted.length < 2)
    return { scaling: null, scalingReason: 'fewer than two levels were measured' }
  const called = (scaling: Scaling): ReturnType<typeof scalingOf> => ({ scaling, scalingReason: null })
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
): SweepLevel {
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

/** Holds the texts of samples against those that the same recordings gave alone. */
export function compareTexts(
  samples: readonly LevelSample[],
  alone: TextsAlone,
  countErrors: CountErrors,
  seed: number,
): LevelAccuracy {
  let [compared, differing, crossed, emptied, failed] = [0, 0, 0, 0, 0]
  const known = new Set([...alone.values()].flat())
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
      else if (known.has(text)) crossed += 1
    }
    const [single] = own
    const base = single === undefined ? null : countErrors.count(utteranceId, single)
    const run = countErrors.count(utteranceId, text)
    if (base === null || run === null) continue
    // One recording is one unit, however often it was sent.
    const sum = terms.get(utteranceId)
    terms.set(utteranceId, {
      base: addTerm(sum?.base, base),
      run: addTerm(sum?.run, run),
    })
  }
  const scored = [...terms.values()]
  const difference = pairedBootstrapDifference(scored, { random: seededRandom(seed), replicates: 2_000 })
  return {
    compared,
    differing,
    crossed,
    emptied,
    failed,
    errorRate: ratioOfSums(scored.map(({ run }) => run)),
    difference:
      difference.estimate === null ? null : { estimate: difference.estimate, interval: difference.interval },
  }
}

function addTerm(
  sum: { readonly numerator: number; readonly denominator: number } | undefined,
  { errors, length }: CountedErrors,
): { readonly numerator: number; readonly denominator: number } {
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
