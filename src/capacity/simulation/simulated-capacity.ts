import { equalIssueOrder, poissonSchedule } from '#load'
import { type Random, seededRandom } from '#prelude'
import type { TurningAway } from '../at-work.ts'
import { allowance, isMiss, type Objective } from '../objective.ts'
import type { LevelSample } from './loaded-server.ts'
import { type SimulatedJobs, type SimulatedMachine, simulateQueue, slowdownOf } from './queue-simulation.ts'
import { drawServiceMs, type ServiceModel } from './service-model.ts'

/** A server as a sweep shows it: a queue, its workers, and how long a request takes. */
export interface SimulatedServer extends SimulatedMachine {
  readonly service: ServiceModel
  /** Of a request's time alone, the part in which it holds a worker: 0..1. */
  readonly share: number
}

/** The same server with the bound of its queue. */
export function boundedBy(server: SimulatedServer, refusals: TurningAway): SimulatedServer {
  return refusals.kind === 'full'
    ? { ...server, queueBound: Math.max(0, refusals.inside - server.workers) }
    : server
}

/** What a server is sent. */
export interface ServerUse {
  /** The mix, in seconds of audio; every length equally often. */
  readonly lengths: readonly number[]
  readonly seed: number
}

/** How a server may differ from its simulation. */
export interface Variation {
  /** 2 halves every service time; default 1. */
  readonly speed?: number
  /** Share of the requests that fail at any load, which count as misses; default 0. */
  readonly failureShare?: number
}

/** Draws what a server would spend on requests of such lengths that are due at such moments. */
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

/** Moments and lengths of requests that were sent. */
export function requestsOf(
  samples: readonly Pick<LevelSample, 'dueAtMs' | 'audioSeconds'>[],
): Parameters<typeof drawJobs>[1] {
  return {
    dueAtMs: samples.map(({ dueAtMs }) => dueAtMs),
    audioSeconds: samples.map(({ audioSeconds }) => audioSeconds),
  }
}

/** Requests of one simulated load: the share of misses is known to about a tenth of it. */
const requestsOfLoad = 50_000
const settling = 1_000
const exactness = 1.005

/** The highest load, in requests per second, that meets all objectives; null where even requests that are alone violate one. */
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
    (_, index) => (index + 1) / slowdownOf(server.slowdowns, index + 1),
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
  {
    responseMs,
    audioSeconds,
  }: { readonly responseMs: Float64Array; readonly audioSeconds: readonly number[] },
): number {
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
