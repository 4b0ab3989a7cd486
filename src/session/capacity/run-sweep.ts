import {
  analyseSweep,
  type ClosedLevel,
  type LoadedServer,
  type Sweep,
  type SweepInput,
  type TextsAlone,
  type Turn,
  textsAlone,
} from '#capacity'
import { errorCounter } from './count-errors.ts'
import type { ContenderInput } from './measure-contender.ts'

export interface SweptServer {
  readonly sweep: Sweep
  readonly alone: TextsAlone
  /** What the simulation is made of. */
  readonly closed: readonly ClosedLevel[]
}

/** Of the budget; what the search has to do with is left by it. */
const sweepShare = 0.15
const shortestLevelSeconds = 1
const longestLevelSeconds = 20
const shortestTurnSeconds = 3
/** So often a queue of all that are in flight is worked off in a turn, at least. */
const queuesOfTurn = 2
const mostRounds = 4

interface SweepPlan {
  /** Of each level in each round; alone is what everything else is held against: twice as long. */
  readonly turnSeconds: number
  readonly rounds: number
}

/**
 * How long the levels of a sweep last, and in how many turns: a machine that becomes slower meanwhile would otherwise
 * make the later levels slower than the first, and the first is what they are held against.
 *
 * @param aloneSeconds that a request takes alone; null where nothing came back
 */
export function planSweep({
  budgetSeconds,
  levels,
  mostInFlight,
  aloneSeconds,
}: {
  readonly budgetSeconds: number
  readonly levels: number
  readonly mostInFlight: number
  readonly aloneSeconds: number | null
}): SweepPlan {
  const part = (sweepShare * budgetSeconds) / (levels + 1)
  const seconds = Math.min(longestLevelSeconds, Math.max(shortestLevelSeconds, part))
  const shortest = Math.max(shortestTurnSeconds, queuesOfTurn * mostInFlight * (aloneSeconds ?? Infinity))
  const rounds = Math.min(mostRounds, Math.max(1, Math.floor(seconds / shortest)))
  return { turnSeconds: seconds / rounds, rounds }
}

interface SweptLevel {
  readonly inFlight: number
  readonly turns: Turn[]
  readonly used: NonNullable<ReturnType<ContenderInput['spent']['between']>>[]
}

/** So many in flight, in turns: up through the levels and down again. */
export async function runSweep(
  { request, config, clock, spent, stop, corpus }: ContenderInput,
  { server, aloneSeconds }: { readonly server: LoadedServer; readonly aloneSeconds: number | null },
): Promise<SweptServer> {
  const { budgetSeconds, inFlights } = request
  const levels = inFlights.map((inFlight): SweptLevel => ({ inFlight, turns: [], used: [] }))
  const { turnSeconds, rounds } = planSweep({
    budgetSeconds,
    levels: levels.length,
    mostInFlight: Math.max(...inFlights),
    aloneSeconds,
  })
  for (let round = 0; round < rounds; round += 1) {
    for (const level of round % 2 === 0 ? levels : levels.toReversed()) {
      if (stop?.aborted === true) break
      const fromMs = clock.nowMs()
      const order = {
        kind: 'closed',
        inFlight: level.inFlight,
        forSeconds: level.inFlight === 1 ? 2 * turnSeconds : turnSeconds,
        seed: config.seed + 10 + level.inFlight + 1000 * round,
      } as const
      level.turns.push(await server.measure(order))
      const used = spent.between(fromMs, clock.nowMs())
      if (used !== null) level.used.push(used)
    }
  }
  const swept = levels.filter(({ turns }) => turns.length > 0)
  const inputs = swept.map(
    ({ inFlight, turns, used }): SweepInput => ({
      inFlight,
      turns,
      serverCpuSeconds: used.length === 0 ? null : sum(used.map(({ cpuSeconds }) => cpuSeconds)),
      // Memory that a larger number in flight took is kept: only on the first way up it tells something.
      peakResidentBytes: used[0]?.peakResidentBytes ?? null,
    }),
  )
  const single = inputs.filter(({ inFlight }) => inFlight === 1).flatMap(({ turns }) => turns.flat())
  return {
    sweep: analyseSweep(inputs, errorCounter(corpus, config), config.seed),
    alone: textsAlone(single),
    closed: swept,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
