import { quantile, sortSamples } from '#statistics'
import type { FoundInterference } from '../document/found-strains.ts'
import type { LevelSample } from '../simulation/loaded-server.ts'

/** Dictation alone and next to long recordings that are sent one after the other. */
export function judgeInterference(
  perSecond: number,
  {
    alone,
    withLong,
    long,
  }: {
    readonly alone: readonly LevelSample[]
    readonly withLong: readonly LevelSample[]
    readonly long: readonly LevelSample[]
  },
): FoundInterference {
  return {
    perSecond,
    longAudioSeconds:
      long.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / Math.max(1, long.length),
    longRequests: long.length,
    aloneP95Ms: p95Ms(alone),
    withLongP95Ms: p95Ms(withLong),
    requests: alone.length + withLong.length,
  }
}

function p95Ms(samples: readonly LevelSample[]): number | null {
  const answered = samples.filter(({ isAnswered }) => isAnswered)
  return quantile(sortSamples(answered.map(({ dueAtMs, endedAtMs }) => endedAtMs - dueAtMs)), 0.95)
}

/** How late requests of open loads left. */
export function lateness(sendLagMs: readonly number[]): {
  readonly lateP99Ms: number | null
  readonly lateMaxMs: number | null
} {
  const sorted = sortSamples(sendLagMs)
  return { lateP99Ms: quantile(sorted, 0.99), lateMaxMs: sorted.at(-1) ?? null }
}
