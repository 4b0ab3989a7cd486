/**
 * Answers on either side that are compared. A server that is slow for its first ten requests is found, at the cost of twelve; two are
 * not enough, because both may be slow alike.
 */
const half = 6
/** A warm-up whose later answers take less than this share of the earlier ones' time still has something to gain. */
const settledShare = 0.8
/** Utterances that are sent again and again: each answer is compared with those to the same recordings. */
const repeatedUtterances = 2

/** After the planned requests of a warm-up, no more is sent when this time is over: wrk2 discards as much. */
export const maxSettlingMs = 10_000

/** An answer of a warm-up. */
interface WarmUpAnswer {
  readonly utteranceId: string
  /** From sending to answer. */
  readonly tookMs: number
}

/**
 * Whether latencies have settled: the newest answers took at least 80 % of the time of as many before them, to the same
 * utterances. Sums are compared, so that one slow answer in the older half is seen; where times scatter at random the warm-up
 * only goes on a little longer.
 *
 *   0.6 0.6 0.6 0.6 0.6 0.6 │ 0.6 0.1 0.1 0.1 0.1 0.1     1.1 of 3.6 s: still falling
 *
 * @param answers in the order of sending
 * @returns null where too few are known to decide
 */
export function hasSettled(answers: readonly WarmUpAnswer[]): boolean | null {
  const newer = answers.slice(-half)
  const older = answers.slice(-2 * half, -half)
  if (older.length < half || utterancesIn(older) !== utterancesIn(newer)) return null
  return totalMs(newer) >= settledShare * totalMs(older)
}

function utterancesIn(answers: readonly WarmUpAnswer[]): string {
  return JSON.stringify(answers.map(({ utteranceId }) => utteranceId).sort())
}

function totalMs(answers: readonly WarmUpAnswer[]): number {
  return answers.reduce((sum, { tookMs }) => sum + tookMs, 0)
}

/**
 * How many further requests of a warm-up may follow the planned ones: up to the maximum of the config, and no more than are measured. None
 * where that would not be enough to decide whether latencies have settled.
 */
export function furtherWarmUps({
  planned,
  measured,
  max,
}: {
  readonly planned: number
  readonly measured: number
  readonly max: number
}): number {
  const further = Math.min(max - planned, measured)
  return planned > 0 && planned + further >= 2 * half ? further : 0
}

/** Position, among the planned requests of a warm-up, of the one that is sent again as the further one of this number, from 0. */
export function repeatedPosition(number: number, planned: number): number {
  return number % Math.min(planned, repeatedUtterances)
}
