import type { Stretch } from './level.ts'
import type { LoadedServer } from './loaded-server.ts'
import { meanInSystem, relaxationSeconds, usualRelaxationSeconds } from './queueing.ts'

/** What is known of a server before any promise is tried: from requests alone, and from a full house. */
export interface ServerLimits {
  /** Mean time of a request that is alone. */
  readonly aloneSeconds: number
  /** Squared coefficient of variation. */
  readonly serviceVariation: number
  /** Requests per second that it completes when it always has work. */
  readonly mostPerSecond: number
}

/** How one load is measured: how long it settles, and what is counted of it. */
export interface StretchPlan {
  readonly perSecond: number
  readonly batches: number
  readonly warmupSeconds: number
  readonly forSeconds: number
  readonly prefill: number
}

/** Beyond this share of the most, a queue remembers for longer than anybody measures. */
export const highestShare = 0.96

const warmupRelaxations = 3
/** A batch is so many relaxation times and so many requests, at least: where there is time, and where there is little. */
const ample = { relaxations: 4, requests: 25 }
const scarce = { relaxations: 2, requests: 10 }
/** So many times more of the short ones, where they fit: the more there are, the better they know their spread. */
const mostOfScarce = 3
/** Fewer say nothing of how much they differ. */
const fewestBatches = 2

/**
 * Plans a stretch of so many batches. Where the time does not suffice for it, it is planned for the time that there is:
 * by the usual relaxation time instead of its bound, in shorter batches, then in fewer.
 *
 * @param mostSeconds for warm-up and batches
 * @returns null where nothing could be told after so short a time
 */
export function planStretch(
  perSecond: number,
  limits: ServerLimits,
  { batches, mostSeconds }: { readonly batches: number; readonly mostSeconds: number },
): StretchPlan | null {
  const { settled, prefill } = settledLoad(perSecond, limits)
  const bound = relaxationSeconds(settled, limits.mostPerSecond)
  const warmupSeconds = warmupRelaxations * bound
  const forSeconds = batches * batchSeconds(perSecond, bound, ample)
  if (warmupSeconds + forSeconds <= mostSeconds)
    return { perSecond, batches, warmupSeconds, forSeconds, prefill }
  const { warmupSeconds: least, batchSeconds: shortest } = scarceTimes(perSecond, limits)
  const fitting = Math.min(mostOfScarce * batches, Math.floor((mostSeconds - least) / shortest + 1e-9))
  if (fitting < fewestBatches) return null
  return { perSecond, batches: fitting, warmupSeconds: least, forSeconds: mostSeconds - least, prefill }
}

/** The least time after which anything can be told of a load. */
export function shortestSeconds(perSecond: number, limits: ServerLimits): number {
  const { warmupSeconds, batchSeconds } = scarceTimes(perSecond, limits)
  return warmupSeconds + fewestBatches * batchSeconds
}

/** Warm-up and batches together. */
export function secondsOf({ warmupSeconds, forSeconds }: StretchPlan): number {
  return warmupSeconds + forSeconds
}

/** Puts the load on, its queue filled from the start. */
export async function measureStretch(
  server: LoadedServer,
  { perSecond, batches, warmupSeconds, forSeconds, prefill }: StretchPlan,
  seed: number,
): Promise<Stretch> {
  const order = { kind: 'open', perSecond, forSeconds: warmupSeconds + forSeconds, prefill, seed } as const
  const samples = await server.measure(order)
  const batchMs = (1000 * forSeconds) / batches
  return { perSecond, fromMs: 1000 * warmupSeconds, forMs: 1000 * forSeconds, batchMs, samples }
}

function batchSeconds(
  perSecond: number,
  relaxation: number,
  { relaxations, requests }: typeof ample,
): number {
  return Math.max(relaxations * relaxation, requests / perSecond)
}

function scarceTimes(
  perSecond: number,
  limits: ServerLimits,
): { readonly warmupSeconds: number; readonly batchSeconds: number } {
  const { mostPerSecond, serviceVariation } = limits
  const { settled } = settledLoad(perSecond, limits)
  const relaxation = Math.min(
    relaxationSeconds(settled, mostPerSecond),
    usualRelaxationSeconds(settled, mostPerSecond, serviceVariation),
  )
  return {
    warmupSeconds: warmupRelaxations * relaxation,
    batchSeconds: batchSeconds(perSecond, relaxation, scarce),
  }
}

/** A load beyond what the server can do is measured as long as the highest one below. */
function settledLoad(
  perSecond: number,
  { aloneSeconds, mostPerSecond, serviceVariation }: ServerLimits,
): { readonly settled: number; readonly prefill: number } {
  const settled = Math.min(perSecond, highestShare * mostPerSecond)
  const servers = Math.max(1, Math.round(aloneSeconds * mostPerSecond))
  const serviceSeconds = servers / mostPerSecond
  const queue = { perSecond: settled, serviceSeconds, servers, arrivalVariation: 1, serviceVariation }
  return { settled, prefill: Math.round(meanInSystem(queue)) }
}
