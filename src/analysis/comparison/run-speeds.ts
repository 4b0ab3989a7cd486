import { mean } from '#statistics/quantiles'
import type { SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import { fitLine, type LatencySample } from '../figures/latency/latency-line.ts'

/** What of a run's figures goes into a comparison as it is. */
export type ComparedFigures = Pick<
  ContenderEvaluation,
  'latencyMs' | 'systemSpeed' | 'cpuSecondsPerAudioSecond'
>

/** One contender in one run: its figures and the latencies behind them. */
export interface ContenderRun {
  readonly evaluation: ComparedFigures
  readonly samples: readonly LatencySample[]
  /** Why its speeds are not comparable: it is not valid, or other programs kept the machine busy; null where they are. */
  readonly unusable: string | null
}

/** The runs of both sides whose speeds are comparable. */
export interface UsableRuns {
  readonly sides: readonly [readonly ContenderRun[], readonly ContenderRun[]]
  /** Why there are none; the sides are then those that were given. */
  readonly reason: string | null
}

/** Why a speed is not judged at all, in the place of its verdict. */
export function incomparable(reason: string): string {
  return `not comparable: ${reason}`
}

/** Whether a note is such a reason: the figures beside it say nothing about which run is faster. */
export function isIncomparable(note: string | null): note is string {
  return note?.startsWith(incomparable('')) === true
}

/**
 * Runs that are not valid, as one that lost its target, and runs during which other programs kept the machine busy are
 * excluded from speeds: of as many runs on both sides with the run that they are paired with. How fast a run was has no
 * part in it.
 */
export function usableRuns(base: readonly ContenderRun[], run: readonly ContenderRun[]): UsableRuns {
  const isUsable = ({ unusable }: ContenderRun): boolean => unusable === null
  const isPaired = base.length === run.length
  const keep = (own: readonly ContenderRun[], other: readonly ContenderRun[]): readonly ContenderRun[] =>
    own.filter((one, index) => {
      const partner = other[index]
      return isUsable(one) && (!isPaired || partner === undefined || isUsable(partner))
    })
  const sides = [keep(base, run), keep(run, base)] as const
  if (sides.every(({ length }) => length > 0)) return { sides, reason: null }
  const first = [...base, ...run].find((one) => !isUsable(one))
  return { sides: [base, run], reason: incomparable(first?.unusable ?? 'no run on a side') }
}

/** Processor time for a second of audio, run over base, as the mean logarithm of the runs; null as soon as one has none. */
export function processorTimeRatio(
  base: readonly ContenderRun[],
  run: readonly ContenderRun[],
): number | null {
  const [ours, theirs] = [base, run].map((side) => {
    const costs = side.flatMap(({ evaluation: { cpuSecondsPerAudioSecond: cpu } }) => cpu.value ?? [])
    return costs.length === 0 || costs.length < side.length ? null : mean(costs.map(Math.log))
  })
  return ours == null || theirs == null ? null : Math.exp(theirs - ours)
}

/** Runs a side from which on a speed gets a verdict. With fewer, runs that all differ in one direction prove nothing. */
export const runsToDecide = 5

/** A positive figure of one run, or why there is none. */
export type RunFigure = number | { readonly reason: string }

/**
 * Runs of both sides with the latencies of those utterances alone that every one of them answered.
 *
 * @param matching utterances that are to be compared
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

/** Mean logarithm of the latency over the rounds, by utterance. */
export function logLatencies(samples: readonly LatencySample[]): ReadonlyMap<string, number> {
  const byId = Map.groupBy(samples, ({ utteranceId }) => utteranceId)
  return new Map([...byId].map(([id, own]) => [id, mean(own.map(({ latencyMs }) => Math.log(latencyMs)))]))
}

/** The figures of one run that a comparison of speeds rests on. */
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

/** A ratio to nothing says nothing. */
function positive(value: number): RunFigure {
  return value > 0 ? value : { reason: 'is not above 0, so there is no ratio' }
}
