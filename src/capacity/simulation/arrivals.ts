import { poissonSchedule } from '#load'
import type { LoadOrder } from './loaded-server.ts'

/**
 * When the requests of an open load are due: those that fill the queue at once, then Poisson arrivals, then those of
 * what follows.
 *
 * @returns milliseconds from the start, ascending
 */
export function arrivalsOf({
  perSecond,
  forSeconds,
  prefill,
  seed,
  after,
}: Extract<LoadOrder, { kind: 'open' }>): number[] {
  const first = poissonArrivals(perSecond, forSeconds, seed)
  const second = after === undefined ? [] : poissonArrivals(after.perSecond, after.forSeconds, seed + 1)
  return [
    ...Array.from({ length: prefill }, () => 0),
    ...first,
    ...second.map((dueAtMs) => dueAtMs + 1000 * forSeconds),
  ]
}

function poissonArrivals(perSecond: number, forSeconds: number, seed: number): number[] {
  const schedule = poissonSchedule({ perSecond, forSeconds, seed })
  const plan = schedule.plan({ count: schedule.requestCount() ?? 0 })
  return plan.flatMap((send) => (send.kind === 'due' ? [send.dueAtMs] : []))
}
