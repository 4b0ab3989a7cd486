/** A request as a simulated server gets it. */
export interface Arrival {
  readonly dueAtMs: number
  /** That a worker is held for it while nobody else is at work. */
  readonly workMs: number
  /** What a request takes beside that, with no worker held: its way there and back. */
  readonly besideMs: number
  readonly audioSeconds: number
}

/** What a simulated server is made of. */
export interface SimulatedMachine {
  /** Requests that are worked on at once. */
  readonly workers: number
  /**
   * How many times as long as back to back and alone each request takes while k are at work, from k = 1. Above the last
   * one every further worker only shares what there is.
   */
  readonly slowdowns: readonly number[]
  /** How many times as much work a request is that found nobody: the machine has just done nothing. */
  readonly idleSlowdown: number
  /** Requests that may wait; more are refused. Null: no bound. */
  readonly queueBound: number | null
}

export interface SimulatedAnswer {
  /** Null where it was refused. */
  readonly responseMs: number | null
  readonly audioSeconds: number
}

/** How many times as long as alone each of so many takes. */
export function slowdownOf(slowdowns: readonly number[], atWork: number): number {
  const known = slowdowns[atWork - 1]
  if (known !== undefined) return known
  return slowdowns.length === 0 ? 1 : ((slowdowns.at(-1) ?? 1) * atWork) / slowdowns.length
}

/**
 * A discrete-event simulation of a queue in front of workers that are in each other's way: while k are at work, the
 * work that each has left shrinks at the rate of 1 / slowdown(k).
 *
 * @param arrivals in order of time
 * @returns answers in the same order
 */
export function simulateQueue(arrivals: readonly Arrival[], machine: SimulatedMachine): SimulatedAnswer[] {
  const { workers, slowdowns, idleSlowdown, queueBound } = machine
  const answers: SimulatedAnswer[] = arrivals.map(({ audioSeconds }) => ({ responseMs: null, audioSeconds }))
  const rates = Array.from({ length: workers + 1 }, (_, atWork) => 1 / slowdownOf(slowdowns, atWork))
  const waiting: number[] = []
  let head = 0
  let busy: { readonly index: number; leftMs: number }[] = []
  let nowMs = 0
  let next = 0
  const begin = (index: number, factor = 1): void => {
    busy.push({ index, leftMs: factor * (arrivals[index]?.workMs ?? 0) })
  }
  for (;;) {
    const rate = rates[busy.length] ?? 1
    const least = busy.reduce((soonest, { leftMs }) => Math.min(soonest, leftMs), Number.POSITIVE_INFINITY)
    const endsMs = busy.length === 0 ? Number.POSITIVE_INFINITY : nowMs + least / rate
    const comesMs = arrivals[next]?.dueAtMs ?? Number.POSITIVE_INFINITY
    if (endsMs === Number.POSITIVE_INFINITY && comesMs === Number.POSITIVE_INFINITY) return answers
    const untilMs = Math.min(endsMs, comesMs)
    const doneMs = busy.length === 0 ? 0 : (untilMs - nowMs) * rate
    for (const each of busy) each.leftMs -= doneMs
    nowMs = untilMs
    if (comesMs < endsMs) {
      if (busy.length < workers) begin(next, busy.length === 0 ? idleSlowdown : 1)
      else if (queueBound === null || waiting.length - head < queueBound) waiting.push(next)
      next += 1
      continue
    }
    // By the work that was least, not by what is left: late in a long simulation, rounding may leave a rest for which
    // no clock would ever move.
    const isOver = ({ leftMs }: { readonly leftMs: number }): boolean => leftMs <= least - doneMs + 1e-6
    const over = busy.filter(isOver)
    busy = busy.filter((each) => !isOver(each))
    for (const { index } of over) {
      const { dueAtMs, besideMs, audioSeconds } = arrivals[index] as Arrival
      answers[index] = { responseMs: nowMs - dueAtMs + besideMs, audioSeconds }
      const following = waiting[head]
      if (following === undefined) continue
      head += 1
      begin(following)
    }
  }
}
