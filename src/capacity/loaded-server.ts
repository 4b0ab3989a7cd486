import { poissonSchedule } from '#load/loads/steady'
import { quantile, sortSamples } from '#statistics/quantiles'

/** Result of one request of a level. Times count from the start of the level. */
export interface LevelSample {
  /** Id of the recording, by which its text is compared with that of the recording alone. */
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly dueAtMs: number
  readonly sentAtMs: number
  readonly endedAtMs: number
  /** Whether the answer had a text. */
  readonly isAnswered: boolean
  /** Whether the server refused it as overloaded; the load is the cause, not the request. */
  readonly isTurnedAway?: boolean | undefined
  /** Null if there is no text, or it is not kept. */
  readonly text: string | null
}

/** A load for a server, with its duration. */
export type LoadOrder =
  /** Poisson arrivals; `prefill` requests are due at once, so that the queue starts filled. */
  | {
      readonly kind: 'open'
      readonly perSecond: number
      readonly forSeconds: number
      readonly prefill: number
      readonly seed: number
      /** Load that follows at once, whatever has been answered by then. */
      readonly after?: { readonly perSecond: number; readonly forSeconds: number } | undefined
    }
  /** A constant number of requests in flight, until the time is over. */
  | {
      readonly kind: 'closed'
      readonly inFlight: number
      readonly forSeconds: number
      readonly seed: number
    }

/**
 * A server that can be loaded: a real one over HTTP, or a simulated one on a virtual clock. Both use the same search
 * for the capacity.
 */
export interface LoadedServer {
  /** Applies a load and resolves when its last request is over; samples are in the order of sending. */
  measure(order: LoadOrder): Promise<readonly LevelSample[]>
  /** Seconds on the server's clock since the search began. */
  elapsedSeconds(): number
}

/**
 * Figures of the steady part of a closed level, of answers only. Throughput counts from the first completion to the
 * last start: (n - 1) completions in n - 1 intervals, without the drain at the end. A failed request occupies its slot in flight, but does not count as throughput.
 *
 * @param turns of one closed load; the time between them is excluded
 * @param skipShare share of every turn that is excluded at its start
 * @returns null for fewer than three completions in that time, or fewer than two answers after the first
 */
