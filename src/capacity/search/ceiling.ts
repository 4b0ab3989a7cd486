import { quantile, sortSamples } from '#statistics'
import type { LevelSample } from '../simulation/loaded-server.ts'

/** The part of a closed level with all places taken: what is left of it is neither ramp nor drain. Answers only. */
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
 * Throughput from the first completion to the last start: (n - 1) completions span n - 1 intervals, and no request
 * counts the drain at the end, when fewer are in flight. A failed request takes its place in flight, but gets nothing done.
 *
 * @param samples of a closed load
 * @param skipSeconds left out at the start, for what has to get going
 * @returns null for fewer than three completions in that time, or fewer than two answers after the first
 */
export function steadyPart(samples: readonly LevelSample[], skipSeconds = 0): SteadyPart | null {
  return together([samples], () => skipSeconds)
}

/**
 * The same of a closed load that was put on in turns, between which others were: time between turns does not count.
 *
 * @param skipShare left out at the start of every turn, as a share of it
 */
export function steadyTurns(turns: readonly Turn[], skipShare: number): SteadyPart | null {
  return together(turns, (samples) => (skipShare * lastEndMs(samples)) / 1000)
}

/** One go at a closed load. Times from its start. */
export type Turn = readonly LevelSample[]

export function lastEndMs(samples: Turn): number {
  return samples.reduce((most, { endedAtMs }) => Math.max(most, endedAtMs), 0)
}

function together(turns: readonly Turn[], skipSecondsOf: (samples: Turn) => number): SteadyPart | null {
  const parts = turns
    .map((samples) => steadyWindow(samples, skipSecondsOf(samples)))
    .filter((part) => part !== null)
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const answered = parts.flatMap(({ ended }) => ended.filter(({ isAnswered }) => isAnswered))
  const counted = parts.flatMap(({ ended }) => ended.slice(1).filter(({ isAnswered }) => isAnswered))
  if (!(seconds > 0) || counted.length < 2) return null
  const service = sortSamples(answered.map(({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs))
  const mean = service.reduce((sum, each) => sum + each, 0) / service.length
  const variance = service.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (service.length - 1)
  return {
    requests: answered.length,
    seconds,
    perSecond: counted.length / seconds,
    audioSecondsPerSecond: counted.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / seconds,
    meanServiceMs: mean,
    medianServiceMs: quantile(service, 0.5) ?? mean,
    p95ServiceMs: quantile(service, 0.95) ?? mean,
    serviceVariation: mean === 0 ? 0 : variance / mean ** 2,
  }
}

/** The completions of one turn with all places taken, failed ones too, in order; null for fewer than three. */
export function steadyWindow(
  samples: Turn,
  skipSeconds: number,
): { readonly ended: Turn; readonly seconds: number } | null {
  const lastStartMs = samples.reduce((last, { sentAtMs }) => Math.max(last, sentAtMs), 0)
  const ended = samples
    .filter(({ endedAtMs }) => endedAtMs >= 1000 * skipSeconds && endedAtMs <= lastStartMs)
    .toSorted((a, b) => a.endedAtMs - b.endedAtMs)
  const [first, last] = [ended[0], ended.at(-1)]
  if (first === undefined || last === undefined || ended.length < 3) return null
  return { ended, seconds: (last.endedAtMs - first.endedAtMs) / 1000 }
}
