import { meansRateLimited, type RequestFailure } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { Clock } from '#load/clock'

/** The consequence of an attempt for the pace of its contender. */
type PaceStep =
  /** No pause is needed; the outcome of the attempt is final. */
  | { readonly kind: 'final' }
  /** The request is sent again after the pause. `startsPause` is null if another attempt has started that pause. */
  | { readonly kind: 'again'; readonly startsPause: { readonly forMs: number } | null }
  /** The server asks for a longer pause than a run waits. */
  | { readonly kind: 'giveUp'; readonly reason: string }

/** Maximum waiting in a row without an answer: with a delay from the server, and without one. */
const maxAskedMs = 300_000
const maxUnaskedMs = 60_000

/** First pause if the server gives no delay; each further one in a row doubles, up to the maximum. */
const firstPauseMs = 1000
const maxPauseMs = 30_000

interface ContenderPace {
  openAtMs: number
  /** Earliest time of the next request under the limit of requests per minute. */
  nextAtMs: number
  pauseCount: number
  /** Number of pauses since the last attempt that was not refused. */
  pausesInARow: number
  waitedInARowMs: number
}

/**
 * Holds requests back while a server asks for a pause. After a refusal for a rate limit, the contender is sent nothing for the
 * time in `Retry-After`, or else for a back-off; then the refused request is sent again.
 *
 *   in flight 1   ├─ok─┤├429┤·······├──ok──┤        · no request to this contender is sent
 *   in flight 2   ├──ok──┤├429┤·····├─ok─┤
 *
 * Refusals of requests that were in flight when a pause began do not start another one, but may extend it.
 *
 * @param waitedOutIds contenders whose refusals are waited out; those of all others count as failures
 * @param requestsPerMinute limits by contender id; requests are spread evenly
 */
export function startPace(
  waitedOutIds: ReadonlySet<string>,
  clock: Clock,
  requestsPerMinute: ReadonlyMap<string, number>,
) {
  const paces = new Map<string, ContenderPace>()
  const paceFor = (contenderId: string): ContenderPace => {
    const started = paces.get(contenderId)
    if (started !== undefined) return started
    const pace = { openAtMs: 0, nextAtMs: 0, pauseCount: 0, pausesInARow: 0, waitedInARowMs: 0 }
    paces.set(contenderId, pace)
    return pace
  }
  return {
    /**
     * Resolves when the contender may be sent a request; early when the signal aborts.
     *
     * @returns how long the request was held back, 0 if it was not, and the number of pauses of the contender so far
     */
    async admit(contenderId: string, stop: AbortSignal) {
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
    waitsOut: waitingOut(waitedOutIds),
    /** @param pauseCount of the contender when the attempt was sent */
    after({ contenderId, outcome }: AttemptLine, pauseCount: number): PaceStep {
      if (!waitedOutIds.has(contenderId)) return { kind: 'final' }
      const pace = paceFor(contenderId)
      if (outcome.ok || !meansRateLimited(outcome.failure)) {
        pace.pausesInARow = 0
        pace.waitedInARowMs = 0
        return { kind: 'final' }
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

/** @returns whether an attempt was refused for a rate limit that is waited out */
export function waitingOut(waitedOutIds: ReadonlySet<string>) {
  return ({ contenderId, outcome }: AttemptLine): boolean =>
    waitedOutIds.has(contenderId) && !outcome.ok && meansRateLimited(outcome.failure)
}

/** The delay that the server asks for; null if it gives none or 0. */
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
