/** Requests as a simulated server gets them, in order of time: one entry of each list for each request. */
export interface SimulatedJobs {
  readonly dueAtMs: Float64Array
  /** That a worker is held while no other worker is busy. */
  readonly workMs: Float64Array
  /** What a request takes next to that, with no worker held: its way there and back. */
  readonly extraMs: Float64Array
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
  /** How many times as much work a request is that found an empty server: the machine has just done nothing. */
  readonly idleSlowdown: number
  /** Requests that may wait; more are refused. Null: no bound. */
  readonly queueBound: number | null
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
 * @param loadFactor the same arrivals so many times closer together; default 1
 * @param speed of the server, which divides what a request takes; default 1
 * @returns response times in the same order; NaN for a request that was refused
 */
export function simulateQueue(
  { dueAtMs, workMs, extraMs }: SimulatedJobs,
  { workers, slowdowns, idleSlowdown, queueBound }: SimulatedMachine,
  { loadFactor = 1, speed = 1 }: { readonly loadFactor?: number; readonly speed?: number } = {},
): Float64Array {
  const count = dueAtMs.length
  const responseMs = new Float64Array(count).fill(Number.NaN)
  const rates = Float64Array.from(
    { length: workers + 1 },
    (_, atWork) => speed / slowdownOf(slowdowns, atWork),
  )
  const waiting = new Int32Array(count)
  // The first `busy` entries are at work: which requests, and how much of each is left.
  const [indices, leftMs] = [new Int32Array(workers), new Float64Array(workers)]
  let [busy, head, tail, next, nowMs] = [0, 0, 0, 0, 0]
  for (;;) {
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at < busy; at += 1) {
      const left = leftMs[at] as number
      if (left < least) least = left
    }
    const rate = rates[busy] as number
    const endsMs = busy === 0 ? Number.POSITIVE_INFINITY : nowMs + least / rate
    const comesMs = next < count ? (dueAtMs[next] as number) / loadFactor : Number.POSITIVE_INFINITY
    if (endsMs === Number.POSITIVE_INFINITY && comesMs === Number.POSITIVE_INFINITY) return responseMs
    const isArrival = comesMs < endsMs
    const doneMs = isArrival ? (comesMs - nowMs) * rate : least
    for (let at = 0; at < busy; at += 1) leftMs[at] = (leftMs[at] as number) - doneMs
    nowMs = isArrival ? comesMs : endsMs
    if (isArrival) {
      if (busy < workers) {
        indices[busy] = next
        leftMs[busy] = (busy === 0 ? idleSlowdown : 1) * (workMs[next] as number)
        busy += 1
      } else if (queueBound === null || tail - head < queueBound) {
        waiting[tail] = next
        tail += 1
      }
      next += 1
      continue
    }
    let over = 0
    for (let at = busy - 1; at >= 0; at -= 1) {
      // Late in a long simulation rounding leaves a rest for which no clock would ever move.
      if ((leftMs[at] as number) > 1e-6) continue
      const index = indices[at] as number
      responseMs[index] = nowMs - (dueAtMs[index] as number) / loadFactor + (extraMs[index] as number) / speed
      busy -= 1
      indices[at] = indices[busy] as number
      leftMs[at] = leftMs[busy] as number
      over += 1
    }
    for (; over > 0 && head < tail; over -= 1) {
      const index = waiting[head] as number
      head += 1
      indices[busy] = index
      leftMs[busy] = workMs[index] as number
      busy += 1
    }
  }
}
