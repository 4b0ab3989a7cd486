import { randomLogNormal } from 'd3-random'
import {
  type LevelSample,
  type LoadedServer,
  type LoadOrder,
  lastEndMs,
  planArrivals,
} from '#capacity/loaded-server'
import { equalIssueOrder } from '#load/what-is-sent'
import { type Random, seededRandom } from '#prelude'

/** What a server has to do for one request. */
export interface Job {
  readonly position: number
  /** With the machine for itself. */
  readonly workMs: number
  readonly isAnswered: boolean
  readonly isTurnedAway?: boolean
}

/** A server without a clock: it receives what comes and when, and says when next something ends. */
interface Station {
  arrive(job: Job, nowMs: number): void
  /** Infinite while there is nothing to do. */
  nextEventMs(): number
  /** Does what is due at this moment and returns the jobs that are over. */
  advance(nowMs: number): readonly Job[]
}

/** First in, first out, without ever moving what waits. */
function queueOf<Value>(): { push(value: Value): void; shift(): Value | undefined; size(): number } {
  const values: Value[] = []
  let head = 0
  return {
    push: (value) => values.push(value),
    shift: () => (head < values.length ? values[head++] : undefined),
    size: () => values.length - head,
  }
}

/** So many requests at once, each as fast as alone. */
export function workerStation(workers: number): Station {
  const waiting = queueOf<Job>()
  let busy: { readonly job: Job; readonly endsMs: number }[] = []
  return {
    arrive(job, nowMs) {
      if (busy.length < workers) busy.push({ job, endsMs: nowMs + job.workMs })
      else waiting.push(job)
    },
    nextEventMs: () => busy.reduce((least, { endsMs }) => Math.min(least, endsMs), Number.POSITIVE_INFINITY),
    advance(nowMs) {
      const over = busy.filter(({ endsMs }) => endsMs <= nowMs)
      busy = busy.filter(({ endsMs }) => endsMs > nowMs)
      for (let next = over.length; next > 0; next -= 1) {
        const job = waiting.shift()
        if (job !== undefined) busy.push({ job, endsMs: nowMs + job.workMs })
      }
      return over.map(({ job }) => job)
    },
  }
}

/** Refuses at once, but for the way there and back, what it does not let in. */
export function guardedStation(
  station: Station,
  admits: (inside: number, nowMs: number) => boolean,
  refusalMs = 50,
): Station {
  let refused: { readonly job: Job; readonly endsMs: number }[] = []
  let inside = 0
  return {
    arrive(job, nowMs) {
      if (admits(inside, nowMs)) {
        inside += 1
        station.arrive(job, nowMs)
      } else refused.push({ job, endsMs: nowMs + refusalMs })
    },
    nextEventMs: () => refused.reduce((least, { endsMs }) => Math.min(least, endsMs), station.nextEventMs()),
    advance(nowMs) {
      const over = station.nextEventMs() <= nowMs ? station.advance(nowMs) : []
      inside -= over.length
      const turnedAway = refused.filter(({ endsMs }) => endsMs <= nowMs)
      refused = refused.filter(({ endsMs }) => endsMs > nowMs)
      return [...over, ...turnedAway.map(({ job }) => ({ ...job, isAnswered: false, isTurnedAway: true }))]
    },
  }
}

/** Lets so many requests a second in, and so many of them at once. */
export function limitedRate(perSecond: number, burst: number): (inside: number, nowMs: number) => boolean {
  let [tokens, atMs] = [burst, 0]
  return (_, nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - atMs) * perSecond) / 1000)
    atMs = nowMs
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

