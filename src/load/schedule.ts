import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import type { Clock } from './clock.ts'

/** The requests of one contender's block, which a schedule sends. */
export interface BlockRequests {
  /** Number of requests. They are sent in order of their positions, from 0. */
  readonly count: number
  /** Seconds of audio of the request at a position. A load of concurrent users requires it. */
  readonly audioSeconds?: (position: number) => number
  /**
   * Number of the schedule's random sequence; default: 0. Contenders in one round have the same arrivals (common
   * random numbers); rounds have different ones.
   */
  readonly round?: number
}

/** Input of a schedule that sends one block. */
export interface Dispatch extends BlockRequests {
  readonly clock: Clock
  /**
   * True for positions that were sent before a run was resumed; they are skipped. Due times move up, so that the
   * first request left is due at once. Pauses and speech keep their planned lengths.
   */
  readonly isSent?: (position: number) => boolean
  /** After this signal aborts, nothing more is sent, and requests in flight are awaited. */
  readonly stop: AbortSignal
  /**
   * Sends one request and resolves when it is over. It is called at the due time, or as soon as possible after it.
   * `dueAtMs` is the planned time on `clock`. It must not throw for a failure of the server.
   */
  send(position: number, dueAtMs: number): Promise<void>
}

/** A planned request, with what is known before the clock starts. */
export const plannedSend = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('due').describe('Leaves when it is due, however slow the answers are.'),
      dueAtMs: z.number().describe('Milliseconds from the start of the block.'),
    }),
    z.strictObject({
      kind: z.literal('next').describe('Leaves as soon as fewer than the number in flight are.'),
    }),
    z.strictObject({
      kind: z.literal('spoken').describe('A user has the last text, pauses, speaks, and then sends.'),
      speaker: z.int().min(0).describe('Number of the user, from 0.'),
      pauseMs: z.number().describe('Pause in milliseconds.'),
      speechMs: z.number().describe('Time of speaking in milliseconds, the length of the audio.'),
    }),
  ])
  .meta({ id: 'PlannedSend', description: 'What is known of a sending before the clock starts.' })
export type PlannedSend = DeepReadonly<z.infer<typeof plannedSend>>

/** A part of a schedule with one rate, or with one piece of a changing rate. */
export interface SchedulePhase {
  /** Rate and duration: `18/s for 12 s`. */
  readonly description: string
  /** Null for a phase that lasts as long as there are requests. */
  readonly seconds: number | null
}

/** Decides when requests are sent. Each load shape has one, and all share one conformance suite. */
export interface Schedule {
  /**
   * Describes the load for a plan: "Poisson arrivals, 2 requests/s".
   *
   * @param meanAudioSeconds mean length of the utterances; with it the load is described in seconds of speech as well
   */
  describe(meanAudioSeconds?: number): string
  /**
   * Start of a latency. `due`: response time, in which late sending counts against the server, as its queue would;
   * `sent`: service time, for schedules that slow down with the server.
   */
  readonly latencyCountsFrom: 'due' | 'sent'
  /** Number of requests that a closed load keeps in flight; null for a load whose requests have due times. */
  readonly inFlight: number | null
  /** Phases in order of time, at least one. Where there are several, each has a length. */
  readonly phases: readonly SchedulePhase[]
  /** Number of requests that it has arrivals for; null for a schedule that lasts as long as there are requests. */
  requestCount(round?: number): number | null
  /** Requests that one block should have, so that ramp-up and drain are a small part of it. */
  readonly steadyCount: number
  /**
   * Returns a schedule of the same load for a part of its length, so that several blocks together last as long as
   * one.
   *
   * @param parts a whole number from 1
   * @returns an equal one where it has no length; null where a part would be a different load, as of a changing rate or a
   *   trace
   */
  part(parts: number): Schedule | null
  /**
   * Returns all that is known before the clock starts, for dry runs and plan files. Equal blocks have equal plans,
   * and `dispatch` follows them.
   *
   * @throws RangeError when there are more requests than `requestCount`
   */
  plan(block: BlockRequests): readonly PlannedSend[]
  /**
   * Sends until the block or the stop signal ends it, and resolves when nothing is in flight. Times and pauses are
   * computed before the clock is read for the first time.
   */
  dispatch(dispatch: Dispatch): Promise<void>
}

/** Tracks requests in flight and the errors that they throw, which are bugs and not failures of the server. */
export interface Flights {
  /** Aborted by the caller's stop signal, or by the first request that throws. */
  readonly halt: AbortSignal
  /** Waits for one request. Never rejects. */
  watch(sending: Promise<void>): Promise<void>
  /** Throws the error of the first request that threw one. */
  rethrow(): void
}

/**
 * Stops a schedule when a request throws, because that is a bug and further requests would be wasted. The schedule
 * awaits the requests in flight before it reports the error.
 */
export function stopOnFault(stop: AbortSignal): Flights {
  const broken = new AbortController()
  const faults: unknown[] = []
  return {
    halt: AbortSignal.any([stop, broken.signal]),
    watch: (sending) =>
      sending.catch((fault: unknown) => {
        faults.push(fault)
        broken.abort()
      }),
    rethrow() {
      if (faults.length > 0) throw faults[0]
    },
  }
}

/** Returns the positions of a block that are still to be sent, in order. */
export function unsentPositions(
  count: number,
  isSent: ((position: number) => boolean) | undefined,
): number[] {
  const positions = Array.from({ length: count }, (_, position) => position)
  return isSent === undefined ? positions : positions.filter((position) => !isSent(position))
}
