import { seededRandom } from '#prelude'
import { mapBounds } from '#statistics/bounds'
import { mean } from '#statistics/quantiles'
import { mannWhitneyTest, ratioShift } from '#statistics/tests/mann-whitney'
import {
  type ContenderComparison,
  comparedSpeeds,
  type DurationComparison,
  type LatencyDistribution,
  type SpeedComparison,
  type SpeedMetric,
} from '../documents/contender-comparison.ts'
import type { Crossover } from '../documents/latency.ts'
import {
  confirmedCrossover,
  findCrossover,
  type PairedLatency,
} from '../figures/latency/latency-crossover.ts'
import {
  byDuration,
  latencyQuantilesMs,
  listLatencies,
  percentileSet,
} from '../figures/latency/latency-figures.ts'
import type { Claim } from '../figures/ranking/claims.ts'
import type { Spreads } from '../figures/speed/calibration.ts'
import type { Margins } from '../figures/speed/margins.ts'
import { runDifference } from '../figures/speed/run-difference.ts'
import { likeProcessorTime } from '../figures/speed/speed-differences.ts'
import type { LatencySample } from '../requests/request-times.ts'
import {
  type ContenderRun,
  incomparable,
  logLatencies,
  processorTimeRatio,
  type RunFigure,
  runFigures,
  runsToDecide,
} from './run-speeds.ts'
import { type Draft, unjudged } from './verdicts.ts'

export interface SpeedContext {
  readonly margins: Margins
  /** Spreads from a calibration of this host and target. */
  readonly spreads: Spreads
  /** True if the number of runs was not fixed beforehand. */
  readonly isSequential: boolean
  /** Why speeds are not comparable, for example another machine; null where they are. */
  readonly withheld: string | null
  /** Why no run has comparable speeds; null where one has. Without any, no change is shown either. */
  readonly unusable: string | null
  /** True if the sides ran with different numbers of threads, which exchange processor time for latency. */
  readonly areThreadsDifferent: boolean
  /** True if both sides got the same audio, all of it. */
  readonly isSameAudio: boolean
}

interface SpeedRule {
  readonly unit: SpeedComparison['unit']
  readonly better: Claim['better']
  /** True for a figure of all answers of a run, false for one of the utterances that both sides answered. */
  readonly isOfAll: boolean
}

const rules: Readonly<Record<SpeedMetric, SpeedRule>> = {
  latency: { unit: 'ms', better: 'lower', isOfAll: false },
  'latency.p50': { unit: 'ms', better: 'lower', isOfAll: true },
  'latency.p95': { unit: 'ms', better: 'lower', isOfAll: true },
  'latency.fixed': { unit: 'ms', better: 'lower', isOfAll: false },
  'latency.slope': { unit: 'ms/s', better: 'lower', isOfAll: false },
  rtfx: { unit: 'x', better: 'higher', isOfAll: true },
}

/** Note in place of a verdict on a speed, with one run per side. */
export const oneRunNote = 'descriptive only'

/** Recordings of other lengths have other percentiles, at equal speed of both sides. */
const otherAudio = incomparable('other utterances')

/** Compares the speeds of two sets of runs; each figure is the mean logarithm of its runs. */
export function draftSpeeds(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
  context: SpeedContext,
): readonly Draft<SpeedComparison>[] {
  const figuresOfBase = base.map(runFigures)
  const figuresOfRun = run.map(runFigures)
  const processorTime = context.areThreadsDifferent ? null : processorTimeRatio(base, run)
  return comparedSpeeds.map((metric) => {
    const [before, after] = [
      figuresOfBase.map((figures) => figures[metric]),
      figuresOfRun.map((figures) => figures[metric]),
    ]
    return {
      ...draftSpeed(metric, before, after, context),
      contradiction: (verdict) => describeContradiction(verdict, processorTime),
    }
  })
}

/** Describes processor time per second of audio that contradicts a verdict; null where it does not. */
function describeContradiction(verdict: 'better' | 'worse', processorTime: number | null): string | null {
  if (processorTime === null) return null
  const isOpposite =
    verdict === 'better' ? processorTime > likeProcessorTime : processorTime < 1 / likeProcessorTime
  if (!isOpposite) return null
  const change = (Math.abs(processorTime - 1) * 100).toFixed(1)
  return `processor time says the opposite: ${change}% ${processorTime > 1 ? 'more' : 'less'}`
}

