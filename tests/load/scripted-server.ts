import type { Clock } from '#load/clock'

/** A server whose service times are known, with a queue in front of its workers. */
export interface ScriptedServer {
  /** Resolves when the request has been served. */
  serve(position: number): Promise<void>
}

export interface Script {
  /** By position. */
  readonly serviceMs: readonly number[]
  /** How many it serves at once; the others wait in the order of their coming. */
  readonly workers: number
}

export function scriptedServer(clock: Clock, { serviceMs, workers }: Script): ScriptedServer {
  const waiting: (() => void)[] = []
  let idle = workers
  return {
    async serve(position) {
      if (idle > 0) idle -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      await clock.sleepUntil(clock.nowMs() + (serviceMs[position] ?? 0))
      // The worker goes from hand to hand, so that no new request overtakes those that wait.
      const next = waiting.shift()
      if (next === undefined) idle += 1
      else next()
    },
  }
}