/** Several workers, and one lock that each needs for the last part of its work. */
function lockStation(workers: number, lockedShare: number): Station {
  const outside = queueOf<Job>()
  const beforeLock = queueOf<Job>()
  let preparing: { readonly job: Job; readonly endsMs: number }[] = []
  let locked: { readonly job: Job; readonly endsMs: number } | null = null
  let inside = 0
  const enter = (job: Job, nowMs: number): void => {
    inside += 1
    preparing.push({ job, endsMs: nowMs + job.workMs * (1 - lockedShare) })
  }
  return {
    arrive(job, nowMs) {
      if (inside < workers) enter(job, nowMs)
      else outside.push(job)
    },
    nextEventMs: () =>
      preparing.reduce(
        (least, { endsMs }) => Math.min(least, endsMs),
        locked?.endsMs ?? Number.POSITIVE_INFINITY,
      ),
    advance(nowMs) {
      const over = locked !== null && locked.endsMs <= nowMs ? [locked.job] : []
      if (over.length > 0) {
        locked = null
        inside -= 1
        const next = outside.shift()
        if (next !== undefined) enter(next, nowMs)
      }
      for (const { job, endsMs } of preparing) if (endsMs <= nowMs) beforeLock.push(job)
      preparing = preparing.filter(({ endsMs }) => endsMs > nowMs)
      if (locked === null) {
        const job = beforeLock.shift()
        if (job !== undefined) locked = { job, endsMs: nowMs + job.workMs * lockedShare }
      }
      return over
    },
  }
}

/** All share the machine, and the more there are inside, the less of it is left. */
function sharingStation(speeds: readonly number[]): Station {
  const waiting = queueOf<Job>()
  let inside: { readonly job: Job; leftMs: number }[] = []
  let atMs = 0
  const perJob = (): number => (speeds[inside.length - 1] ?? 0) / inside.length
  const catchUp = (nowMs: number): void => {
    const doneMs = (nowMs - atMs) * perJob()
    for (const each of inside) each.leftMs -= doneMs
    atMs = nowMs
  }
  return {
    arrive(job, nowMs) {
      if (inside.length > 0) catchUp(nowMs)
      atMs = nowMs
      if (inside.length < speeds.length) inside.push({ job, leftMs: job.workMs })
      else waiting.push(job)
    },
    nextEventMs() {
      if (inside.length === 0) return Number.POSITIVE_INFINITY
      return (
        atMs +
        inside.reduce((least, { leftMs }) => Math.min(least, leftMs), Number.POSITIVE_INFINITY) / perJob()
      )
    },
    advance(nowMs) {
      if (inside.length === 0) return []
      catchUp(nowMs)
      // Rounding leaves a rest that is no time at all.
      const over = inside.filter(({ leftMs }) => leftMs <= 1e-6)
      inside = inside.filter(({ leftMs }) => leftMs > 1e-6)
      for (let next = over.length; next > 0; next -= 1) {
        const job = waiting.shift()
        if (job !== undefined) inside.push({ job, leftMs: job.workMs })
      }
      return over.map(({ job }) => job)
    },
  }
}

/** Takes all that wait, up to so many, and ends them together: a fixed time, and a part of each one's own. */
function batchStation(largest: number, fixedMs: number, shareOfWork: number): Station {
  const waiting = queueOf<Job>()
  let batch: readonly Job[] = []
  let endsMs = Number.POSITIVE_INFINITY
  const take = (nowMs: number): void => {
    const taken: Job[] = []
    while (taken.length < largest) {
      const job = waiting.shift()
      if (job === undefined) break
      taken.push(job)
    }
    batch = taken
    const workMs = taken.reduce((sum, job) => sum + job.workMs, 0)
    endsMs = taken.length === 0 ? Number.POSITIVE_INFINITY : nowMs + fixedMs + shareOfWork * workMs
  }
  return {
    arrive(job, nowMs) {
      waiting.push(job)
      if (batch.length === 0) take(nowMs)
    },
    nextEventMs: () => endsMs,
    advance(nowMs) {
      if (endsMs > nowMs) return []
      const over = batch
      take(nowMs)
      return over
    },
  }
}

export interface SimulatedServer {
  readonly name: string
  readonly makeStation: () => Station
  /** Work of audio of a length, in milliseconds, before it varies. */
  readonly workMs: (audioSeconds: number) => number
  /** Standard deviation of the logarithm of what multiplies the work; 0 for none. */
  readonly spread: number
  readonly failureShare: number
  /** Seconds of audio, each equally often; default: `lengths`. */
  readonly mix?: readonly number[]
  /** How many times its work a request becomes, by the seconds since the first load; default: 1. */
  readonly slowdownAt?: (elapsedSeconds: number) => number
}