function draftSpeed(
  metric: SpeedMetric,
  base: readonly RunFigure[],
  run: readonly RunFigure[],
  { margins, spreads, isSequential, isSameAudio, unusable, ...context }: SpeedContext,
): Draft<SpeedComparison> {
  const { unit, better, isOfAll } = rules[metric]
  const withheld = unusable ?? context.withheld ?? (isOfAll && !isSameAudio ? otherAudio : null)
  const margin = margins.speed
  const [baseLogs, runLogs] = [takeLogs(base), takeLogs(run)]
  const row = {
    metric,
    unit,
    base: baseLogs === null ? null : Math.exp(mean(baseLogs)),
    run: runLogs === null ? null : Math.exp(mean(runLogs)),
    relativeChange: null,
    interval: null,
    basis: null,
    margin,
    ranks: null,
    reason: explainAbsence('base', base) ?? explainAbsence('run', run),
    note: withheld,
    ...unjudged,
  }
  if (baseLogs === null || runLogs === null) return { row, claim: null }
  const difference = runDifference(baseLogs, runLogs, spreads[metric] ?? null, isSequential)
  if (unusable !== null) return { row, claim: null }
  const measured = { ...row, relativeChange: Math.expm1(difference.estimate) }
  if (withheld !== null) return { row: measured, claim: null }
  const intervalAt: Claim['intervalAt'] = (confidence) =>
    mapBounds(difference.intervalAt(confidence), Math.expm1)
  const interval = intervalAt(0.95)
  const runs = Math.min(baseLogs.length, runLogs.length)
  const ranks = runs === 1 || isSequential ? null : rankedDifference(base, run)
  const tested = { ...measured, interval, basis: interval === null ? null : difference.basis, ranks }
  if (Math.max(baseLogs.length, runLogs.length) < runsToDecide) {
    const note = runs === 1 ? oneRunNote : `descriptive only: ${runsToDecide} runs a side decide`
    return { row: { ...tested, note }, claim: null }
  }
  const { relativeChange: estimate } = measured
  return {
    row: tested,
    claim: { better, margin, intervalAt, canDecideAt: () => true, estimate, count: runs },
  }
}

function rankedDifference(base: readonly RunFigure[], run: readonly RunFigure[]): SpeedComparison['ranks'] {
  const [baseValues, runValues] = [base, run].map((side) =>
    side.filter((figure) => typeof figure === 'number'),
  )
  const shift = ratioShift(baseValues ?? [], runValues ?? [])
  const test = mannWhitneyTest(baseValues ?? [], runValues ?? [])
  if (shift === null || test === null) return null
  const { ratio, interval } = shift
  return {
    relativeChange: ratio - 1,
    interval: mapBounds(interval, (ratio) => ratio - 1),
    pValue: test.pValue,
    delta: test.delta,
  }
}

/** Returns null if any run lacks the figure. */
function takeLogs(figures: readonly RunFigure[]): readonly number[] | null {
  const values = figures.filter((figure) => typeof figure === 'number')
  return values.length === figures.length && values.length > 0 ? values.map(Math.log) : null
}

function explainAbsence(side: 'base' | 'run', figures: readonly RunFigure[]): string | null {
  const absent = figures.find((figure) => typeof figure !== 'number')
  return absent === undefined ? null : `${side} ${absent.reason}`
}

/** Returns percentiles of both sides for requests of similar length, the shortest first. */
export function compareDurations(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
): readonly DurationComparison[] {
  const poolOf = (side: readonly ContenderRun[]): readonly LatencySample[] =>
    side.flatMap(({ samples }) => samples)
  const after = new Map(byDuration(poolOf(run)).map(({ bucket, samples }) => [bucket, samples]))
  const percentilesOf = (samples: readonly LatencySample[]): ReturnType<typeof percentileSet> =>
    percentileSet(listLatencies(samples))
  return byDuration(poolOf(base)).map(({ bucket, samples }) => {
    const [basePercentiles, runPercentiles] = [percentilesOf(samples), percentilesOf(after.get(bucket) ?? [])]
    return {
      bucket,
      utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
      baseP50Ms: basePercentiles.p50.value,
      runP50Ms: runPercentiles.p50.value,
      baseP95Ms: basePercentiles.p95.value,
      runP95Ms: runPercentiles.p95.value,
    }
  })
}

