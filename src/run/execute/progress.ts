import type { RetryConfig } from '#config/bench-config'
import { failureLabel, meansRateLimited, meansSpentQuota, type RequestFailure } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import type { Clock } from '#load/clock'
import { seededRandom } from '#prelude'

/** How far earlier segments of a run have come. */
export interface Progress {
  /** Whether nothing is left to do for a request. A warm-up is, where its contender has nothing left to be warm for. */
  isSettled(request: PlannedRequest): boolean
  /** The number of the next attempt, from 1. */
  nextAttempt(index: number): number
  /** Attempts of a request that were refused for a rate limit and waited out. */
  pausesBefore(index: number): number
  /** Indices of measured requests that were sent and are to be sent again. */
  readonly unsettled: ReadonlySet<number>
}

/**
 * A request is settled by an attempt in the journal, answered or failed. Not settled are those of which
 * there is none (also where one was under way when the run died: its outcome is unknown), those that were
 * dropped in flight or refused for a spent quota, and those that would have been sent again.
 *
 * @param answered indices of requests that an earlier run has answered, so that they are not sent
 * @param mayFollow whether an attempt would have been followed by another one
 */
export function readProgress(
  requests: readonly PlannedRequest[],
  { earlier, answered }: { readonly earlier: readonly AttemptLine[]; readonly answered: ReadonlySet<number> },
  mayFollow: Retries['mayFollow'],
): Progress {
  const pauses = new Map<number, number>()
  for (const { index, attempt, pacedMs } of earlier) {
    if (attempt > 1 && pacedMs !== undefined) pauses.set(index, (pauses.get(index) ?? 0) + 1)
  }
  const pausesBefore = (index: number): number => pauses.get(index) ?? 0
  const last = new Map<number, { readonly attempt: number; readonly isSettled: boolean }>()
  for (const line of earlier) {
    const { index, attempt, outcome } = line
    if (attempt < (last.get(index)?.attempt ?? 0)) continue
    // What a spent quota refused is sent when more was paid.
    const isDropped = !outcome.ok && (outcome.failure.kind === 'dropped' || meansSpentQuota(outcome.failure))
    last.set(index, { attempt, isSettled: !isDropped && !mayFollow(line, pausesBefore(index)) })
  }
  const isDone = (index: number): boolean => answered.has(index) || last.get(index)?.isSettled === true
  const unfinished = new Set<string>()
  const unsettled = new Set<number>()
  for (const { phase, index, contenderId } of requests) {
    if (phase !== 'measure' || isDone(index)) continue
    unfinished.add(contenderId)
    if (last.has(index)) unsettled.add(index)
  }
  return {
    isSettled: ({ phase, index, contenderId }) =>
      phase === 'warmup' ? !unfinished.has(contenderId) : isDone(index),
    nextAttempt: (index) => (last.get(index)?.attempt ?? 0) + 1,
    pausesBefore,
    unsettled,
  }
}

/** Counts measured requests by what their last attempt came to; what has none is not sent. */
export interface Tally {
  add(line: AttemptLine): void
  counts(): RunCounts
}

/**
 * @param planned measured requests in the plan; the warm-up is not among them
 * @param answeredBefore those of them that an earlier run has answered
 */
export function startTally(planned: number, answeredBefore = 0): Tally {
  const outcomes = new Map<number, CountedOutcome>()
  const numbers: Record<CountedOutcome, number> = { answered: answeredBefore, failed: 0, dropped: 0 }
  return {
    add({ index, phase, outcome }) {
      if (phase !== 'measure') return
      const before = outcomes.get(index)
      if (before !== undefined) numbers[before] -= 1
      const last = outcome.ok ? 'answered' : outcome.failure.kind === 'dropped' ? 'dropped' : 'failed'
      outcomes.set(index, last)
      numbers[last] += 1
    },
    counts: () => ({ planned, ...numbers, notSent: planned - answeredBefore - outcomes.size }),
  }
}

type CountedOutcome = 'answered' | 'failed' | 'dropped'

/** Decides which failed requests are sent again, and when. Nothing is, unless the config declares it. */
export interface Retries {
  /**
   * Whether the policy would have this attempt followed by another one, its budget aside.
   *
   * @param pausesBefore attempts of the request that a rate limit refused and that were waited out: they are no retries
   */
  mayFollow(line: AttemptLine, pausesBefore: number): boolean
  /** How long to wait before the request is sent again; null where it is not. What it grants, it takes from the budget. */
  waitMsAfter(line: AttemptLine, pausesBefore: number): number | null
}

