import { seededRandom } from '#prelude'
import { mapBounds } from '#statistics/bounds'
import { mean } from '#statistics/quantiles'
import { mannWhitneyTest, ratioShift } from '#statistics/tests/mann-whitney'
import {
  type ContenderComparison,
  type DurationComparison,
  type LatencyDistribution,
  type SpeedComparison,
  type SpeedMetric,
  speedMetrics,
} from '../documents/contender-comparison.ts'
import type { Crossover } from '../documents/speed.ts'
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
import type { LatencySample } from '../figures/latency/latency-line.ts'
import type { Claim } from '../figures/ranking/ranking.ts'
import type { Margins, Spreads } from '../figures/speed/calibration.ts'
import { runDifference } from '../figures/speed/run-difference.ts'
import { likeProcessorTime } from '../figures/speed/speed-differences.ts'
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
  /** What a calibration of this host and target has measured. */
  readonly spreads: Spreads
  /** The number of runs was not fixed beforehand. */
  readonly isSequential: boolean
  /** Why speeds are not comparable, for example another machine; null where they are. */
  readonly withheld: string | null
  /** Why no run has speeds that are comparable; null where one has. Then not even a change is shown. */
  readonly unusable: string | null
  /** The sides ran with different numbers of threads, which trade processor time for time. */
  readonly areThreadsDifferent: boolean
  /** Both sides were asked for the same audio, all of it. */
  readonly isSameAudio: boolean
}

interface SpeedRule {
  readonly unit: SpeedComparison['unit']
  readonly better: Claim['better']
  /** Whether the figure is of all that a run answered, and not of the utterances of both sides alone. */
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

/** In the place of a verdict on a speed. */
export const oneRunNote = 'descriptive only'

/** A percentile over longer recordings is another one, however fast both sides are. */
const otherAudio = incomparable('other utterances')

/** Speeds of two sets of runs, each figure as the mean logarithm of its runs. */
export function draftSpeeds(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
  context: SpeedContext,
): readonly Draft<SpeedComparison>[] {
  const left = base.map(runFigures)
  const right = run.map(runFigures)
  const processorTime = context.areThreadsDifferent ? null : processorTimeRatio(base, run)
  return speedMetrics.map((metric) => {
    const [before, after] = [left.map((figures) => figures[metric]), right.map((figures) => figures[metric])]
    return {
      ...draftSpeed(metric, before, after, context),
      contradiction: (verdict) => describeContradiction(verdict, processorTime),
    }
  })
}

/** Processor time for a second of audio that says the opposite of a verdict; null where it does not. */
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
  const [left, right] = [takeLogs(base), takeLogs(run)]
  const row = {
    metric,
    unit,
    base: left === null ? null : Math.exp(mean(left)),
    run: right === null ? null : Math.exp(mean(right)),
    relativeChange: null,
    interval: null,
    basis: null,
    margin,
    ranks: null,
    reason: explainAbsence('base', base) ?? explainAbsence('run', run),
    note: withheld,
    ...unjudged,
  }
  if (left === null || right === null) return { row, claim: null }
  const difference = runDifference(left, right, spreads[metric] ?? null, isSequential)
  if (unusable !== null) return { row, claim: null }
  const measured = { ...row, relativeChange: Math.expm1(difference.estimate) }
  if (withheld !== null) return { row: measured, claim: null }
  const intervalAt: Claim['intervalAt'] = (confidence) =>
    mapBounds(difference.intervalAt(confidence), Math.expm1)
  const interval = intervalAt(0.95)
  const runs = Math.min(left.length, right.length)
  const ranks = runs === 1 || isSequential ? null : rankedDifference(base, run)
  const tested = { ...measured, interval, basis: interval === null ? null : difference.basis, ranks }
  if (Math.max(left.length, right.length) < runsToDecide) {
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
  const [left, right] = [base, run].map((side) => side.filter((figure) => typeof figure === 'number'))
  const shift = ratioShift(left ?? [], right ?? [])
  const test = mannWhitneyTest(left ?? [], right ?? [])
  if (shift === null || test === null) return null
  const { ratio, interval } = shift
  return {
    relativeChange: ratio - 1,
    interval: mapBounds(interval, (ratio) => ratio - 1),
    pValue: test.pValue,
    delta: test.delta,
  }
}

/** Null as soon as one run has no figure. */
function takeLogs(figures: readonly RunFigure[]): readonly number[] | null {
  const known = figures.filter((figure) => typeof figure === 'number')
  return known.length === figures.length && known.length > 0 ? known.map(Math.log) : null
}

function explainAbsence(side: 'base' | 'run', figures: readonly RunFigure[]): string | null {
  const absent = figures.find((figure) => typeof figure !== 'number')
  return absent === undefined ? null : `${side} ${absent.reason}`
}

/** Percentiles of both sides for requests of about the same length, the shortest first. */
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
    const [ours, theirs] = [percentilesOf(samples), percentilesOf(after.get(bucket) ?? [])]
    return {
      bucket,
      utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
      baseP50Ms: ours.p50.value,
      runP50Ms: theirs.p50.value,
      baseP95Ms: ours.p95.value,
      runP95Ms: theirs.p95.value,
    }
  })
}