/** Max number of requests for a model or a percentile; beyond it they are sampled. */
const maxSamples = 20_000

/** Pools the requests of several runs, randomly sampled with a seed where there are very many. */
function pooledSamples(runs: readonly ContenderRun[], seed: number): readonly LatencySample[] {
  const all = runs.flatMap(({ samples }) => samples)
  if (all.length <= maxSamples) return all
  const indexes = seededRandom(seed).shuffled(Array.from({ length: all.length }, (_, index) => index))
  return indexes.slice(0, maxSamples).map((index) => all.at(index) as LatencySample)
}

/**
 * Finds where the fitted latencies of two sides cross. It needs the number of runs per side that decides on a speed,
 * and must hold over the spread between pairs of runs.
 */
export function crossoverOfRuns(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
  { seed, withheld }: { readonly seed: number; readonly withheld: string | null },
): Crossover {
  if (withheld !== null) return { kind: 'unresolved', reason: withheld }
  if (Math.min(base.length, run.length) < runsToDecide) {
    return { kind: 'unresolved', reason: `needs ${runsToDecide} runs a side` }
  }
  const found = findCrossover(pooledSamples(base, seed), pooledSamples(run, seed))
  return confirmedCrossover(found, pairedLatencies(base, run), { fewest: runsToDecide, unitName: 'runs' })
}

/** Pairs the latencies of each utterance in each pair of runs, in order of time. */
function pairedLatencies(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
): readonly PairedLatency[] {
  return base.flatMap(({ samples }, unit) => {
    const other = run[unit]
    if (other === undefined) return []
    const [baseLogs, runLogs] = [logLatencies(samples), logLatencies(other.samples)]
    const lengths = new Map(samples.map(({ utteranceId, audioSeconds }) => [utteranceId, audioSeconds]))
    return [...baseLogs].flatMap(([id, log]) => {
      const [after, audioSeconds] = [runLogs.get(id), lengths.get(id)]
      if (after === undefined || audioSeconds === undefined) return []
      return [{ unit, audioSeconds, logRatio: after - log }]
    })
  })
}

/** Returns the latency distribution of one side, as quantiles at hundredths. */
export function latencyDistribution(runs: readonly ContenderRun[]): LatencyDistribution {
  const all = listLatencies(runs.flatMap(({ samples }) => samples))
  return { count: all.length, quantilesMs: latencyQuantilesMs(all) }
}

/** A tail that became slower while the median did not. */
export interface SlowTail {
  /** Relative change of p50; `p95Change` is that of p95. */
  readonly p50Change: number
  readonly p95Change: number
  readonly isJudged: boolean
}

/** Min relative change of p95, for a tail that is slower. */
const clearlyMore = 0.25

/**
 * Detects a p50 within its margin with a p95 that is at least 25 % slower, beyond the noise of this number of
 * requests.
 *
 * @returns null where there is none, where speeds are not compared, or where the verdict of p95 contradicts it
 */
export function slowTail({ speed, speedsWithheld, latencies }: ContenderComparison): SlowTail | null {
  const of = (name: SpeedComparison['metric']): SpeedComparison | undefined =>
    speed.find(({ metric }) => metric === name)
  const [middle, tail] = [of('latency.p50'), of('latency.p95')]
  const [p50Change, p95Change] = [middle?.relativeChange ?? null, tail?.relativeChange ?? null]
  if (speedsWithheld !== null || tail === undefined || p50Change === null || p95Change === null) return null
  const isDenied = tail.verdict !== null && tail.verdict !== 'worse' && tail.direction !== 'worse'
  if (isDenied || Math.abs(p50Change) > (middle?.margin ?? 0) || p95Change < clearlyMore) return null
  return isApart(latencies) ? { p50Change, p95Change, isJudged: tail.verdict === 'worse' } : null
}

/** Whether the p95 of the run exceeds the base's by more than the 95 % rank intervals of both. */
function isApart({ base, run }: ContenderComparison['latencies']): boolean {
  const at = ({ count, quantilesMs }: LatencyDistribution, sign: number): number => {
    const share = 0.95 + sign * 1.96 * Math.sqrt((0.95 * 0.05) / count)
    return quantilesMs[Math.round(Math.min(1, share) * 100)] ?? Number.NaN
  }
  return at(run, -1) > at(base, 1)
}
