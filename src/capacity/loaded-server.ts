import { poissonSchedule } from '#load/loads/steady'
import { quantile, sortSamples } from '#statistics/quantiles'

/** One request of a level, as the server left it. Times from the start of the level. */
export interface LevelSample {
  /** Names the recording, so that its text can be held against that of the recording alone. */
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly dueAtMs: number
  readonly sentAtMs: number
  readonly endedAtMs: number
  /** Whether it came back with a text. */
  readonly isAnswered: boolean
  /** Refused because it could take no more; the cause is the load, not the request. */
  readonly isTurnedAway?: boolean | undefined
  /** Null where there is no text, or it is not kept. */
  readonly text: string | null
}

/** A load to put on a server, and for how long. */
export type LoadOrder =
  /** Poisson arrivals; `prefill` requests are due at once, so that the queue need not be waited for. */
  | {
      readonly kind: 'open'
      readonly perSecond: number
      readonly forSeconds: number
      readonly prefill: number
      readonly seed: number
      /** What is offered afterwards, whatever has come back. */
      readonly after?: { readonly perSecond: number; readonly forSeconds: number } | undefined
    }
  /** Always so many in flight, until the time is over. */
  | {
      readonly kind: 'closed'
      readonly inFlight: number
      readonly forSeconds: number
      readonly seed: number
    }

/**
 * A server that can be put under load: a real one over HTTP, or a simulated one on a virtual clock. The search
 * for its capacity is the same code.
 */
export interface LoadedServer {
  /** Puts a load on and resolves when the last request of it is over; samples in the order of sending. */
  measure(order: LoadOrder): Promise<readonly LevelSample[]>
  /** Seconds of the server's clock since the search began. */
  elapsedSeconds(): number
}

/** The part of a closed level with all places taken: what is left of it is neither ramp nor drain. Answers only. */
export type SteadyPart = NonNullable<ReturnType<typeof steadyTurns>>

/**
 * Throughput from the first completion to the last start: (n - 1) completions span n - 1 intervals, and no request
 * counts the drain at the end, when fewer are in flight. A failed request takes its place in flight, but gets nothing done.
 *
 * @param turns in which a closed load was put on: time between them, when others were, does not count
 * @param skipShare left out at the start of every turn, for what has to get going, as a share of it
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
    requests: answered.length,
    seconds,
    perSecond: counted.length / seconds,
    audioSecondsPerSecond: counted.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / seconds,
    meanServiceMs: mean,
    medianServiceMs: quantile(service, 0.5) ?? mean,
    p95ServiceMs: quantile(service, 0.95) ?? mean,
    /** Squared coefficient of variation of the service times. */
    serviceVariation: mean === 0 ? 0 : variance / mean ** 2,
  }
}

/** One go at a closed load. Times from its start. */
export type Turn = readonly LevelSample[]

export function lastEndMs(samples: Turn): number {
  return samples.reduce((most, { endedAtMs }) => Math.max(most, endedAtMs), 0)
}

/** The completions of one turn with all places taken, failed ones too, in order; null for fewer than three. */
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
 * When the requests of an open load are due: those that fill the queue at once, then Poisson arrivals, then those of
 * what follows.
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
  return planSeconds(wanted) <= mostSeconds ? wanted : fillingStretch(perSecond, limits, mostSeconds)
}

/** A stretch of so many long batches. */
export function fullStretch(perSecond: number, limits: ServerLimits, batches: number): StretchPlan {
  const { warmupSeconds, batchSeconds, prefill } = planTimes(perSecond, limits, ample)
  return { perSecond, batches, warmupSeconds, forSeconds: batches * batchSeconds, prefill }
}

/** A stretch that takes just so long, in long batches where ten of them fit; null where not even two short ones do. */
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

/** The shortest time after which anything can be said of a load. */
export function shortestSeconds(perSecond: number, limits: ServerLimits): number {
  const { warmupSeconds, batchSeconds } = planTimes(perSecond, limits, scarce)
  return warmupSeconds + fewestBatches * batchSeconds
}

