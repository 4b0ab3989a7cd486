import { formatNumber, speechInWords } from './rate.ts'
import {
  type BlockRequests,
  type Dispatch,
  type Schedule,
  type SchedulePhase,
  stopOnFault,
  unsentPositions,
} from './schedule.ts'

/** The parts in which open schedules differ. */
export interface OpenSchedule {
  describe(meanAudioSeconds?: number): string
  readonly phases: readonly SchedulePhase[]
  /** False for a schedule that lasts as long as there are requests. */
  readonly endsByItself: boolean
  /** See `Schedule.part`; absent where a part would be a different load. */
  part?(parts: number): Schedule
  /** Returns up to `limit` due times in milliseconds after the start, ascending. Equal rounds give equal times. */
  arrivals(limit: number, round: number): readonly number[]
}

/**
 * Requests of a block that starts with an idle server. At half of the server's capacity, the queue reaches its
 * steady length after a dozen arrivals; a shorter block would underestimate the waiting time.
 */
const steadyArrivals = 50

/** Makes a schedule that sends each request at its due time, however slow the answers are. */
export function openSchedule({ describe, phases, endsByItself, part, arrivals }: OpenSchedule): Schedule {
  const offsetsFor = ({ count, round = 0 }: BlockRequests): readonly number[] => {
    const offsetsMs = arrivals(count, round)
    if (offsetsMs.length < count) {
      throw new RangeError(
        `${count} requests are planned and the schedule has ${offsetsMs.length} arrivals: ${describe()}`,
      )
    }
    return offsetsMs
  }
  return {
    describe,
    phases,
    latencyCountsFrom: 'due',
    inFlight: null,
    steadyCount: steadyArrivals,
    part: (parts) => part?.(parts) ?? null,
    requestCount: (round = 0) => (endsByItself ? arrivals(Number.POSITIVE_INFINITY, round).length : null),
    plan: (block) => offsetsFor(block).map((dueAtMs) => ({ kind: 'due', dueAtMs })),
    dispatch: (dispatch) => sendWhenDue(offsetsFor(dispatch), dispatch),
  }
}

/**
 * Sends each request at its due time, without a limit on requests in flight and without waiting for answers. A late
 * request is sent at once and keeps its due time.
 */
async function sendWhenDue(
  offsetsMs: readonly number[],
  { count, clock, stop, send, isSent }: Dispatch,
): Promise<void> {
  const { halt, watch, rethrow } = stopOnFault(stop)
  const inFlight = new Set<Promise<void>>()
  const positions = unsentPositions(count, isSent)
  const skippedMs = isSent === undefined ? 0 : (offsetsMs[positions[0] ?? 0] ?? 0)
  const startedAtMs = clock.nowMs()
  for (const position of positions) {
    const dueAtMs = startedAtMs + (offsetsMs[position] ?? 0) - skippedMs
    await clock.sleepUntil(dueAtMs, halt)
    if (halt.aborted) break
    const flight = watch(send(position, dueAtMs)).then(() => {
      inFlight.delete(flight)
    })
    inFlight.add(flight)
  }
  await Promise.all(inFlight)
  rethrow()
}

/**
 * Sends at the given times, which were drawn or recorded before.
 *
 * @param dueAtMs milliseconds after the start, ascending
 * @param name describes the arrivals, given the time that they span in words
 * @throws RangeError for a moment before the start, or one before its predecessor
 */
export function arrivalsSchedule(
  dueAtMs: readonly number[],
  name: (span: string) => string = (span) => `${dueAtMs.length} given arrivals over ${span}`,
  phase = 'given arrivals',
): Schedule {
  if (dueAtMs.some((atMs, position) => !(atMs >= (dueAtMs[position - 1] ?? 0))))
    throw new RangeError('arrivals are in order of time, from 0')
  return openSchedule({
    describe: (meanAudioSeconds) => {
      const spanSeconds = (dueAtMs.at(-1) ?? 0) / 1000
      const nameWithSpan = name(`${formatNumber(spanSeconds)} s`)
      if (meanAudioSeconds === undefined || spanSeconds === 0) return nameWithSpan
      return `${nameWithSpan}, ${speechInWords((meanAudioSeconds * (dueAtMs.length - 1)) / spanSeconds)} on average`
    },
    phases: [{ description: phase, seconds: null }],
    endsByItself: true,
    arrivals: (limit) => dueAtMs.slice(0, limit),
  })
}
