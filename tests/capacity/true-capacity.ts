import { isMiss, type Objective } from '#capacity/objective'
import { seededRandom } from '#prelude'
import { drawJobs, type Job, type SimulatedServer } from './simulated-servers.ts'

/**
 * The load at which a simulated server misses just as often as it may: by bisection over one very long
 * simulation whose arrivals are stretched and squeezed, without any of the code that searches.
 *
 * @returns requests per second
 */
export function trueCapacity(
  server: SimulatedServer,
  objective: Objective,
  allowed: number,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): number {
  const random = seededRandom(seed)
  const { jobs, audioSeconds } = drawJobs(server, requests, random)
  const unitArrivals = new Float64Array(requests)
  let at = 0
  for (let index = 0; index < requests; index += 1) {
    at -= Math.log(1 - random.unit())
    unitArrivals[index] = at
  }
  const missShare = (perSecond: number): number => {
    const station = server.makeStation()
    let misses = 0
    let judged = 0
    let next = 0
    let waiting = 0
    for (;;) {
      const eventMs = station.nextEventMs()
      const arrivalMs =
        next < requests ? ((unitArrivals[next] ?? 0) * 1000) / perSecond : Number.POSITIVE_INFINITY
      if (arrivalMs === Number.POSITIVE_INFINITY && eventMs === Number.POSITIVE_INFINITY) break
      if (arrivalMs < eventMs) {
        station.arrive(jobs[next] as Job, arrivalMs)
        next += 1
        waiting += 1
        // Hopelessly behind: no need to wait for the end.
        if (waiting > 5_000) return 1
        continue
      }
      for (const { position, isAnswered } of station.advance(eventMs)) {
        waiting -= 1
        if (position < 2_000) continue
        judged += 1
        const responseMs = eventMs - ((unitArrivals[position] ?? 0) * 1000) / perSecond
        if (isMiss(objective, { responseMs, audioSeconds: audioSeconds[position] ?? 0, isAnswered }))
          misses += 1
      }
    }
    return misses / judged
  }
  let [low, high] = [1, 60]
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high)
    if (missShare(middle) > allowed) high = middle
    else low = middle
  }
  return Math.sqrt(low * high)
}