export interface RetryContext {
  readonly seed: number
  /** Measured requests in the plan. */
  readonly plannedCount: number
  /** Repeats that earlier segments of the run have made. */
  readonly spentCount: number
}

/** A server that asks for a longer wait than this is not waited for: the run would not progress. */
const maxWaitMs = 300_000

/**
 * Waits double from one attempt of a request to the next, and lie in the upper half of that, at random:
 *
 *   back-off 1 s   1st wait 0.5 to 1 s   2nd 1 to 2 s   3rd 2 to 4 s
 *
 * so that requests that failed together do not come back together. A server's `Retry-After` is waited out in full
 * before, and the back-off only spreads requests that got the same delay. The random part depends on the seed, the request
 * and the attempt alone, whatever else is in flight.
 */
export function startRetries(policy: RetryConfig, { seed, plannedCount, spentCount }: RetryContext): Retries {
  const { codes, most, backOffSeconds, budget } = policy
  let left = Math.floor(budget * plannedCount) - spentCount
  const mayFollow = ({ phase, attempt, outcome }: AttemptLine, pausesBefore: number): boolean =>
    phase === 'measure' &&
    attempt - pausesBefore <= most &&
    !outcome.ok &&
    codes.includes(failureLabel(outcome.failure))
  return {
    mayFollow,
    waitMsAfter(line, pausesBefore) {
      if (left <= 0 || !mayFollow(line, pausesBefore)) return null
      const waitMs = backOffMs(
        { index: line.index, attempt: line.attempt - pausesBefore, outcome: line.outcome },
        { seed, backOffSeconds },
      )
      if (waitMs > maxWaitMs) return null
      left -= 1
      return waitMs
    },
  }
}

function backOffMs(
  { index, attempt, outcome }: Pick<AttemptLine, 'index' | 'attempt' | 'outcome'>,
  { seed, backOffSeconds }: { readonly seed: number; readonly backOffSeconds: number },
): number {
  const unit = seededRandom(
    (seed ^ Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(attempt, 0x85ebca6b)) >>> 0,
  ).unit()
  const stepMs = 1000 * backOffSeconds * 2 ** (attempt - 1)
  const askedSeconds =
    !outcome.ok && 'retryAfterSeconds' in outcome.failure ? outcome.failure.retryAfterSeconds : undefined
  return askedSeconds === undefined ? stepMs * (0.5 + unit / 2) : 1000 * askedSeconds + stepMs * unit
}

/** How a request came past the pauses of its contender. */
export interface Passage {
  /** How long it was held back, in milliseconds; 0 where nothing held it. */
  readonly heldMs: number
  /** Pauses of the contender until then. */
  readonly pauseCount: number
}

/** What an attempt means for the pace of its contender. */
type PaceStep =
  /** Nothing to wait for: the attempt counts as what it came to. */
  | { readonly kind: 'settled' }
  /** The same request is sent again when the pause is over. `startsPause` is null where another attempt has started it. */
  | { readonly kind: 'again'; readonly startsPause: { readonly forMs: number } | null }
  /** The server asks for more patience than a run has. */
  | { readonly kind: 'giveUp'; readonly reason: string }

/** Holds requests back while a server asks for a pause. */
export interface Pace {
  /** Resolves when the contender may be sent a request; early when the signal aborts. */
  pass(contenderId: string, stop: AbortSignal): Promise<Passage>
  after(line: AttemptLine, passage: Passage): PaceStep
  /** Whether an attempt was refused in a way that is waited out. */
  waitsOut(line: AttemptLine): boolean
}

/** A contender is given up when this much waiting in a row has brought no answer: as its server asks, and unasked. */
const maxAskedMs = 300_000
const maxUnaskedMs = 60_000

/** First pause where a server does not say how long; each further one in a row is twice as long, up to the second. */
const firstPauseMs = 1000
const maxPauseMs = 30_000

interface ContenderPace {
  openAtMs: number
  /** When the limit of requests per minute lets the next one leave. */
  nextAtMs: number
  pauseCount: number
  /** Since the last attempt that was not refused. */
  pausesInARow: number
  waitedInARowMs: number
}

