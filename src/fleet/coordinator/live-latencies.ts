import { readRun } from '#journal/run-reader'
import { type QuantileSketch, quantileSketch, type SketchBins, sketchError } from '#statistics/quantiles'
import type { BlockResult } from '../queue/messages.ts'

/** Latencies of a contender on one host so far, from a sketch, for display; final figures are exact. */
export interface LiveLatency {
  readonly contenderId: string
  readonly p50Ms: number
  readonly p95Ms: number
  /** Maximum relative error of both quantiles. */
  readonly relativeError: number
}

/**
 * Sketches the answered requests of a block.
 *
 * @param isOpen whether latencies count from the due times, otherwise from the sending
 */
export async function sketchLatencies(runFolder: string, isOpen: boolean): Promise<BlockResult['latencies']> {
  const { attempts } = await readRun(runFolder)
  const sketches = new Map<string, QuantileSketch>()
  for (const { phase, contenderId, outcome, dueAtMs, sentAtMs, endedAtMs } of attempts) {
    if (phase !== 'measure' || !outcome.ok) continue
    findSketch(sketches, contenderId).add(endedAtMs - (isOpen ? dueAtMs : sentAtMs))
  }
  return Object.fromEntries([...sketches].map(([id, sketch]) => [id, sketch.bins()]))
}

/** Merges the sketches of the counted blocks by host. */
export function liveLatencies(before: Iterable<BlockResult>) {
  const hosts = new Map<string, Map<string, QuantileSketch>>()
  const add = ({ host, latencies }: BlockResult): readonly LiveLatency[] => {
    const sketches = hosts.get(host) ?? new Map<string, QuantileSketch>()
    hosts.set(host, sketches)
    for (const [id, bins] of Object.entries<SketchBins>(latencies)) findSketch(sketches, id).merge(bins)
    return [...sketches].flatMap(([contenderId, sketch]) => {
      const [p50Ms, p95Ms] = [sketch.quantile(0.5), sketch.quantile(0.95)]
      return p50Ms === null || p95Ms === null
        ? []
        : [{ contenderId, p50Ms, p95Ms, relativeError: sketchError }]
    })
  }
  for (const result of before) add(result)
  return { add }
}

function findSketch(sketches: Map<string, QuantileSketch>, contenderId: string): QuantileSketch {
  const sketch = sketches.get(contenderId) ?? quantileSketch()
  sketches.set(contenderId, sketch)
  return sketch
}
