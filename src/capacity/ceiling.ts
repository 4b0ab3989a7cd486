import { quantile, sortSamples } from '#statistics'
import type { LevelSample } from './loaded-server.ts'

/** The part of a closed level with all places taken: what is left of it is neither ramp nor drain. */
export interface SteadyPart {
  readonly requests: number
  readonly seconds: number
  readonly perSecond: number
  readonly audioSecondsPerSecond: number
  readonly meanServiceMs: number
  readonly medianServiceMs: number
  readonly p95ServiceMs: number
  /** Squared coefficient of variation of the service times. */
  readonly serviceVariation: number
}

/**
 * Throughput from the first completion to the last start: (n - 1) completions span n - 1 intervals, and nobody
 * counts the drain at the end, when fewer are in flight.
 *
 * @param samples of a closed load
 * @param skipSeconds left out at the start, for what has to get going
 * @returns null for fewer than three completions in that time
 */
export function steadyPart(samples: readonly LevelSample[], skipSeconds = 0): SteadyPart | null {
  const lastStartMs = Math.max(...samples.map((sample) => sample.sentAtMs))
  const ended = samples
    .filter(({ endedAtMs }) => endedAtMs >= 1000 * skipSeconds && endedAtMs <= lastStartMs)
    .toSorted((a, b) => a.endedAtMs - b.endedAtMs)
  const [first, last] = [ended[0], ended.at(-1)]
  if (first === undefined || last === undefined || ended.length < 3) return null
  const seconds = (last.endedAtMs - first.endedAtMs) / 1000
  if (!(seconds > 0)) return null
  const service = sortSamples(ended.map(({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs))
  const mean = service.reduce((sum, each) => sum + each, 0) / service.length
  const variance = service.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (service.length - 1)
  const speech = ended.slice(1).reduce((sum, { audioSeconds }) => sum + audioSeconds, 0)
  return {
    requests: ended.length,
    seconds,
    perSecond: (ended.length - 1) / seconds,
    audioSecondsPerSecond: speech / seconds,
    meanServiceMs: mean,
    medianServiceMs: quantile(service, 0.5) ?? mean,
    p95ServiceMs: quantile(service, 0.95) ?? mean,
    serviceVariation: mean === 0 ? 0 : variance / mean ** 2,
  }
}
