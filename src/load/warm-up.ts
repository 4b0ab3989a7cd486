import type { PlannedSend, Schedule } from './schedule.ts'

/**
 * Answers on either side that are compared. A server that is slow for its first ten requests is found, at the cost of twelve; two are
 * not enough, because both may be slow alike.
 */
const halfAlone = 6
/** The same for each request in flight where there are several: a worker that is slow for its first six requests is found. */
const halfForEach = 4
/** A warm-up whose later answers take less than this share of the earlier ones' time still has something to gain. */
const settledShare = 0.8
/** Utterances that are sent again and again: each answer is compared with those to the same recordings. */
const repeatedUtterances = 2
/** Requests in flight of a warm-up at the most, before a closed load and before any other one, which has its peaks only now and then. */
const mostInFlight = { closed: 32, open: 8 }
/** Planned sendings that show how many are in flight at a time. */
const lookedAt = 2000

/** After the planned requests of a warm-up, no more is sent when this time is over: wrk2 discards as much. */
export const maxSettlingMs = 10_000
/**
 * The first requests of a warm-up are sent one at a time: the first loads the model, and has its own figure; the second shows how long an
 * answer takes.
 */
export const sentAlone = 2

/** An answer of a warm-up. */
interface WarmUpAnswer extends TimeInFlight {
  readonly utteranceId: string
}

interface TimeInFlight {
  readonly sentAtMs: number
  readonly endedAtMs: number
}

/** How many answers are compared with as many before them. */
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
 * @returns null where too few are known to decide
 */
export function hasSettled(answers: readonly WarmUpAnswer[]): boolean | null {
  const half = halfFor(countInFlight(answers))
  const newer = answers.slice(-half)
  const older = answers.slice(-2 * half, -half)
  if (older.length < half || utterancesIn(older) !== utterancesIn(newer)) return null
  return totalMs(newer) >= settledShare * totalMs(older)
}

function utterancesIn(answers: readonly WarmUpAnswer[]): string {
  return JSON.stringify(answers.map(({ utteranceId }) => utteranceId).sort())
}

function totalMs(answers: readonly WarmUpAnswer[]): number {
  return answers.reduce((sum, { sentAtMs, endedAtMs }) => sum + endedAtMs - sentAtMs, 0)
}

/** The largest number that were in flight at the same time; 1 where there were none. */
export function countInFlight(requests: readonly TimeInFlight[]): number {
  // Of two events at one moment the end is first: what is sent then was not in flight with what has ended.
  const events = requests
    .flatMap(({ sentAtMs, endedAtMs }) => [
      { atMs: sentAtMs, change: 1 },
      { atMs: endedAtMs, change: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.change - b.change)
  let [inFlight, most] = [0, 1]
  for (const { change } of events) {
    inFlight += change
    most = Math.max(most, inFlight)
  }
  return most
}

/**
 * How many requests a load will have in flight: what a closed load keeps, and for any other one the largest number that its plan
 * has at a time if every answer takes as long as one of the warm-up did.
 *
 * @param blocks planned sendings, block by block
 */
export function expectInFlight(
  { inFlight }: Pick<Schedule, 'inFlight'>,
  blocks: Iterable<readonly (PlannedSend | null)[]>,
  answerMs: number,
): number {
  if (inFlight !== null) return Math.min(inFlight, mostInFlight.closed)
  let [most, left] = [1, lookedAt]
  for (const block of blocks) {
    most = Math.max(most, countInFlight(plannedTimes(block.slice(0, left), answerMs)))
    left -= block.length
    if (left <= 0 || most >= mostInFlight.open) break
  }
  return Math.min(most, mostInFlight.open)
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

/** How a warm-up goes on after its first requests. */
interface FurtherWarmUp {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests that may follow the planned ones. */
  readonly most: number
}

/**
 * How a warm-up may go on: up to the maximum of the config for each request in flight, and with no more requests than are measured. With
 * fewer in flight where that would not be enough to decide whether latencies have settled, and not at all where one is too many.
 *
 * @param inFlight wanted, a whole number from 1
 */
export function planFurther(given: {
  readonly planned: number
  readonly measured: number
  readonly max: number
  readonly inFlight: number
}): FurtherWarmUp {
  const { planned, measured, max, inFlight } = given
  const allowed = (width: number): number => Math.max(0, Math.min(max * width - planned, measured))
  for (let width = inFlight; width >= 1 && planned > 0; width -= 1) {
    const rounds = Math.floor(allowed(width) / width)
    if (planned + rounds * width >= 2 * halfFor(width)) return { inFlight: width, most: rounds * width }
  }
  return { inFlight: 1, most: 0 }
}

/** Position, among the planned requests of a warm-up, of the one that is sent again as the further one of this number, from 0. */
export function repeatedPosition(number: number, planned: number): number {
  return number % Math.min(planned, repeatedUtterances)
}
