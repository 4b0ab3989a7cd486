import { countUpTo, type Random } from '#prelude'
import { quantile, sortSamples } from '#statistics/quantiles'
import { fitTheilSen } from '#statistics/series/trend'
import { type LevelSample, lastEndMs, steadyWindow, type Turn } from './loaded-server.ts'

/** How a server processes several requests at once. */
export interface AtWork {
  /** Maximum number of requests that it processes at once; the others wait. */
  readonly workers: number
  /** Share of a request's time alone in which it occupies a worker: 0..1. */
  readonly share: number
  /** Factor by which a request takes longer while k are processed; from k = 1 to `workers`. */
  readonly slowdowns: readonly number[]
}

export interface ClosedLevel {
  readonly inFlight: number
  readonly turns: readonly Turn[]
}

/** Share of every turn that is excluded at its start. */
const skipShare = 0.1
/**
 * Minimum rate of overtaking, relative to chance. Requests may overtake by accident if two start or end at nearly the
 * same time. With W workers and unknown work, the one that began last ends next in one of W cases; fewer than a fifth
 * of that are no evidence.
 */
const overtakingShare = 0.2
/** Minimum share of a request's time in a worker; the rest cannot all be transfer. */
const smallestShare = 0.3

/**
 * Number of workers, share of a request's time in a worker, and mutual slowdown, from closed levels, the first of
 * them with one in flight.
 *
 * With more in flight than workers, all W work all the time, and the throughput relative to one alone is g = W /
 * (share · slowdown(W)). With just W in flight it is W / (1 - share + share · slowdown(W)), because transfers are not
 * hidden by waiting requests. The difference gives the share.
 *
 * @param knownWorkers number of workers if it is configured
 * @returns null without a level of one in flight
 */
export function countAtWork(
  levels: readonly ClosedLevel[],
  service: ServiceModel,
  knownWorkers: number | null = null,
): AtWork | null {
  const alone = levels.find(({ inFlight }) => inFlight === 1)
  const base = alone === undefined ? null : workRate(alone, service)
  if (base === null) return null
  const gains = levels
    .flatMap((level) => {
      const work = workRate(level, service)
      return work === null ? [] : [{ ...work, inFlight: level.inFlight, gain: work.rate / base.rate }]
    })
    .toSorted((a, b) => a.inFlight - b.inFlight)
  const maxGain = Math.max(...gains.map(({ gain }) => gain))
  const workers = knownWorkers ?? Math.max(1, Math.round(maxGain), overtakers(levels))
  // The saturated gain is the mean of all full levels, weighted by their duration.
  const full = gains.filter(({ inFlight }) => inFlight > workers)
  const seconds = full.reduce((sum, level) => sum + level.seconds, 0)
  const saturated =
    seconds === 0
      ? (gains.findLast(({ inFlight }) => inFlight <= workers)?.gain ?? 1)
      : full.reduce((sum, level) => sum + level.gain * level.seconds, 0) / seconds
  const justFull = gains.find(({ inFlight }) => inFlight === workers)?.gain
  const besides = justFull === undefined || seconds === 0 ? 0 : workers / justFull - workers / saturated
  const likely = Math.min(1, Math.max(smallestShare, 1 - besides))
  // Even one worker is slower while the next request waits, because its bytes are read during the work.
  const last = Math.max(1, workers / (likely * saturated))
  // If workers without mutual slowdown exceed W times the throughput of one, requests occupy them for less time.
  const share = last > 1 ? likely : Math.min(1, Math.max(smallestShare, workers / saturated))
  const points = [
    { atWork: 1, slowdown: workers === 1 ? last : 1 },
    ...gains
      .filter(({ inFlight }) => inFlight > 1 && inFlight < workers)
      .map(({ inFlight, gain }) => ({
        atWork: inFlight,
        slowdown: Math.max(1, (inFlight / gain - 1 + share) / share),
      })),
    ...(workers === 1 ? [] : [{ atWork: workers, slowdown: last }]),
  ]
  return {
    workers,
    share,
    slowdowns: Array.from({ length: workers }, (_, index) => along(points, index + 1)),
  }
}

