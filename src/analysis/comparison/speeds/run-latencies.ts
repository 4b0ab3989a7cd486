import { seededRandom } from '#prelude'
import type { LatencyDistribution } from '../../documents/contender-comparison.ts'
import type { Crossover } from '../../documents/latency.ts'
import { latenciesOf } from '../../figures/latency/latency-by-duration.ts'
import {
  confirmedCrossover,
  findCrossover,
  type PairedLatency,
} from '../../figures/latency/latency-crossover.ts'
import type { LatencySample } from '../../figures/latency/latency-line.ts'
import { latencyQuantilesMs } from '../../figures/latency/latency-quantiles.ts'
import { type ContenderRun, logLatencies, runsToDecide } from './run-speeds.ts'

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
  const all = latenciesOf(runs.flatMap(({ samples }) => samples))
  return { count: all.length, quantilesMs: latencyQuantilesMs(all) }
}
