import { gammaSchedule, poissonSchedule } from '#load/loads/steady'
import type { Schedule } from '#load/schedule'
import { type Distribution, exponential, gamma, kolmogorovSmirnovP, uniform } from './kolmogorov-smirnov.ts'

/** A schedule whose intervals have a known distribution, whatever its seed. */
export interface RandomArrivals {
  readonly name: string
  readonly perSecond: number
  /** Of the intervals, in units of 1 / rate. */
  readonly distribution: Distribution
  make(seed: number): Schedule
}

export const randomArrivals: readonly RandomArrivals[] = [
  {
    name: 'Poisson at 3/s',
    perSecond: 3,
    distribution: exponential,
    make: (seed) => poissonSchedule({ perSecond: 3, forSeconds: null, seed }),
  },
  ...[0.25, 1, 2, 9].map((burstiness) => ({
    name: `gamma of burstiness ${burstiness} at 40/s`,
    perSecond: 40,
    distribution: gamma(burstiness),
    make: (seed: number) => gammaSchedule({ perSecond: 40, burstiness, forSeconds: null, seed }),
  })),
]

export interface Verdict {
  /** Of the p values of all seeds against the uniform distribution that they have if the arrivals are right. */
  readonly p: number
  /** Share of seeds that a test at 5 % would refuse. */
  readonly refused: number
}

/** Holds the intervals of many seeds against a distribution, at the nominal rate: nothing is fitted. */
export function judgeArrivals(
  make: (seed: number) => Schedule,
  { perSecond, distribution }: { readonly perSecond: number; readonly distribution: Distribution },
  { seeds, count }: { readonly seeds: number; readonly count: number },
): Verdict {
  const ps = Array.from({ length: seeds }, (_, seed) =>
    kolmogorovSmirnovP(
      intervalsOf(make(seed), count).map((intervalMs) => (intervalMs / 1_000) * perSecond),
      distribution,
    ),
  )
  return { p: kolmogorovSmirnovP(ps, uniform), refused: ps.filter((p) => p < 0.05).length / seeds }
}

/** From the start to the first arrival, and from each to the next one, in milliseconds. */
export function intervalsOf(schedule: Schedule, count: number): number[] {
  const offsetsMs = schedule.plan({ count }).map((send) => (send.kind === 'due' ? send.dueAtMs : Number.NaN))
  return offsetsMs.map((offsetMs, position) => offsetMs - (offsetsMs[position - 1] ?? 0))
}
