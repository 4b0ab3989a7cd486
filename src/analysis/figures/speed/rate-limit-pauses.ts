import { meansRateLimited } from '#contract'
import type { AttemptLine } from '#journal'
import type { RateLimitWaits } from '../../documents/contender-evaluation.ts'

/** A time in which a contender was sent nothing, because its server had asked for a pause. In milliseconds of the run. */
export interface Pause {
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * The pauses of one contender, in their order and none over another: requests in flight together wait together.
 *
 *   held   ├·········┤ sent
 *   held      ├······┤ sent
 *   pause  ├─────────┤
 */
export function pausesOf(sendings: readonly AttemptLine[]): readonly Pause[] {
  const held: Pause[] = []
  for (const { dueAtMs, pacedMs } of sendings)
    if (pacedMs !== undefined && pacedMs > 0) held.push({ fromMs: dueAtMs - pacedMs, untilMs: dueAtMs })
  const pauses: Pause[] = []
  for (const one of held.sort((a, b) => a.fromMs - b.fromMs)) {
    const last = pauses.at(-1)
    if (last === undefined || one.fromMs > last.untilMs) pauses.push(one)
    else pauses[pauses.length - 1] = { ...last, untilMs: Math.max(last.untilMs, one.untilMs) }
  }
  return pauses
}

/** How many pauses lie before a moment. */
export function pausesBefore(pauses: readonly Pause[], atMs: number): number {
  let [low, high] = [0, pauses.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pauses[middle] as Pause).untilMs <= atMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a sending of one contender was refused for a rate limit, and sent again after a pause. */
export function refusedForPause(sendings: readonly AttemptLine[]): (sending: AttemptLine) => boolean {
  const resent = new Set<string>()
  for (const { index, attempt, pacedMs } of sendings)
    if (attempt > 1 && pacedMs !== undefined) resent.add(`${index}/${attempt - 1}`)
  if (resent.size === 0) return () => false
  return ({ index, attempt, outcome }) =>
    !outcome.ok && meansRateLimited(outcome.failure) && resent.has(`${index}/${attempt}`)
}

/** What a rate limit cost a contender that waited it out. */
export function rateLimitWaits(sendings: readonly AttemptLine[]): RateLimitWaits {
  const pauses = pausesOf(sendings)
  const isRefused = refusedForPause(sendings)
  let refusedCount = 0
  for (const sending of sendings) if (isRefused(sending)) refusedCount += 1
  return {
    refusedCount,
    waitedSeconds: pauses.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0) / 1000,
  }
}
