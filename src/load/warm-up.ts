import { sumOf } from '#prelude'
import type { PlannedSend, Schedule } from './schedule.ts'

/**
 * Min number of answers in each of the two halves that are compared. Six find a server that is slow for its first
 * ten requests, at the cost of twelve requests. Two are not enough, because both may be slow.
 */
const halfAlone = 6
/** Answers in each half per request in flight. Four find a worker that is slow for its first six requests. */
const halfForEach = 4
/** Latencies have settled when the newer half takes at least this share of the older half's time. */
const steadyShare = 0.8
/** Number of utterances that are repeated, so that each answer is compared with others to the same recordings. */
const repeatedUtterances = 2
/** Max requests in flight of a warm-up. An open load has fewer, because it reaches its peak only at times. */
const maxInFlight = { closed: 32, open: 8 }
/** Max planned requests that are read to estimate the number in flight. */
const maxPlannedSends = 2000

/** Max time for further requests after the planned ones of a warm-up; wrk2 discards as much. */
export const maxSettlingMs = 10_000
/**
 * The number of requests at the beginning of a warm-up that are sent one at a time: the first one loads the model, the second one shows how
 * long an answer takes.
 */
export const sentAlone = 2

interface WarmUpAnswer extends TimeInFlight {
  readonly utteranceId: string
}

interface TimeInFlight {
  readonly sentAtMs: number
  readonly endedAtMs: number
}

function halfFor(inFlight: number): number {
  return Math.max(halfAlone, halfForEach * inFlight)
}

/**
 * Whether latencies have settled: the newest answers took at least 80 % of the time of as many before them, to the same
 * utterances. Sums are compared, so that one slow answer in the older half is seen; where times scatter at random the warm-up
 * only goes on a little longer. With several in flight the halves are larger, because a server may have as many cold workers.
 *
 *   0.6 0.6 0.6 0.6 0.6 0.6 │ 0.6 0.1 0.1 0.1 0.1 0.1     1.1 of 3.6 s: still falling
 *
 * @param answers in the order of sending
 * @returns null where too few answers are known to decide
 */
export function hasSettled(answers: readonly WarmUpAnswer[]): boolean | null {
  const half = halfFor(countInFlight(answers))
  const newer = answers.slice(-half)
  const older = answers.slice(-2 * half, -half)
  if (older.length < half || utterancesIn(older) !== utterancesIn(newer)) return null
  const durationMs = ({ sentAtMs, endedAtMs }: WarmUpAnswer): number => endedAtMs - sentAtMs
  return sumOf(newer, durationMs) >= steadyShare * sumOf(older, durationMs)
}

function utterancesIn(answers: readonly WarmUpAnswer[]): string {
  return JSON.stringify(answers.map(({ utteranceId }) => utteranceId).sort())
}

/** The max number of requests in flight at the same time; 1 where there were no requests. */
export function countInFlight(requests: readonly TimeInFlight[]): number {
  // Ends sort before starts at the same time, because the two requests were not in flight together.
  const events = requests
    .flatMap(({ sentAtMs, endedAtMs }) => [
      { atMs: sentAtMs, change: 1 },
      { atMs: endedAtMs, change: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.change - b.change)
  let [inFlight, max] = [0, 1]
  for (const { change } of events) {
    inFlight += change
    max = Math.max(max, inFlight)
  }
  return max
}

/**
 * Estimates how many requests a load will have in flight: the number that a closed load keeps, and for any other load the peak of its
 * plan if every answer takes as long as an answer of the warm-up.
 *
 * @param blocks planned times of sending, block by block
 */
export function expectInFlight(
  { inFlight }: Pick<Schedule, 'inFlight'>,
  blocks: Iterable<readonly (PlannedSend | null)[]>,
  answerMs: number,
): number {
  if (inFlight !== null) return Math.min(inFlight, maxInFlight.closed)
  let [peak, left] = [1, maxPlannedSends]
  for (const block of blocks) {
    peak = Math.max(peak, countInFlight(plannedTimes(block.slice(0, left), answerMs)))
    left -= block.length
    if (left <= 0 || peak >= maxInFlight.open) break
  }
  return Math.min(peak, maxInFlight.open)
}

function plannedTimes(sends: readonly (PlannedSend | null)[], answerMs: number): readonly TimeInFlight[] {
  const hasTextAtMs = new Map<number, number>()
  return sends.flatMap((send) => {
    if (send === null || send.kind === 'next') return []
    const sentAtMs =
      send.kind === 'due' ? send.dueAtMs : (hasTextAtMs.get(send.speaker) ?? 0) + send.pauseMs + send.speechMs
    const endedAtMs = sentAtMs + answerMs
    if (send.kind === 'spoken') hasTextAtMs.set(send.speaker, endedAtMs)
    return [{ sentAtMs, endedAtMs }]
  })
}

/** The requests of a warm-up that follow its planned ones. */
export interface FurtherWarmUp {
  readonly inFlight: number
  /** Max requests that follow the planned ones. */
  readonly requestCount: number
}

interface WarmUpLimits {
  /** Requests of the warm-up in the plan. */
  readonly planned: number
  /** Requests that are measured. */
  readonly measured: number
  /** Max requests of the warm-up for each in flight, from the config. */
  readonly max: number
  /** Requests that the load will have in flight, at least 1. */
  readonly inFlight: number
}

/**
 * Plans the requests that follow the planned ones. They are at most as many as the config allows for each request in flight, and at most
 * as many as are measured. Where these are too few to decide whether latencies have settled, fewer requests are in flight; where they
 * are too few even for one in flight, no request follows.
 */
export function planFurther({ planned, measured, max, inFlight }: WarmUpLimits): FurtherWarmUp {
  const allowed = (width: number): number => Math.max(0, Math.min(max * width - planned, measured))
  for (let width = inFlight; width >= 1 && planned > 0; width -= 1) {
    const rounds = Math.floor(allowed(width) / width)
    if (planned + rounds * width >= 2 * halfFor(width))
      return { inFlight: width, requestCount: rounds * width }
  }
  return { inFlight: 1, requestCount: 0 }
}

/** Returns the position, in the plan of a warm-up, of the request that further request `number` (from 0) repeats. */
export function repeatedPosition(number: number, planned: number): number {
  return number % Math.min(planned, repeatedUtterances)
}