/** Linear interpolation between the points; beyond them, the value of the nearest one. */
function along(
  points: readonly { readonly atWork: number; readonly slowdown: number }[],
  atWork: number,
): number {
  const above = points.find((point) => point.atWork >= atWork)
  const below = points.findLast((point) => point.atWork <= atWork)
  if (above === undefined || below === undefined || above === below) return (above ?? below)?.slowdown ?? 1
  const part = (atWork - below.atWork) / (above.atWork - below.atWork)
  return below.slowdown + part * (above.slowdown - below.slowdown)
}

/**
 * Throughput in seconds of work alone per second, because a count of requests would mistake long ones for slowness.
 * Failed requests count as no work. The time is from the middle of the first completions to the middle of the last,
 * as many as are in flight. Requests of equal length complete in groups, so single completions would count a part of
 * a group too many.
 */
function workRate({ inFlight, turns }: ClosedLevel, service: ServiceModel) {
  let [doneMs, takenMs] = [0, 0]
  for (const turn of turns) {
    const { ended } = steadyWindow(turn, (skipShare * lastEndMs(turn)) / 1000) ?? { ended: [] }
    const size = Math.max(1, Math.min(inFlight, Math.floor(ended.length / 3)))
    const work = ended.map(({ audioSeconds, isAnswered }) =>
      isAnswered ? expectedServiceMs(service, audioSeconds) : 0,
    )
    const count = ended.length
    for (let index = 0; index < size; index += 1) {
      const [first, last] = [index, count - size + index]
      doneMs += work.slice(first + 1, last + 1).reduce((sum, each) => sum + each, 0) / size
      takenMs += ((ended[last]?.endedAtMs ?? 0) - (ended[first]?.endedAtMs ?? 0)) / size
    }
  }
  return takenMs > 0 && doneMs > 0 ? { rate: doneMs / takenMs, seconds: takenMs / 1000 } : null
}

/**
 * Number of workers W by overtaking. If requests start in the order of arrival, only one of the W oldest can end next.
 * The positions of ended ones among those in flight therefore show W. It is 1 if all take the same time.
 */
function overtakers(levels: readonly ClosedLevel[]): number {
  const positions = levels
    .filter(({ inFlight }) => inFlight > 1)
    .flatMap(({ inFlight, turns }) =>
      turns.flatMap((samples) =>
        findPositions(samples, inFlight).map((position) => ({ inFlight, position })),
      ),
    )
  const maxPosition = positions.reduce((highest, { position }) => Math.max(highest, position), 1)
  for (let workers = maxPosition; workers > 1; workers -= 1) {
    const able = positions.filter(({ inFlight }) => inFlight >= workers)
    const seen = able.filter(({ position }) => position >= workers).length
    if (seen >= (overtakingShare / workers) * able.length) return workers
  }
  return 1
}

/**
 * Position of each answered request, from 1 and in order of arrival, among those in flight while all slots were
 * taken. Refused requests are excluded, because they overtake all.
 */
function findPositions(samples: Turn, inFlight: number): number[] {
  const events = samples
    .flatMap((sample, index) => [
      { atMs: sample.sentAtMs, index, isEnd: false },
      { atMs: sample.endedAtMs, index, isEnd: true },
    ])
    // At equal times, an end precedes a start, because it makes the room; equal ends keep their order.
    .toSorted((a, b) => a.atMs - b.atMs || Number(b.isEnd) - Number(a.isEnd) || a.index - b.index)
  const positions: number[] = []
  const open: number[] = []
  let over = 0
  for (const { index, isEnd } of events) {
    if (!isEnd) {
      open.push(index)
      continue
    }
    const position = open.indexOf(index)
    over += 1
    // The first requests were sent together, in no order; at the end fewer are in flight.
    const isCounted = over > 2 * inFlight && open.length === inFlight
    if (isCounted && samples[index]?.isAnswered === true) positions.push(position + 1)
    open.splice(position, 1)
  }
  return positions
}

