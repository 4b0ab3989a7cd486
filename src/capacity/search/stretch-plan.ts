import type { LevelSample, LoadedServer } from '../simulation/loaded-server.ts'
import { meanInSystem, relaxationSeconds, usualRelaxationSeconds } from '../simulation/queueing.ts'

/** What is known of a server before any objective is tried: from requests alone, and with many in flight. */
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
  /** Of equal length, each long enough that batches next to each other are nearly independent. */
  readonly batches: number
  readonly warmupSeconds: number
  /** Counted, all batches together. */
  readonly forSeconds: number
  /** Requests that fill the queue at the start. */
  readonly prefill: number
}

/** One stretch of time under one load. */
export interface Stretch extends StretchPlan {
  /** Everything that was sent, the warm-up too: what is left of it waits in the queue. */
  readonly samples: readonly LevelSample[]
}

/** Beyond this share of the most, a queue remembers for longer than anybody measures. */
export const highestShare = 0.96

/** A warm-up, a batch in relaxation times, and a batch in requests, at least: where there is time, and where there is little. */
const ample = { warmup: 3, relaxations: 4, requests: 25 }
const scarce = { warmup: 1, relaxations: 2, requests: 10 }
/** Fewer say nothing of how much they differ. */
const fewestBatches = 2
/** With fewer, no objective is called met: they say nothing of how requests miss together. */
export const judgedBatches = 10

/**
 * Plans a stretch of so many batches. Where the time does not suffice, by the usual relaxation time instead of its bound, and in
 * fewer batches.
 *
 * @param mostSeconds for warm-up and batches
 * @returns null where so short a time shows nothing
 */
export function planStretch(
  perSecond: number,
  limits: ServerLimits,
  { batches, mostSeconds }: { readonly batches: number; readonly mostSeconds: number },
): StretchPlan | null {
  const wanted = fullStretch(perSecond, limits, batches)
  return secondsOf(wanted) <= mostSeconds ? wanted : fillingStretch(perSecond, limits, mostSeconds)
}

/** A stretch of so many long batches. */
export function fullStretch(perSecond: number, limits: ServerLimits, batches: number): StretchPlan {
  const { warmupSeconds, batchSeconds, prefill } = timesOf(perSecond, limits, ample)
  return { perSecond, batches, warmupSeconds, forSeconds: batches * batchSeconds, prefill }
}

/** A stretch that takes just so long, in long batches where ten of them fit; null where not even two short ones do. */
export function fillingStretch(perSecond: number, limits: ServerLimits, seconds: number): StretchPlan | null {
  for (const [kind, fewest] of [
    [ample, judgedBatches],
    [scarce, fewestBatches],
  ] as const) {
    const { warmupSeconds, batchSeconds, prefill } = timesOf(perSecond, limits, kind)
    const batches = Math.floor((seconds - warmupSeconds) / batchSeconds + 1e-9)
    if (batches >= fewest)
      return { perSecond, batches, warmupSeconds, forSeconds: seconds - warmupSeconds, prefill }
  }
  return null
}

/** The shortest time after which anything can be said of a load. */
export function shortestSeconds(perSecond: number, limits: ServerLimits): number {
  const { warmupSeconds, batchSeconds } = timesOf(perSecond, limits, scarce)
  return warmupSeconds + fewestBatches * batchSeconds
}

/** The shortest time after which an objective can be called met, with so many requests. */
export function judgedSeconds(perSecond: number, limits: ServerLimits, requests: number): number {
  const { warmupSeconds, batchSeconds } = timesOf(perSecond, limits, scarce)
  return warmupSeconds + Math.max(judgedBatches * batchSeconds, requests / perSecond)
}

/** Warm-up and batches together. */
export function secondsOf({ warmupSeconds, forSeconds }: StretchPlan): number {
  return warmupSeconds + forSeconds
}

/** Puts the load on, its queue filled from the start. */
export async function measureStretch(
  server: LoadedServer,
  plan: StretchPlan,
  seed: number,
): Promise<Stretch> {
  const { perSecond, prefill } = plan
  const samples = await server.measure({
    kind: 'open',
    perSecond,
    forSeconds: secondsOf(plan),
    prefill,
    seed,
  })
  return { ...plan, samples }
}

/** A load beyond what the server can do is measured as long as the highest one below. */
function timesOf(
  perSecond: number,
  { aloneSeconds, mostPerSecond, serviceVariation }: ServerLimits,
  kind: typeof ample,
): { readonly warmupSeconds: number; readonly batchSeconds: number; readonly prefill: number } {
  const settled = Math.min(perSecond, highestShare * mostPerSecond)
  const bound = relaxationSeconds(settled, mostPerSecond)
  const usual = usualRelaxationSeconds(settled, mostPerSecond, serviceVariation)
  const relaxation = kind === ample ? bound : Math.min(bound, usual)
  const servers = Math.max(1, Math.round(aloneSeconds * mostPerSecond))
  const serviceSeconds = servers / mostPerSecond
  const queue = { perSecond: settled, serviceSeconds, servers, arrivalVariation: 1, serviceVariation }
  return {
    warmupSeconds: kind.warmup * relaxation,
    batchSeconds: Math.max(kind.relaxations * relaxation, kind.requests / perSecond),
    prefill: Math.round(meanInSystem(queue)),
  }
}