/** The shortest time after which an objective can be called met, with so many requests. */
export function judgedSeconds(perSecond: number, limits: ServerLimits, requests: number): number {
  const { warmupSeconds, batchSeconds } = planTimes(perSecond, limits, scarce)
  return warmupSeconds + Math.max(judgedBatches * batchSeconds, requests / perSecond)
}

/** Warm-up and batches together. */
export function planSeconds({ warmupSeconds, forSeconds }: StretchPlan): number {
  return warmupSeconds + forSeconds
}

/** Puts the load on, its queue filled from the start. */
export async function measureStretch(
  server: LoadedServer,
  plan: StretchPlan,
  seed: number,
): Promise<Stretch> {
  const { perSecond, prefill } = plan
  const forSeconds = planSeconds(plan)
  return { ...plan, samples: await server.measure({ kind: 'open', perSecond, forSeconds, prefill, seed }) }
}

/** A load beyond what the server can do is measured as long as the highest one below. */
function planTimes(
  perSecond: number,
  { aloneSeconds, mostPerSecond, serviceVariation }: ServerLimits,
  kind: typeof ample,
) {
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

/**
 * How long a queue remembers: the relaxation time of a queue with Poisson arrivals and exponential service,
 * τ = S / (c (1 - √ρ)²) = 1 / (X (1 - √ρ)²) with X = c / S, the most that the server can do.
 *
 *   ρ     0.5   0.8   0.9    0.95
 *   τ·X    12    90   380   1,560
 *
 * Service that varies less relaxes sooner, so this errs on the long side.
 *
 * @param mostPerSecond requests per second that the server completes when it always has work
 * @returns seconds; infinite where more is offered than can be served
 * @see Cohen 1982, The Single Server Queue, II.2
 */
export function relaxationSeconds(perSecond: number, mostPerSecond: number): number {
  const utilisation = perSecond / mostPerSecond
  if (!(utilisation < 1)) return Number.POSITIVE_INFINITY
  return 1 / (mostPerSecond * (1 - Math.sqrt(utilisation)) ** 2)
}

/**
 * The same for service whose variation is known, and not a bound but what was seen in many queues:
 * τ = (Ca² + Cs²) / (2.8 X (1 - √ρ)²). Half of the bound where the service times vary as the lengths of dictations do.
 *
 * @param serviceVariation squared coefficient of variation of the service times
 * @returns seconds; infinite where more is offered than can be served
 * @see Odoni and Roth 1983, doi:10.1287/opre.31.3.432
 */
export function usualRelaxationSeconds(
  perSecond: number,
  mostPerSecond: number,
  serviceVariation: number,
): number {
  return ((1 + serviceVariation) / 2.8) * relaxationSeconds(perSecond, mostPerSecond)
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

/** What the formulas of a queue need to know of a server. */
export interface QueueShape {
  readonly perSecond: number
  readonly serviceSeconds: number
  readonly servers: number
  /** Squared coefficient of variation of the intervals: 1 for Poisson arrivals. */
  readonly arrivalVariation: number
  /** The same of the service times. */
  readonly serviceVariation: number
}

/**
 * Mean time in the queue, without the service: Allen and Cunneen's W = C·S / (c (1 - ρ)) · (Ca² + Cs²) / 2.
 *
 * @returns seconds; infinite where more is offered than can be served
 * @see Allen 1990, Probability, Statistics, and Queueing Theory, 5.3
 */
export function meanWaitSeconds(queue: QueueShape): number {
  const { perSecond, serviceSeconds, servers, arrivalVariation, serviceVariation } = queue
  const offered = perSecond * serviceSeconds
  const utilisation = offered / servers
  if (!(utilisation < 1)) return Number.POSITIVE_INFINITY
  const exponential = (erlangC(servers, offered) * serviceSeconds) / (servers * (1 - utilisation))
  return (exponential * (arrivalVariation + serviceVariation)) / 2
}

/** Requests in the system on average (Little's law): those that wait and those that are served. */
export function meanInSystem(queue: QueueShape): number {
  return queue.perSecond * (meanWaitSeconds(queue) + queue.serviceSeconds)
}
