import { batchMeans, estimateMean, lag1Autocorrelation } from '#statistics'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'

/** Fewer requests show too little of how consecutive ones correlate. */
const fewestRequests = 100
/** Standard errors of no correlation beyond which there is one: exceeded by chance once in a thousand runs. */
const clearErrors = 3
/** How many times wider the true interval has to be to be worth a word. */
const leastWidening = 1.5

/** Only under an open load, whose latencies are those of its steady part in the order in which they were due. */
export const latenciesDependent = {
  code: 'LATENCIES_DEPENDENT',
  severity: 'warning',
  meaning:
    'Under an open load requests wait in one queue, and the next one waits as well. Intervals of percentiles take requests ' +
    'for independent. Here the interval of the mean latency by batches of requests (Law and Kelton; batches whose means are no ' +
    'longer alike) is half as wide again, or more, as that of independent requests: the intervals of percentiles are too narrow ' +
    'by about as much. Verdicts between runs do not rest on them.',
  detect: ({ load, scored }) =>
    load.latencyCountsFrom === 'due'
      ? scored.flatMap(({ resolved, latencies }) => dependence(resolved.contender.id, latencies.latenciesMs))
      : [],
} satisfies RunFinding

/**
 * Whether requests that followed each other took alike, as those do that wait in one queue. Percentiles and their intervals
 * take requests for independent; where they are not, the intervals are too narrow, by about as much as that of the mean
 * is, which batches of requests show.
 *
 * @returns something where the interval by batches is half as wide again, or more, or the run is too short for batches
 * @see `batchMeans` of #statistics
 */
function dependence(contenderId: string, latenciesMs: Float64Array): readonly Observation[] {
  const values = Array.from(latenciesMs)
  const alone = estimateMean(values)
  if (alone === null || values.length < fewestRequests || alone.standardError === 0) return []
  if (lag1Autocorrelation(values) < clearErrors / Math.sqrt(values.length)) return []
  const batches = batchMeans(values)
  const cause = `consecutive requests to ${contenderId} have correlated latencies`
  const advice = 'measure longer with --duration, and compare several runs'
  if (!batches.resolved) {
    const message = `${cause}, and the run is too short to measure how much: the intervals of its percentiles are too narrow`
    return [{ message, advice }]
  }
  const widthOf = ({ low, high }: { readonly low: number; readonly high: number }): number => high - low
  const widening = widthOf(batches.interval) / widthOf(alone.intervalAt(batches.confidence))
  if (widening < leastWidening) return []
  // Of its logarithm, by the delta method: a time is never below zero.
  const share = widthOf(batches.interval) / 2 / batches.mean
  const [low, high] = [batches.mean * Math.exp(-share), batches.mean * Math.exp(share)]
  const mean = `mean latency ${seconds(batches.mean)} (95% interval ${seconds(low)} to ${seconds(high)})`
  const message = `${cause}: ${mean} has an interval ${widening.toFixed(1)} times as wide as independent requests would give, and so do percentiles`
  return [{ message, advice }]
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 1000 ? 3 : 2)} s`
}
