import { describeFailure, meansNoSpeech, meansRateLimited } from '#contract'
import type { AttemptLine } from '#journal'
import { renderNotice, type Terminal } from '#reports'

/** Shows why requests fail: each reason once for each contender, however often it occurs. */
export interface FirstFailures {
  /**
   * @param isPaused the request is sent again when its rate limit is over
   * @returns the line to show; null for an answer, for a reason that was shown, and in the warm-up
   */
  lineFor(line: AttemptLine, isPaused: boolean): string | null
}

/** Reasons that name a request or a moment all differ: more than these are left to the summary. */
const maxReasons = 3

export function firstFailures(terminal: Terminal): FirstFailures {
  const shown = new Map<string, Set<string>>()
  return {
    lineFor({ contenderId, phase, outcome }, isPaused) {
      if (phase === 'warmup' || outcome.ok) return null
      if (outcome.failure.kind === 'dropped' || meansNoSpeech(outcome.failure)) return null
      const reasons = shown.get(contenderId) ?? new Set()
      shown.set(contenderId, reasons)
      const words = describeFailure(outcome.failure)
      const reason = meansRateLimited(outcome.failure) ? 'rate limit' : words
      if (reasons.has(reason) || reasons.size >= maxReasons) return null
      reasons.add(reason)
      return isPaused
        ? renderNotice('~', `${contenderId}: rate limit, which is waited out: ${words}`, terminal)
        : renderNotice('✗', `${contenderId}: ${words}`, terminal)
    },
  }
}
