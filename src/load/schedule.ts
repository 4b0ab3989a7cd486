import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import type { Clock } from './clock.ts'

/** The requests that a schedule is asked to send in one go: one contender's block. */
export interface RequestList {
  /** How many requests there are. They are sent in order, by position from 0. */
  readonly count: number
  /** Seconds of audio of the request at a position. Speakers cannot do without it. */
  readonly audioSeconds?: (position: number) => number
  /**
   * Which of its random sequences a schedule uses; 0 where left out. Two contenders in the same round meet the
   * same arrivals (common random numbers), two rounds meet different ones.
   */
  readonly round?: number
}

/** What a schedule needs to send one list of requests. */
export interface Dispatch extends RequestList {
  readonly clock: Clock
  /**
   * Positions that were sent before, by a run that is now resumed: they are passed over. What is due at a moment
   * moves up to the first of the others; a pause or a length of speech stays as it was planned.
   */
  readonly isSent?: (position: number) => boolean
  /** Aborted: nothing more is sent; what is in flight is waited for. */
  readonly stop: AbortSignal
  /**
   * Sends one request and resolves when it is over. Called at the due time or, when this process was held up,
   * as soon after it as it can be; `dueAtMs` is the moment of `clock` that it was due, never moved. Must not
   * throw for what a server can do.
   */
  send(position: number, dueAtMs: number): Promise<void>
}

/** What is known of one sending before the clock starts. */
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

/** A part of a schedule that is meant to be alike: one rate, or a piece of a rate that changes. */
export interface SchedulePhase {
  /** `18/s for 12 s`. */
  readonly description: string
  /** Null where it lasts as long as there are requests. */
  readonly seconds: number | null
}

/** Decides when requests leave. One of these per load shape, all under one conformance suite. */
export interface Schedule {
  /**
   * In the words of a plan: "Poisson arrivals, 2 requests/s".
   *
   * @param meanAudioSeconds mean length of the utterances; with it the load is described in seconds of speech as well
   */
  describe(meanAudioSeconds?: number): string
  /**
   * Where the waiting time begins. `due`: response time, which counts a late sending against the
   * server as its queue would; `sent`: service time, for schedules that slow down with the server.
   */
  readonly latencyCountsFrom: 'due' | 'sent'
  /** Number of requests that a closed load keeps in flight; null for a load whose requests have due times. */
  readonly inFlight: number | null
  /** At least one, in order of time. Only where there are several do all have a length. */
  readonly phases: readonly SchedulePhase[]
  /** How many requests it has arrivals for; null where it goes on as long as there are requests. */
  requestCount(round?: number): number | null
  /** How many requests one list should hold, so that its ramp and its drain are small next to what lies between. */
  readonly steadyCount: number
  /**
   * A schedule of the same load for a part of its length, so that several lists together last as long as one.
   *
   * @param parts a whole number from 1
   * @returns itself where it has no length; null where a part would be another load: a rate that changes, a
   *   recorded day
   */
  part(parts: number): Schedule | null
  /**
   * Everything that is known before the clock starts, for a dry run and for plan files. Equal lists have equal
   * plans, and `dispatch` keeps to them.
   *
   * @throws RangeError when there are more requests than `requestCount`
   */
  plan(list: RequestList): readonly PlannedSend[]
  /**
   * Sends until the list or the stop signal ends it, and resolves when nothing is in flight any more. Times and
   * pauses are made before the clock is read for the first time.
   *
   * @returns how many requests were sent: the first `sent` positions, without a gap unless each user has a
   *   separate list
   */
  dispatch(dispatch: Dispatch): Promise<{ readonly sent: number }>
}

/** What is in flight, and what goes wrong in it that no server can do. */
export interface Flights {
  /** Aborted by the caller's stop signal, and by the first sending that throws. */
  readonly halt: AbortSignal
  /** Waits for one sending. Never rejects. */
  watch(sending: Promise<void>): Promise<void>
  /** Throws what the first sending threw that did. */
  rethrow(): void
}

/**
 * A sending that throws is a bug, and nothing that is sent after it is worth sending. The schedule still waits
 * for what is in flight before it reports it.
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

/** The positions of a list that are still to be sent, in order. */
export function unsentPositions(
  count: number,
  isSent: ((position: number) => boolean) | undefined,
): number[] {
  const positions = Array.from({ length: count }, (_, position) => position)
  return isSent === undefined ? positions : positions.filter((position) => !isSent(position))
}