const workOfSpeech = (audioSeconds: number): number => 40 + 20 * audioSeconds
/** A small model on two processors, as Moonshine Tiny was measured; with two at once each is slower by a seventh. */
const workOfSmall = (audioSeconds: number): number => 10 + 45 * audioSeconds

const serverOf = (
  name: string,
  makeStation: () => Station,
  workMs: SimulatedServer['workMs'],
  spread = 0,
  failureShare = 0,
): SimulatedServer => ({ name, makeStation, workMs, spread, failureShare })

/** Servers whose capacity can be known: by far longer simulations than any search makes. */
export const simulatedServers: readonly SimulatedServer[] = [
  serverOf(
    'deterministic',
    () => workerStation(1),
    () => 100,
  ),
  serverOf('lognormal', () => workerStation(2), workOfSpeech, 0.5),
  serverOf('serialised by a lock', () => lockStation(4, 0.7), workOfSpeech, 0.2),
  serverOf('thrashing', () => sharingStation([1, 1.7, 1.8, 1.5]), workOfSpeech, 0.3),
  serverOf('failing 1 %', () => workerStation(1), workOfSpeech, 0.3, 0.01),
  serverOf('batching', () => batchStation(8, 80, 0.4), workOfSpeech, 0.3),
]

export function serverCalled(name: string): SimulatedServer {
  const server = simulatedServers.find((each) => each.name === name)
  if (server === undefined) throw new RangeError(`no server is ${name}`)
  return server
}

/** Two decodes at once, each in the way of the other, and the same machine with one at a time. */
export const twoAtOnce: SimulatedServer = serverOf(
  'two at once',
  () => sharingStation([1, 1.7]),
  workOfSpeech,
  0.3,
)
export const oneAtOnce: SimulatedServer = serverOf('one at once', () => workerStation(1), workOfSpeech, 0.3)
/** Two at once without a queue: whatever comes besides is refused. */
export const refusing: SimulatedServer = serverOf(
  'refusing',
  () => guardedStation(workerStation(2), (inside) => inside < 2),
  workOfSpeech,
  0.3,
)
/** One at a time; refuses what finds ten waiting. */
export const queueLimited: SimulatedServer = serverOf(
  'a queue of ten',
  () => guardedStation(workerStation(1), (inside) => inside < 11),
  () => 151.5,
)
/** Far faster than the rate of 5/s that it lets in. */
export const rateLimited: SimulatedServer = serverOf(
  'a rate limit',
  () => guardedStation(workerStation(4), limitedRate(5, 5)),
  () => 50,
)
/** Does 6.9 requests a second at first, and 3.2 a second after four minutes. */
export const slowing: SimulatedServer = {
  ...serverOf(
    'slowing down',
    () => workerStation(1),
    () => 145,
  ),
  slowdownAt: (elapsedSeconds) => 1 + 1.15 * Math.min(1, elapsedSeconds / 240),
}
export const smallServers: readonly SimulatedServer[] = [
  serverOf('one at a time', () => workerStation(1), workOfSmall, 0.15),
  serverOf('two at once', () => sharingStation([1, 1.7]), workOfSmall, 0.15),
]

/**
 * The highest rate, in requests per second, at which each simulated server answers 95 % of its requests within
 * 0.5 s + 0.1 s for each second of audio, the two small ones within 0.4 s + 0.1 s. From `trueCapacity` with 1,500,000 requests and the
 * seeds 1 to 4, averaged; the four differ by 0.2 to 0.3 %.
 */
export const knownCapacities: Readonly<Record<string, number>> = {
  deterministic: 8.112,
  lognormal: 13.678,
  'serialised by a lock': 9.471,
  thrashing: 10.008,
  'failing 1 %': 5.778,
  batching: 12.435,
  'one at a time': 2.573,
  'two at once': 5.994,
}

/** An answered request, sent when it was due. */
export function sampleOf(
  sentAtMs: number,
  endedAtMs: number,
  change: Partial<LevelSample> = {},
): LevelSample {
  const times = { dueAtMs: sentAtMs, sentAtMs, endedAtMs }
  return { utteranceId: 'a', text: 'a', audioSeconds: 1, ...times, isAnswered: true, ...change }
}

