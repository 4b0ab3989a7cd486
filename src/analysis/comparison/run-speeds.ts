import { mean } from '#statistics/quantiles'
import type { SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import { fitLine } from '../figures/latency/latency-line.ts'
import type { LatencySample } from '../requests/request-times.ts'

/** The figures of a run that a comparison uses unchanged. */
export type ComparedFigures = Pick<
  ContenderEvaluation,
  'latencyMs' | 'systemSpeed' | 'cpuSecondsPerAudioSecond'
>

/** One contender in one run: its figures and latencies. */
export interface ContenderRun {
  readonly evaluation: ComparedFigures
  readonly samples: readonly LatencySample[]
  /** Why its speeds are not comparable: an invalid run, or a machine kept busy by others; null where they are. */
  readonly unusable: string | null
}

/** The runs of both sides whose speeds are comparable. */
export interface UsableRuns {
  readonly sides: readonly [readonly ContenderRun[], readonly ContenderRun[]]
  /** Why there are none. The sides then have all given runs. */
  readonly reason: string | null
}

/** Formats why a speed is not compared, in place of its verdict. */
export function incomparable(reason: string): string {
  return `not comparable: ${reason}`
}

/** Whether a note is such a reason: the figures next to it do not show which run is faster. */
export function isIncomparable(note: string | null): note is string {
  return note?.startsWith(incomparable('')) === true
}

/**
 * Excludes invalid runs, as after losing the target, and runs on a busy machine from speeds. With equal numbers of
 * runs, their pair partners are excluded too. The speed of a run plays no part in this.
 */
export function usableRuns(base: readonly ContenderRun[], run: readonly ContenderRun[]): UsableRuns {
  const isUsable = ({ unusable }: ContenderRun): boolean => unusable === null
  const isPaired = base.length === run.length
  const keep = (runs: readonly ContenderRun[], partners: readonly ContenderRun[]): readonly ContenderRun[] =>
    runs.filter((candidate, index) => {
      const partner = partners[index]
      return isUsable(candidate) && (!isPaired || partner === undefined || isUsable(partner))
    })
  const sides = [keep(base, run), keep(run, base)] as const
  if (sides.every(({ length }) => length > 0)) return { sides, reason: null }
  const first = [...base, ...run].find((one) => !isUsable(one))
  return { sides: [base, run], reason: incomparable(first?.unusable ?? 'no run on a side') }
}

/** Processor time per second of audio, run / base, as the mean logarithm of the runs; null if a run lacks it. */
export function processorTimeRatio(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
): number | null {
  const [baseLog, runLog] = [base, run].map((side) => {
    const costs = side.flatMap(({ evaluation: { cpuSecondsPerAudioSecond: cpu } }) => cpu.value ?? [])
    return costs.length === 0 || costs.length < side.length ? null : mean(costs.map(Math.log))
  })
  return baseLog == null || runLog == null ? null : Math.exp(runLog - baseLog)
}

/** Min runs per side for a verdict on a speed. With fewer, runs that all differ in one direction prove nothing. */
export const runsToDecide = 5

/** A positive figure of one run, or the reason why there is none. */
export type RunFigure = number | { readonly reason: string }

/**
 * Restricts the latencies of all runs to the utterances that every run answered.
 *
 * @param matching utterances to compare
 */
export function sharedSamples(
  [base, run]: readonly [readonly ContenderRun[], readonly ContenderRun[]],
  matching: ReadonlySet<string>,
): readonly [readonly ContenderRun[], readonly ContenderRun[]] {
  const answered = [...base, ...run].map(
    ({ samples }) => new Set(samples.map(({ utteranceId }) => utteranceId)),
  )
  const shared = new Set([...matching].filter((id) => answered.every((ids) => ids.has(id))))
  const cut = ({ samples, ...rest }: ContenderRun): ContenderRun => ({
    ...rest,
    samples: samples.filter(({ utteranceId }) => shared.has(utteranceId)),
  })
  return [base.map(cut), run.map(cut)]
}

/** Returns the mean logarithm of latency over the rounds, per utterance. */
export function logLatencies(samples: readonly LatencySample[]): ReadonlyMap<string, number> {
  const byId = Map.groupBy(samples, ({ utteranceId }) => utteranceId)
  return new Map(
    [...byId].map(([id, group]) => [id, mean(group.map(({ latencyMs }) => Math.log(latencyMs)))]),
  )
}

/** Returns the figures of one run that speed comparisons use. */
export function runFigures({ evaluation, samples }: ContenderRun): Readonly<Record<SpeedMetric, RunFigure>> {
  const means = [...logLatencies(samples).values()]
  const line = fitLine(samples)
  const percentile = (name: 'p50' | 'p95'): RunFigure => takeFigure(evaluation.latencyMs[name])
  return {
    latency:
      means.length === 0
        ? { reason: 'has no utterance that was answered on both sides' }
        : Math.exp(mean(means)),
    'latency.p50': percentile('p50'),
    'latency.p95': percentile('p95'),
    'latency.fixed': linePart(line?.fixedMs),
    'latency.slope': linePart(line?.perSecondMs),
    rtfx: takeFigure(evaluation.systemSpeed),
  }
}

function takeFigure(
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
): RunFigure {
  return figure.value === null ? { reason: figure.reason } : positive(figure.value)
}

function linePart(value: number | undefined): RunFigure {
  return value === undefined ? { reason: 'has too few utterances of different lengths' } : positive(value)
}

/** A ratio needs a base above 0. */
function positive(value: number): RunFigure {
  return value > 0 ? value : { reason: 'is not above 0, so there is no ratio' }
}