/**
 * Treats refusals for a rate limit as a pace: the contender is sent nothing until the time in `Retry-After` is over, or
 * a back-off where the server names none, and the refused request is sent again.
 *
 *   in flight 1   ├─ok─┤├429┤·······├──ok──┤        · no request to this contender leaves
 *   in flight 2   ├──ok──┤├429┤·····├─ok─┤
 *
 * Requests that were under way when a pause began belong to it: their refusals begin no further one, and may make it longer.
 *
 * @param pacedIds contenders whose refusals are waited out; those of all others count as failures
 * @param requestsPerMinute of contenders that are sent no more than so many, evenly spread
 */
export function startPace(
  pacedIds: ReadonlySet<string>,
  clock: Clock,
  requestsPerMinute: ReadonlyMap<string, number> = new Map(),
): Pace {
  const paces = new Map<string, ContenderPace>()
  const paceFor = (contenderId: string): ContenderPace => {
    const known = paces.get(contenderId)
    if (known !== undefined) return known
    const pace = { openAtMs: 0, nextAtMs: 0, pauseCount: 0, pausesInARow: 0, waitedInARowMs: 0 }
    paces.set(contenderId, pace)
    return pace
  }
  return {
    async pass(contenderId, stop) {
      const pace = paceFor(contenderId)
      const fromMs = clock.nowMs()
      let isHeld = false
      // A pause may begin while a request waits for its slot, and another request may take the slot.
      while (!stop.aborted) {
        const nowMs = clock.nowMs()
        if (nowMs < pace.openAtMs) await clock.sleepUntil(pace.openAtMs, stop, 'rough')
        else if (nowMs < pace.nextAtMs) await clock.sleepUntil(pace.nextAtMs, stop)
        else break
        isHeld = true
      }
      const perMinute = requestsPerMinute.get(contenderId)
      if (perMinute !== undefined) pace.nextAtMs = clock.nowMs() + 60_000 / perMinute
      return { heldMs: isHeld ? clock.nowMs() - fromMs : 0, pauseCount: pace.pauseCount }
    },
    waitsOut: ({ contenderId, outcome }) =>
      pacedIds.has(contenderId) && !outcome.ok && meansRateLimited(outcome.failure),
    after({ contenderId, outcome }, { pauseCount }) {
      if (!pacedIds.has(contenderId)) return { kind: 'settled' }
      const pace = paceFor(contenderId)
      if (outcome.ok || !meansRateLimited(outcome.failure)) {
        pace.pausesInARow = 0
        pace.waitedInARowMs = 0
        return { kind: 'settled' }
      }
      const askedMs = askedPauseMs(outcome.failure)
      const isOfPause = pauseCount < pace.pauseCount
      if (isOfPause && askedMs === null) return { kind: 'again', startsPause: null }
      const nowMs = clock.nowMs()
      const forMs = askedMs ?? Math.min(maxPauseMs, firstPauseMs * 2 ** pace.pausesInARow)
      const addedMs = Math.max(0, forMs - Math.max(0, pace.openAtMs - nowMs))
      if (pace.waitedInARowMs + addedMs > (askedMs === null ? maxUnaskedMs : maxAskedMs)) {
        return { kind: 'giveUp', reason: impatience(pace.waitedInARowMs, askedMs) }
      }
      pace.openAtMs = Math.max(pace.openAtMs, nowMs + forMs)
      pace.waitedInARowMs += addedMs
      if (isOfPause) return { kind: 'again', startsPause: null }
      pace.pauseCount += 1
      pace.pausesInARow += 1
      return { kind: 'again', startsPause: { forMs } }
    },
  }
}

/** Null where the server names no time to come back; "at once" is none. */
function askedPauseMs(failure: RequestFailure): number | null {
  const seconds = 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : undefined
  return seconds === undefined || seconds <= 0 ? null : 1000 * seconds
}

function impatience(waitedMs: number, askedMs: number | null): string {
  const waited = waitedMs === 0 ? '' : `after ${Math.round(waitedMs / 1000)} s of waiting `
  return askedMs === null
    ? `${waited}it still refuses for its rate limit`
    : `${waited}it asks for another ${Math.round(askedMs / 1000)} s`
}
