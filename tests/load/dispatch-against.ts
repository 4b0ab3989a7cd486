import type { Schedule } from '#load/schedule'
import { type Script, scriptedServer } from './scripted-server.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

/** What became of one request, in milliseconds after the start. */
export interface Sent {
  readonly position: number
  readonly dueAtMs: number
  readonly sentAtMs: number
  readonly endedAtMs: number
}

export interface Attempted {
  /** In order of position. */
  readonly sent: readonly Sent[]
  /** Most requests in flight at once. */
  readonly peak: number
}

export interface Conditions extends Script {
  readonly audioSeconds?: (position: number) => number
  readonly round?: number
  /** The stop signal comes when so many have been served. */
  readonly stopAfter?: number
  /** What happens to the clock before it runs. */
  readonly prepare?: (clock: VirtualClock) => void
}

/** Dispatches to a scripted server on a clock that does not run by itself: one request for each service time. */
export async function dispatchAgainst(schedule: Schedule, conditions: Conditions): Promise<Attempted> {
  const { serviceMs, stopAfter = Number.POSITIVE_INFINITY, audioSeconds = lengthOf, round = 0 } = conditions
  const clock = virtualClock()
  conditions.prepare?.(clock)
  const server = scriptedServer(clock, conditions)
  const stop = new AbortController()
  const sent: Sent[] = []
  let inFlight = 0
  let peak = 0
  const dispatched = schedule.dispatch({
    count: serviceMs.length,
    audioSeconds,
    round,
    clock,
    stop: stop.signal,
    async send(position, dueAtMs) {
      inFlight += 1
      peak = Math.max(peak, inFlight)
      const sentAtMs = clock.nowMs()
      await server.serve(position)
      inFlight -= 1
      sent.push({ position, dueAtMs, sentAtMs, endedAtMs: clock.nowMs() })
      if (sent.length >= stopAfter) stop.abort()
    },
  })
  const leftInFlight = dispatched.then(() => inFlight)
  await clock.runUntilIdle()
  if ((await leftInFlight) > 0) throw new Error('the dispatch was over before its requests were')
  return { sent: sent.toSorted((left, right) => left.position - right.position), peak }
}

/** Utterances of different lengths, from 1 to 9 s. */
export function lengthOf(position: number): number {
  return 1 + ((position * 2.7) % 8)
}
