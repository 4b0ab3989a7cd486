import { meansRateLimited, type RequestFailure } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { Clock } from '#load/clock'

/** What an attempt means for the pace of its contender. */
type PaceStep =
  /** Nothing to wait for: the attempt counts as what it came to. */
  | { readonly kind: 'settled' }
  /** The same request is sent again when the pause is over. `startsPause` is null where another attempt has started it. */
  | { readonly kind: 'again'; readonly startsPause: { readonly forMs: number } | null }
  /** The server asks for more patience than a run has. */
  | { readonly kind: 'giveUp'; readonly reason: string }

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
 * Holds requests back while a server asks for a pause. Treats refusals for a rate limit as a pace: the contender is sent nothing until the time in `Retry-After` is over, or
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
  requestsPerMinute: ReadonlyMap<string, number>,
) {
  const paces = new Map<string, ContenderPace>()
  const paceFor = (contenderId: string): ContenderPace => {
    const known = paces.get(contenderId)
    if (known !== undefined) return known
    const pace = { openAtMs: 0, nextAtMs: 0, pauseCount: 0, pausesInARow: 0, waitedInARowMs: 0 }
    paces.set(contenderId, pace)
    return pace
  }
  return {
    /**
     * Resolves when the contender may be sent a request; early when the signal aborts.
     *
     * @returns for how long it was held back, 0 where nothing held it, and the pauses of the contender until then
     */
    async pass(contenderId: string, stop: AbortSignal) {
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
    /** Whether an attempt was refused in a way that is waited out. */
    waitsOut: ({ contenderId, outcome }: AttemptLine): boolean =>
      pacedIds.has(contenderId) && !outcome.ok && meansRateLimited(outcome.failure),
    /** @param pauseCount of the contender when the attempt was let pass */
    after({ contenderId, outcome }: AttemptLine, pauseCount: number): PaceStep {
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
