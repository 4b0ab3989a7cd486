import { poissonSchedule } from '#load/loads/steady'
import { equalIssueOrder } from '#load/what-is-sent'
import { type Random, seededRandom } from '#prelude'
import type { LevelSample } from './loaded-server.ts'
import { allowance, isMiss, type Objective } from './objective.ts'
import { drawServiceMs, type ServiceModel, type TurningAway } from './server-model.ts'

/** Model of a server from a sweep: its queue, its workers, and its service times. */
export interface SimulatedServer extends SimulatedMachine {
  readonly service: ServiceModel
  /** Share of a request's time alone in which it occupies a worker: 0..1. */
  readonly share: number
}

export function boundedBy(server: SimulatedServer, refusals: TurningAway): SimulatedServer {
  return refusals.kind === 'full'
    ? { ...server, queueBound: Math.max(0, refusals.inside - server.workers) }
    : server
}

export interface ServerUse {
  /** Lengths of the mix in seconds of audio, each equally frequent. */
  readonly lengths: readonly number[]
  readonly seed: number
}

/** Deviations of a server from its simulation. */
export interface Variation {
  /** Factor of the speed: 2 halves every service time; default 1. */
  readonly speed?: number
  /** Share of the requests that fail at any load, which count as misses; default 0. */
  readonly failureShare?: number
}

/** Draws the work of requests with these lengths and due times. */
export function drawJobs(
  { service, share }: SimulatedServer,
  requests: { readonly dueAtMs: readonly number[]; readonly audioSeconds: readonly number[] },
  random: Random,
): SimulatedJobs {
  const aloneMs = Float64Array.from(requests.audioSeconds, (seconds) =>
    drawServiceMs(service, seconds, random),
  )
  return {
    dueAtMs: Float64Array.from(requests.dueAtMs),
    workMs: aloneMs.map((each) => share * each),
    extraMs: aloneMs.map((each) => (1 - share) * each),
  }
}

/** Due times and lengths of sent requests. */
export function listRequests(
  samples: readonly Pick<LevelSample, 'dueAtMs' | 'audioSeconds'>[],
): Parameters<typeof drawJobs>[1] {
  return {
    dueAtMs: samples.map(({ dueAtMs }) => dueAtMs),
    audioSeconds: samples.map(({ audioSeconds }) => audioSeconds),
  }
}

/** Number of requests of one simulated load, which gives the share of misses within about a tenth. */
const requestsOfLoad = 50_000
const settling = 1_000
const exactness = 1.005

/** The highest load, in requests per second, that meets all objectives; null if even single requests violate one. */
export type FindCapacity = (objectives: readonly Objective[], variation?: Variation) => number | null

/**
 * Draws arrivals, lengths and service times of a simulated server, once for all loads, objectives and variations.
 *
 * @returns a search by bisection over the load
 */
export function capacityFinder(server: SimulatedServer, { lengths, seed }: ServerUse): FindCapacity {
  const random = seededRandom(seed)
  const unit = poissonSchedule({ perSecond: 1, forSeconds: null, seed }).plan({ count: requestsOfLoad })
  const dueAtMs = unit.map((send) => (send.kind === 'due' ? send.dueAtMs : 0))
  const audioSeconds = equalIssueOrder(lengths, requestsOfLoad, random)
  const jobs = drawJobs(server, { dueAtMs, audioSeconds }, random)
  const meanWorkMs = jobs.workMs.reduce((sum, each) => sum + each, 0) / requestsOfLoad
  const atOnce = Array.from(
    { length: server.workers },
    (_, index) => (index + 1) / findSlowdown(server.slowdowns, index + 1),
  )
  return (objectives, { speed = 1, failureShare = 0 } = {}) => {
    const isViolatedAt = (loadFactor: number): boolean => {
      const responseMs = simulateQueue(jobs, server, { loadFactor, speed })
      return objectives.some((objective) => {
        const misses = missShare(objective, { responseMs, audioSeconds })
        return failureShare + (1 - failureShare) * misses > allowance(objective)
      })
    }
    let high = (1000 * Math.max(...atOnce)) / (meanWorkMs / speed)
    let low = high / 1000
    if (isViolatedAt(low)) return null
    while (high / low > exactness) {
      const middle = Math.sqrt(low * high)
      if (isViolatedAt(middle)) high = middle
      else low = middle
    }
    return low
  }
}

function missShare(
  objective: Objective,
  simulated: { readonly responseMs: Float64Array; readonly audioSeconds: readonly number[] },
): number {
  const { responseMs, audioSeconds } = simulated
  let misses = 0
  for (let index = settling; index < responseMs.length; index += 1) {
    const response = responseMs[index] ?? Number.NaN
    const outcome = {
      responseMs: response,
      audioSeconds: audioSeconds[index] ?? 0,
      isAnswered: !Number.isNaN(response),
    }
    if (isMiss(objective, outcome)) misses += 1
  }
  return misses / (responseMs.length - settling)
}

/** Requests of a simulation in order of time: one entry of each array per request. */
export interface SimulatedJobs {
  readonly dueAtMs: Float64Array
  /** Time in milliseconds in a worker while no other worker is busy. */
  readonly workMs: Float64Array
  /** Time in milliseconds outside of a worker, for the transfer. */
  readonly extraMs: Float64Array
}

export interface SimulatedMachine {
  /** Number of requests that are processed at once. */
  readonly workers: number
  /**
   * Factor by which a request takes longer than alone and back to back while k are processed, from k = 1. Beyond the
   * last one, further workers only share the throughput.
   */
  readonly slowdowns: readonly number[]
  /** Factor of the work of a request that found an empty server, because an idle machine is slower. */
  readonly idleSlowdown: number
  /** Maximum number of waiting requests; more are refused. Null for no bound. */
  readonly queueBound: number | null
}

/** Slowdown factor with a number of requests at work. */
function findSlowdown(slowdowns: readonly number[], atWork: number): number {
  const measured = slowdowns[atWork - 1]
  if (measured !== undefined) return measured
  return slowdowns.length === 0 ? 1 : ((slowdowns.at(-1) ?? 1) * atWork) / slowdowns.length
}

/**
 * A discrete-event simulation of a queue in front of workers that slow each other down: while k are at work, the
 * remaining work of each shrinks at the rate of 1 / slowdown(k).
 *
 * @param loadFactor divides the times between arrivals; default 1
 * @param speed divides the times of all requests; default 1
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
    (_, atWork) => speed / findSlowdown(slowdowns, atWork),
  )
  const waiting = new Int32Array(count)
  // The first `busy` entries are the requests at work, with their remaining work.
  const [indices, leftMs] = [new Int32Array(workers), new Float64Array(workers)]
  let [busy, head, tail, next, nowMs] = [0, 0, 0, 0, 0]
  for (;;) {
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at < busy; at += 1) {
      const remainingMs = leftMs[at] as number
      if (remainingMs < least) least = remainingMs
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
      // In a long simulation, rounding may leave a remainder too small to advance the clock.
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
