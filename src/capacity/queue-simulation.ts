/** A request as a simulated server gets it. */
export interface Arrival {
  readonly dueAtMs: number
  /** With the machine for itself. */
  readonly serviceMs: number
  readonly audioSeconds: number
}

/** What a simulated server is made of. */
export interface SimulatedMachine {
  /** Requests that are worked on at once. */
  readonly workers: number
  /** Processors that one busy worker keeps busy: 1 for one thread that never waits. */
  readonly processorsPerWorker: number
  readonly processors: number
  /** Requests that may wait; more are refused. Null: no bound. */
  readonly queueBound: number | null
}

export interface SimulatedAnswer {
  /** Null where it was refused. */
  readonly responseMs: number | null
  readonly audioSeconds: number
}

/**
 * A discrete-event simulation of a queue in front of workers that share processors. As long as the workers together
 * ask for no more processors than there are, each is as fast as alone; beyond, all slow down alike:
 *
 *   speed of each of n busy workers = min(1, processors / (n · processors per worker))
 *
 * @param arrivals in order of time
 * @returns answers in the same order
 */
export function simulateQueue(arrivals: readonly Arrival[], machine: SimulatedMachine): SimulatedAnswer[] {
  const { workers, processorsPerWorker, processors, queueBound } = machine
  const answers: SimulatedAnswer[] = arrivals.map(({ audioSeconds }) => ({ responseMs: null, audioSeconds }))
  const waiting: number[] = []
  let head = 0
  let busy: { readonly index: number; leftMs: number }[] = []
  let nowMs = 0
  let next = 0
  const speed = (): number => Math.min(1, processors / (busy.length * processorsPerWorker))
  const begin = (index: number): void => {
    busy.push({ index, leftMs: arrivals[index]?.serviceMs ?? 0 })
  }
  for (;;) {
    const least = busy.reduce((soonest, { leftMs }) => Math.min(soonest, leftMs), Number.POSITIVE_INFINITY)
    const endsMs = busy.length === 0 ? Number.POSITIVE_INFINITY : nowMs + least / speed()
    const comesMs = arrivals[next]?.dueAtMs ?? Number.POSITIVE_INFINITY
    if (endsMs === Number.POSITIVE_INFINITY && comesMs === Number.POSITIVE_INFINITY) return answers
    const untilMs = Math.min(endsMs, comesMs)
    const doneMs = busy.length === 0 ? 0 : (untilMs - nowMs) * speed()
    for (const each of busy) each.leftMs -= doneMs
    nowMs = untilMs
    if (comesMs < endsMs) {
      if (busy.length < workers) begin(next)
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
      const { dueAtMs, audioSeconds } = arrivals[index] as Arrival
      answers[index] = { responseMs: nowMs - dueAtMs, audioSeconds }
      const following = waiting[head]
      if (following === undefined) continue
      head += 1
      begin(following)
    }
  }
}