/** The rule by which a server refuses requests. */
export type TurningAway =
  | { readonly kind: 'none' }
  /** It refuses requests when a fixed number is inside, waiting ones included. */
  | { readonly kind: 'full'; readonly inside: number }
  /** It refuses with fewer inside than it accepts at other times, perhaps by a rate limit. */
  | { readonly kind: 'unexplained' }

/** Minimum number of refusals; fewer may be chance. */
const fewestTurnedAway = 3
/** Share of refusals that may contradict the rule, because requests sent together may arrive in any order. */
const outOfOrder = 0.1

/**
 * Whether refusals depend on the number of requests inside, as with a bounded queue: nearly all found that many, and
 * none with more inside was accepted. Open loads are better evidence: a closed one sends again just when a slot is
 * free.
 *
 * @param open samples of open loads, each from its own start
 * @param closed samples of closed loads, where a rate limit looks like a missing queue
 * @param workers estimated number of workers
 */
export function modelTurningAway(
  open: readonly Turn[],
  { closed, workers }: { readonly closed: readonly Turn[]; readonly workers: number },
): TurningAway {
  const seen = open.flatMap(arrivalsAmong)
  const isEnough = seen.filter(({ isTurnedAway }) => isTurnedAway).length >= fewestTurnedAway
  const arrivals = isEnough ? seen : [...seen, ...closed.flatMap(arrivalsAmong)]
  const refused = arrivals
    .filter(({ isTurnedAway }) => isTurnedAway)
    .map(({ inside }) => inside)
    .sort((a, b) => a - b)
  if (refused.length < fewestTurnedAway) return { kind: 'none' }
  const inside = refused[Math.floor(outOfOrder * refused.length)] ?? 0
  const beyond = arrivals.filter((each) => !each.isTurnedAway && each.inside > inside).length
  const isKnown = inside > (isEnough ? 0 : workers)
  return isKnown && beyond <= outOfOrder * refused.length ? { kind: 'full', inside } : { kind: 'unexplained' }
}

/** Number of accepted requests inside at each arrival. */
function arrivalsAmong(samples: Turn) {
  const endsMs = samples
    .flatMap(({ endedAtMs, isTurnedAway }) => (isTurnedAway === true ? [] : endedAtMs))
    .sort((a, b) => a - b)
  let accepted = 0
  return samples
    .toSorted((a, b) => a.sentAtMs - b.sentAtMs)
    .map(({ sentAtMs, isTurnedAway = false }) => {
      const inside = accepted - countUpTo(endsMs, sentAtMs)
      if (!isTurnedAway) accepted += 1
      return { isTurnedAway, inside }
    })
}

/** Minimum number of requests that found an empty server, to separate idle slowdown from chance. */
const fewestUndisturbed = 50

/**
 * Ratio of the time of a request that found an empty server to that of one that had to wait, because an idle machine
 * is slower. It is the median of the ratios; 1 for too few requests.
 */
export function measureIdleSlowdown(
  service: ServiceModel,
  [first = 1]: AtWork['slowdowns'],
  undisturbed: readonly ServiceTime[],
): number {
  if (undisturbed.length < fewestUndisturbed) return 1
  const over = undisturbed.map(
    ({ audioSeconds, serviceMs }) => serviceMs / usualServiceMs(service, audioSeconds),
  )
  return (quantile(sortSamples(over), 0.5) ?? 1) / first
}

/** Service time of one request on an otherwise idle server. */
export interface ServiceTime {
  readonly audioSeconds: number
  readonly serviceMs: number
}

/**
 * Service time as a line over the length of the audio, with the deviations of single requests: S(d) = (a + b·d) · e,
 * where e is one of the observed ratios.
 */