/** Enough to see the shape of a model or a percentile; beyond, requests are drawn. */
const mostSamples = 20_000

/** The requests of several runs together, thinned by a seeded draw where there are very many. */
function pooledSamples(runs: readonly ContenderRun[], seed: number): readonly LatencySample[] {
  const all = runs.flatMap(({ samples }) => samples)
  if (all.length <= mostSamples) return all
  const places = seededRandom(seed).shuffled(Array.from({ length: all.length }, (_, place) => place))
  return places.slice(0, mostSamples).map((place) => all.at(place) as LatencySample)
}

/**
 * Where the fitted latencies of two sides cross. With fewer runs a side than decide on a speed it is not said, and with more
 * it has to hold over the spread between pairs of runs.
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

/** Each utterance in each pair of runs, in the order of time. */
function pairedLatencies(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
): readonly PairedLatency[] {
  return base.flatMap(({ samples }, unit) => {
    const other = run[unit]
    if (other === undefined) return []
    const [ours, theirs] = [logLatencies(samples), logLatencies(other.samples)]
    const lengths = new Map(samples.map(({ utteranceId, audioSeconds }) => [utteranceId, audioSeconds]))
    return [...ours].flatMap(([id, log]) => {
      const [after, audioSeconds] = [theirs.get(id), lengths.get(id)]
      if (after === undefined || audioSeconds === undefined) return []
      return [{ unit, audioSeconds, logRatio: after - log }]
    })
  })
}

/** The latencies of one side, in a hundred steps. */
export function latencyDistribution(runs: readonly ContenderRun[]): LatencyDistribution {
  const all = listLatencies(runs.flatMap(({ samples }) => samples))
  return { count: all.length, quantilesMs: latencyQuantilesMs(all) }
}

/** A tail that became slow while the middle did not. */
export interface SlowTail {
  /** Relative changes. */
  readonly p50Change: number
  readonly p95Change: number
  readonly isJudged: boolean
}

/** The slowest change by so much more than the middle, where there is a tail. */
const clearlyMore = 0.25

/**
 * p50 within its margin, p95 a quarter slower or more, beyond what so few requests differ by.
 *
 * @returns null where there is none, where speeds are not compared, or where the p95 has a verdict that denies it
 */
export function slowTail({ speed, speedsWithheld, latencies }: ContenderComparison): SlowTail | null {
  const of = (wanted: SpeedComparison['metric']): SpeedComparison | undefined =>
    speed.find(({ metric }) => metric === wanted)
  const [middle, tail] = [of('latency.p50'), of('latency.p95')]
  const [p50Change, p95Change] = [middle?.relativeChange ?? null, tail?.relativeChange ?? null]
  if (speedsWithheld !== null || tail === undefined || p50Change === null || p95Change === null) return null
  const isDenied = tail.verdict !== null && tail.verdict !== 'worse' && tail.direction !== 'worse'
  if (isDenied || Math.abs(p50Change) > (middle?.margin ?? 0) || p95Change < clearlyMore) return null
  return isApart(latencies) ? { p50Change, p95Change, isJudged: tail.verdict === 'worse' } : null
}

/** Whether the p95 of the run lies above that of the base by more than the ranks of so many requests leave open (95 %). */
function isApart({ base, run }: ContenderComparison['latencies']): boolean {
  const at = ({ count, quantilesMs }: LatencyDistribution, sign: number): number => {
    const share = 0.95 + sign * 1.96 * Math.sqrt((0.95 * 0.05) / count)
    return quantilesMs[Math.round(Math.min(1, share) * 100)] ?? Number.NaN
  }
  return at(run, -1) > at(base, 1)
}
