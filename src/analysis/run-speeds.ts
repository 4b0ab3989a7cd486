import { joinRows, type Rows, seededRandom } from '#prelude'
import type { SpeedMetric } from './comparison.ts'
import type { ContenderEvaluation } from './evaluation.ts'
import { fitLine, type LatencySample } from './latency-line.ts'

/** What of a run's figures goes into a comparison as it is. */
export type ComparedFigures = Pick<ContenderEvaluation, 'counts' | 'latencyMs' | 'systemSpeed'>

/** One contender in one run: its figures and the latencies behind them. */
export interface ContenderRun {
  readonly evaluation: ComparedFigures
  readonly samples: Rows<LatencySample>
}

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
  const cut = ({ evaluation, samples }: ContenderRun): ContenderRun => ({
    evaluation,
    samples: samples.filter(({ utteranceId }) => shared.has(utteranceId)),
  })
  return [base.map(cut), run.map(cut)]
}

/** Mean logarithm of the latency over the rounds, by utterance. */
export function logLatencies(samples: Rows<LatencySample>): ReadonlyMap<string, number> {
  const sums = new Map<string, { sum: number; count: number }>()
  for (const { utteranceId, latencyMs } of samples) {
    const known = sums.get(utteranceId)
    if (known === undefined) sums.set(utteranceId, { sum: Math.log(latencyMs), count: 1 })
    else {
      known.sum += Math.log(latencyMs)
      known.count += 1
    }
  }
  return new Map([...sums].map(([id, { sum, count }]) => [id, sum / count]))
}

/** The figures of one run that a comparison of speeds rests on. */
export function runFigures({ evaluation, samples }: ContenderRun): Readonly<Record<SpeedMetric, RunFigure>> {
  const means = [...logLatencies(samples).values()]
  const line = fitLine(samples)
  const percentile = (name: 'p50' | 'p95'): RunFigure => figureOf(evaluation.latencyMs[name])
  return {
    latency:
      means.length === 0
        ? { reason: 'has no utterance that was answered on both sides' }
        : Math.exp(means.reduce((sum, value) => sum + value, 0) / means.length),
    'latency.p50': percentile('p50'),
    'latency.p95': percentile('p95'),
    'latency.fixed': linePart(line?.fixedMs),
    'latency.slope': linePart(line?.perSecondMs),
    rtfx: figureOf(evaluation.systemSpeed),
  }
}

function figureOf(
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
): RunFigure {
  return figure.value === null ? { reason: figure.reason } : positive(figure.value)
}

function linePart(value: number | undefined): RunFigure {
  return value === undefined ? { reason: 'has too few utterances of different lengths' } : positive(value)
}

/** A ratio to nothing says nothing. */
function positive(value: number): RunFigure {
  return value > 0 ? value : { reason: 'has none above 0, to which there is no ratio' }
}

/** Enough to see the shape of a model or a percentile; beyond, requests are drawn. */
const mostSamples = 20_000

/** The requests of several runs together, thinned by a seeded draw where there are very many. */
export function pooledSamples(runs: readonly ContenderRun[], seed: number): Rows<LatencySample> {
  const all = joinRows(runs.map(({ samples }) => samples))
  if (all.length <= mostSamples) return all
  const places = seededRandom(seed).shuffled(Array.from({ length: all.length }, (_, place) => place))
  return places.slice(0, mostSamples).map((place) => all.at(place) as LatencySample)
}