export function steadyTurns(turns: readonly Turn[], skipShare: number) {
  const parts = turns
    .map((samples) => steadyWindow(samples, (skipShare * lastEndMs(samples)) / 1000))
    .filter((part) => part !== null)
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const answered = parts.flatMap(({ ended }) => ended.filter(({ isAnswered }) => isAnswered))
  const counted = parts.flatMap(({ ended }) => ended.slice(1).filter(({ isAnswered }) => isAnswered))
  if (!(seconds > 0) || counted.length < 2) return null
  const service = sortSamples(answered.map(({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs))
  const mean = service.reduce((sum, each) => sum + each, 0) / service.length
  const variance = service.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (service.length - 1)
  return {
    perSecond: counted.length / seconds,
    audioSecondsPerSecond: counted.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / seconds,
    meanServiceMs: mean,
    medianServiceMs: quantile(service, 0.5) ?? mean,
    p95ServiceMs: quantile(service, 0.95) ?? mean,
    /** Squared coefficient of variation of the service times. */
    serviceVariation: mean === 0 ? 0 : variance / mean ** 2,
  }
}

/** Samples of one uninterrupted closed load. Times count from its start. */
export type Turn = readonly LevelSample[]

export function lastEndMs(samples: Turn): number {
  return samples.reduce((most, { endedAtMs }) => Math.max(most, endedAtMs), 0)
}

/** The completions of one turn with all slots taken, including failures, in order; null for fewer than three. */
export function steadyWindow(samples: Turn, skipSeconds: number) {
  const lastStartMs = samples.reduce((last, { sentAtMs }) => Math.max(last, sentAtMs), 0)
  const ended = samples
    .filter(({ endedAtMs }) => endedAtMs >= 1000 * skipSeconds && endedAtMs <= lastStartMs)
    .toSorted((a, b) => a.endedAtMs - b.endedAtMs)
  const [first, last] = [ended[0], ended.at(-1)]
  if (first === undefined || last === undefined || ended.length < 3) return null
  return { ended, seconds: (last.endedAtMs - first.endedAtMs) / 1000 }
}

/**
 * Due times of an open load: those that fill the queue at once, then Poisson arrivals, then those of the load after
 * it.
 *
 * @returns milliseconds from the start, ascending
 */
export function planArrivals(extract: Extract<LoadOrder, { kind: 'open' }>): number[] {
  const { perSecond, forSeconds, prefill, seed, after } = extract
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

/** Limits of a server that are known before any objective is tested. */
export interface ServerLimits {
  /** Mean time of a request without others, in seconds. */
  readonly aloneSeconds: number
  /** Length of the longest recording that is sent, in seconds. */
  readonly longestAudioSeconds: number
  /** Squared coefficient of variation of the service times. */
  readonly serviceVariation: number
  /** Maximum throughput in requests per second, with requests always waiting. */
  readonly maxPerSecond: number
}

/** Plan of measuring one load: its warm-up and its counted batches. */
export interface StretchPlan {
  readonly perSecond: number
  /** Number of batches of equal length, each long enough that adjacent ones are nearly independent. */
  readonly batches: number
  readonly warmupSeconds: number
  /** Duration of all batches together, in seconds. */
  readonly forSeconds: number
  /** Number of requests that fill the queue at the start. */
  readonly prefill: number
}

export interface Stretch extends StretchPlan {
  /** Samples of all requests, warm-up included, because its requests are still in the queue later. */
  readonly samples: readonly LevelSample[]
}

/** Maximum load as a share of the maximum throughput; beyond it a queue settles too slowly to be measured. */
export const highestShare = 0.96

/** Lengths of warm-up and batch in relaxation times, and minimum requests of a batch. */
const ample = { warmup: 3, relaxations: 4, requests: 25 }
const scarce = { warmup: 1, relaxations: 2, requests: 10 }
/** Minimum number of batches that shows their variance. */
const fewestBatches = 2
/** Minimum number of batches for the verdict "met", which requires knowing how misses cluster. */
export const judgedBatches = 10

/**
 * Plans a stretch with a number of batches. If the time is too short, it uses the usual relaxation time instead of
 * its bound, and fewer batches.
 *
 * @param maxSeconds for warm-up and batches
 * @returns null if the time is too short for any result
 */
export function planStretch(
  perSecond: number,
  limits: ServerLimits,
  { batches, maxSeconds }: { readonly batches: number; readonly maxSeconds: number },
): StretchPlan | null {
  const wanted = fullStretch(perSecond, limits, batches)
  return planSeconds(wanted) <= maxSeconds ? wanted : fillingStretch(perSecond, limits, maxSeconds)
}

/** A stretch with this number of long batches. */
export function fullStretch(perSecond: number, limits: ServerLimits, batches: number): StretchPlan {
  const { warmupSeconds, batchSeconds, prefill } = planTimes(perSecond, limits, ample)
  return { perSecond, batches, warmupSeconds, forSeconds: batches * batchSeconds, prefill }
}

/** A stretch of this duration, with long batches if ten fit, else short ones; null if not even two fit. */
export function fillingStretch(perSecond: number, limits: ServerLimits, seconds: number): StretchPlan | null {
  for (const [kind, fewest] of [
    [ample, judgedBatches],
    [scarce, fewestBatches],
  ] as const) {
    const { warmupSeconds, batchSeconds, prefill } = planTimes(perSecond, limits, kind)
    const batches = Math.floor((seconds - warmupSeconds) / batchSeconds + 1e-9)
    if (batches >= fewest)
      return { perSecond, batches, warmupSeconds, forSeconds: seconds - warmupSeconds, prefill }
  }
  return null
}

/** Minimum duration in seconds for any statement about a load. */
export function shortestSeconds(perSecond: number, limits: ServerLimits): number {
  const { warmupSeconds, batchSeconds } = planTimes(perSecond, limits, scarce)
  return warmupSeconds + fewestBatches * batchSeconds
}

/** Minimum duration in seconds for the verdict "met", with a minimum number of requests. */
export function judgedSeconds(perSecond: number, limits: ServerLimits, requests: number): number {
  const { warmupSeconds, batchSeconds } = planTimes(perSecond, limits, scarce)
  return warmupSeconds + Math.max(judgedBatches * batchSeconds, requests / perSecond)
}

/** Duration of warm-up and batches in seconds. */
export function planSeconds({ warmupSeconds, forSeconds }: StretchPlan): number {
  return warmupSeconds + forSeconds
}

/** Applies the load with a filled queue. */
export async function measureStretch(
  server: LoadedServer,
  plan: StretchPlan,
  seed: number,
): Promise<Stretch> {
  const { perSecond, prefill } = plan
  const forSeconds = planSeconds(plan)
  return { ...plan, samples: await server.measure({ kind: 'open', perSecond, forSeconds, prefill, seed }) }
}

/** Times of a stretch in seconds. Loads beyond the maximum are measured as long as the highest load below it. */
function planTimes(
  perSecond: number,
  { aloneSeconds, maxPerSecond, serviceVariation }: ServerLimits,
  kind: typeof ample,
) {
  const stablePerSecond = Math.min(perSecond, highestShare * maxPerSecond)
  const bound = relaxationSeconds(stablePerSecond, maxPerSecond)
  const usual = usualRelaxationSeconds(stablePerSecond, maxPerSecond, serviceVariation)
  const relaxation = kind === ample ? bound : Math.min(bound, usual)
  const servers = Math.max(1, Math.round(aloneSeconds * maxPerSecond))
  const serviceSeconds = servers / maxPerSecond
  const queue = { perSecond: stablePerSecond, serviceSeconds, servers, serviceVariation }
  return {
    warmupSeconds: kind.warmup * relaxation,
    batchSeconds: Math.max(kind.relaxations * relaxation, kind.requests / perSecond),
    prefill: Math.round(meanInSystem(queue)),
  }
}

/**
 * The relaxation time of a queue with Poisson arrivals and exponential service,
 * τ = S / (c (1 - √ρ)²) = 1 / (X (1 - √ρ)²), where X = c / S is the maximum throughput.
 *
 *   ρ     0.5   0.8   0.9    0.95
 *   τ·X    12    90   380   1,560
 *
 * Queues whose service varies less settle sooner, so this is an upper bound.
 *
 * @param maxPerSecond maximum throughput in requests per second
 * @returns seconds; infinite if more is offered than can be served
 * @see Cohen 1982, The Single Server Queue, II.2
 */
export function relaxationSeconds(perSecond: number, maxPerSecond: number): number {
  const utilisation = perSecond / maxPerSecond
  if (!(utilisation < 1)) return Number.POSITIVE_INFINITY
  return 1 / (maxPerSecond * (1 - Math.sqrt(utilisation)) ** 2)
}

/**
 * The relaxation time for a known variation of service, as observed in many queues instead of as a bound: τ = (Ca² +
 * Cs²) / (2.8 X (1 - √ρ)²). It is half of the bound if service times vary as lengths of dictations do.
 *
 * @param serviceVariation squared coefficient of variation of the service times
 * @returns seconds; infinite if more is offered than can be served
 * @see Odoni and Roth 1983, doi:10.1287/opre.31.3.432
 */
export function usualRelaxationSeconds(
  perSecond: number,
  maxPerSecond: number,
  serviceVariation: number,
): number {
  return ((1 + serviceVariation) / 2.8) * relaxationSeconds(perSecond, maxPerSecond)
}

/**
 * The probability that all servers are busy when a request arrives, for Poisson arrivals and exponential service.
 *
 * @param servers a whole number from 1
 * @param offered mean number of busy servers, λ·S, under `servers`
 * @see Erlang 1917; B by the recursion B_k = a B / (k + a B), then C = B / (1 - ρ + ρ B)
 */
export function erlangC(servers: number, offered: number): number {
  let blocked = 1
  for (let k = 1; k <= servers; k += 1) blocked = (offered * blocked) / (k + offered * blocked)
  const utilisation = offered / servers
  return blocked / (1 - utilisation + utilisation * blocked)
}

/** Parameters of a queue for the formulas. */
export interface QueueShape {
  readonly perSecond: number
  readonly serviceSeconds: number
  readonly servers: number
  /** Squared coefficient of variation of the service times. */
  readonly serviceVariation: number
}

/**
 * Mean time in the queue, without the service: Allen and Cunneen's W = C·S / (c (1 - ρ)) · (Ca² + Cs²) / 2,
 * with Ca = 1 for Poisson arrivals.
 *
 * @returns seconds; infinite if more is offered than can be served
 * @see Allen 1990, Probability, Statistics, and Queueing Theory, 5.3
 */
export function meanWaitSeconds(queue: QueueShape): number {
  const { perSecond, serviceSeconds, servers, serviceVariation } = queue
  const offered = perSecond * serviceSeconds
  const utilisation = offered / servers
  if (!(utilisation < 1)) return Number.POSITIVE_INFINITY
  const exponential = (erlangC(servers, offered) * serviceSeconds) / (servers * (1 - utilisation))
  return (exponential * (1 + serviceVariation)) / 2
}

/** Mean number of requests in the system (Little's law), waiting or in service. */
export function meanInSystem(queue: QueueShape): number {
  return queue.perSecond * (meanWaitSeconds(queue) + queue.serviceSeconds)
}