export interface ServiceModel {
  readonly fixedMs: number
  readonly perAudioSecondMs: number
  /** Ratios of measured to fitted times, ascending; at most 100 representative ones. */
  readonly ratios: readonly number[]
}

/** Minimum number of times from which a variation can be estimated. */
const fewestTimes = 5
/** Maximum number of ratios, to limit the size of the document. */
const maxRatios = 100

/**
 * Fits the line robustly (Theil and Sen), so that a few delayed requests do not tilt it.
 *
 * @returns null for fewer than five requests, or equal lengths with times that are not above 0
 */
export function fitServiceModel(times: readonly ServiceTime[]): ServiceModel | null {
  if (times.length < fewestTimes) return null
  const line = fitTheilSen(times.map(({ audioSeconds, serviceMs }) => ({ x: audioSeconds, y: serviceMs })))
  const middle = quantile(sortSamples(times.map(({ serviceMs }) => serviceMs)), 0.5) ?? 0
  // For equal lengths or a falling line, the model is a constant.
  const isRising = line !== null && line.slope >= 0 && line.intercept >= 0
  const fixedMs = isRising ? line.intercept : line !== null && line.slope > 0 ? 0 : middle
  const perAudioSecondMs = isRising ? line.slope : line !== null && line.slope > 0 ? throughOrigin(times) : 0
  const ratios = times.map(
    ({ audioSeconds, serviceMs }) => serviceMs / (fixedMs + perAudioSecondMs * audioSeconds),
  )
  if (!ratios.every((ratio) => Number.isFinite(ratio) && ratio > 0)) return null
  return { fixedMs, perAudioSecondMs, ratios: standFor(sortSamples(ratios), maxRatios) }
}

/** Medians of equal parts of a sorted list, at most this many; all values if there are fewer. */
function standFor(sorted: Parameters<typeof quantile>[0], most: number): readonly number[] {
  if (sorted.length <= most) return [...sorted]
  return Array.from({ length: most }, (_, index) => quantile(sorted, (index + 0.5) / most) ?? 1)
}

/** Mean service time of audio of a length, in milliseconds. */
function expectedServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
): number {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  return (fixedMs + perAudioSecondMs * audioSeconds) * mean
}

/** Median service time of audio of a length, in milliseconds. */
export function usualServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
): number {
  return (fixedMs + perAudioSecondMs * audioSeconds) * (quantile(sortSamples(ratios), 0.5) ?? 1)
}

function throughOrigin(times: readonly ServiceTime[]): number {
  return quantile(sortSamples(times.map(({ audioSeconds, serviceMs }) => serviceMs / audioSeconds)), 0.5) ?? 0
}

export function drawServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
  random: Random,
): number {
  return (fixedMs + perAudioSecondMs * audioSeconds) * (ratios[random.below(ratios.length)] ?? 1)
}

/**
 * Service times of requests of an open load that found an empty server. They take longer than requests sent back to
 * back, because the machine was idle.
 *
 * @param workers with several, later requests slow one down, so it counts only if none arrived meanwhile
 */
export function timesAlone(
  samples: readonly LevelSample[],
  workers: number,
): (ServiceTime & { readonly sentAtMs: number })[] {
  const sent = samples.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  const times: ReturnType<typeof timesAlone> = []
  let lastEndMs = Number.NEGATIVE_INFINITY
  for (const [index, { sentAtMs, endedAtMs, audioSeconds, isAnswered }] of sent.entries()) {
    const nextMs = sent[index + 1]?.sentAtMs ?? Number.POSITIVE_INFINITY
    const isUndisturbed = workers === 1 ? nextMs > sentAtMs : nextMs >= endedAtMs
    if (isAnswered && lastEndMs <= sentAtMs && isUndisturbed)
      times.push({ audioSeconds, serviceMs: endedAtMs - sentAtMs, sentAtMs })
    lastEndMs = Math.max(lastEndMs, endedAtMs)
  }
  return times
}