/** Forty lengths as people dictate them, 1 s to 15 s, mean near 4 s. */
export const lengths: readonly number[] = Array.from({ length: 40 }, (_, index) =>
  Math.min(15, Math.max(1, Math.exp(1.2 + 0.7 * Math.sin(index * 2.4) * 1.4))),
)

/** Puts a load on a simulated server, in simulated time. */
export function simulatedInstrument(server: SimulatedServer): LoadedServer {
  let elapsedMs = 0
  return {
    async measure(order) {
      const samples = simulateOrder(server, order, elapsedMs)
      elapsedMs += Math.max(1000 * order.forSeconds, lastEndMs(samples))
      return samples
    },
    elapsedSeconds: () => elapsedMs / 1000,
  }
}

/** Lengths and work of requests in the order of sending: the same for the same seed. */
export function drawJobs(
  server: SimulatedServer,
  count: number,
  random: Random,
): { readonly jobs: Job[]; readonly audioSeconds: number[] } {
  const audioSeconds = equalIssueOrder(server.mix ?? lengths, count, random)
  const vary =
    server.spread === 0
      ? () => 1
      : randomLogNormal.source(random.unit)(-(server.spread ** 2) / 2, server.spread)
  const jobs = audioSeconds.map((seconds, position) => {
    const workMs = server.workMs(seconds) * vary()
    const isAnswered = random.unit() >= server.failureShare
    return { position, workMs, isAnswered }
  })
  return { jobs, audioSeconds }
}

/** @param startedAtMs since the first load */
export function simulateOrder(server: SimulatedServer, order: LoadOrder, startedAtMs = 0): LevelSample[] {
  const station = server.makeStation()
  const random = seededRandom(order.seed)
  const due = order.kind === 'open' ? planArrivals(order) : []
  const { jobs, audioSeconds } = drawJobs(
    server,
    order.kind === 'open' ? due.length : Math.ceil(order.forSeconds * 200),
    random,
  )
  const jobAt = (position: number, nowMs: number): Job => {
    const job = jobs[position] as Job
    const slowdown = server.slowdownAt?.((startedAtMs + nowMs) / 1000) ?? 1
    return slowdown === 1 ? job : { ...job, workMs: slowdown * job.workMs }
  }
  const endedAtMs: number[] = new Array(jobs.length).fill(Number.NaN)
  const isAnswered: boolean[] = new Array(jobs.length).fill(false)
  const isTurnedAway: boolean[] = new Array(jobs.length).fill(false)
  let next = 0
  if (order.kind === 'closed') {
    while (next < order.inFlight) {
      due.push(0)
      station.arrive(jobAt(next, 0), 0)
      next += 1
    }
  }
  for (;;) {
    const eventMs = station.nextEventMs()
    const arrivalMs =
      order.kind === 'open' ? (due[next] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
    if (arrivalMs === Number.POSITIVE_INFINITY && eventMs === Number.POSITIVE_INFINITY) break
    if (arrivalMs < eventMs) {
      station.arrive(jobAt(next, arrivalMs), arrivalMs)
      next += 1
      continue
    }
    for (const job of station.advance(eventMs)) {
      endedAtMs[job.position] = eventMs
      isAnswered[job.position] = job.isAnswered
      isTurnedAway[job.position] = job.isTurnedAway === true
      if (order.kind === 'closed' && eventMs < 1000 * order.forSeconds && next < jobs.length) {
        due.push(eventMs)
        station.arrive(jobAt(next, eventMs), eventMs)
        next += 1
      }
    }
  }
  return due.map((dueAtMs, position) =>
    sampleOf(dueAtMs, endedAtMs[position] ?? Number.NaN, {
      utteranceId: '',
      text: null,
      audioSeconds: audioSeconds[position] ?? Number.NaN,
      isAnswered: isAnswered[position] ?? false,
      isTurnedAway: isTurnedAway[position] ?? false,
    }),
  )
}
