import type { Random } from '#prelude'
import { quantile, sortSamples } from '#statistics/quantiles'
import { fitTheilSen } from '#statistics/series/trend'
import { type LevelSample, lastEndMs, steadyWindow, type Turn } from './loaded-server.ts'

/** How a server works on several requests at once. */
export interface AtWork {
  /** Requests that it works on at once; the others wait. */
  readonly workers: number
  /** Of the time that a request alone takes, the part in which it holds a worker: 0..1. */
  readonly share: number
  /** How many times as long as alone each takes while k are at work; from k = 1 to `workers`. */
  readonly slowdowns: readonly number[]
}

export interface ClosedLevel {
  readonly inFlight: number
  readonly turns: readonly Turn[]
}

/** Left out at the start of every turn, as a share of it. */
const skipShare = 0.1
/**
 * Requests overtake by chance where two leave or come back at nearly the same time. Of W workers, the one that began
 * last is the next that is over in one case of W if nothing is known of the work; fewer than a fifth of that are no
 * evidence.
 */
const overtakingShare = 0.2
/** A request is not less than this in the hands of a worker: what is left is more than a way there and back. */
const smallestShare = 0.3

/**
 * How many are worked on at once, how much of its time a request holds a worker, and how much they are in each other's
 * way, from closed levels, the first of them with one in flight.
 *
 * With more in flight than there are workers, all W are at work all the time, and what gets done is
 * g = W / (share · slowdown(W)) times what one alone gets done; with just W in flight it is
 * W / (1 - share + share · slowdown(W)), because nothing hides the ways there and back. The difference gives the share.
 *
 * @param known where it is set how many are worked on at once
 * @returns null without a level of one in flight
 */
export function countAtWork(
  levels: readonly ClosedLevel[],
  service: ServiceModel,
  known: number | null = null,
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
  const most = Math.max(...gains.map(({ gain }) => gain))
  const workers = known ?? Math.max(1, Math.round(most), overtakers(levels))
  // All levels that are full, each by how long it was looked at.
  const full = gains.filter(({ inFlight }) => inFlight > workers)
  const seconds = full.reduce((sum, level) => sum + level.seconds, 0)
  const saturated =
    seconds === 0
      ? (gains.findLast(({ inFlight }) => inFlight <= workers)?.gain ?? 1)
      : full.reduce((sum, level) => sum + level.gain * level.seconds, 0) / seconds
  const justFull = gains.find(({ inFlight }) => inFlight === workers)?.gain
  const besides = justFull === undefined || seconds === 0 ? 0 : workers / justFull - workers / saturated
  const likely = Math.min(1, Math.max(smallestShare, 1 - besides))
  // One at a time is slower too where the next one already waits, and its bytes are read during the work.
  const last = Math.max(1, workers / (likely * saturated))
  // Workers that are not in each other's way and still get more done than there are of them hold less of each request.
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

/** Between the points on straight lines; beyond them, the nearest one. */
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
 * What gets done in a second, in seconds that requests of those lengths take alone: a count of requests would take long
 * ones for slowness. Requests that fail get nothing done. The time is from the middle of the first completions to the middle of
 * the last, as many as there are in flight: requests of one length come back in groups, and from one single completion to
 * another a part of a group too many is counted.
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
    for (let place = 0; place < size; place += 1) {
      const [first, last] = [place, count - size + place]
      doneMs += work.slice(first + 1, last + 1).reduce((sum, each) => sum + each, 0) / size
      takenMs += ((ended[last]?.endedAtMs ?? 0) - (ended[first]?.endedAtMs ?? 0)) / size
    }
  }
  return takenMs > 0 && doneMs > 0 ? { rate: doneMs / takenMs, seconds: takenMs / 1000 } : null
}

/**
 * Where requests are begun in the order of coming, only one of the W oldest can be the next that is over: so the place
 * of the one that is over among those in flight gives how many are worked on. 1 where all take the same time.
 */
function overtakers(levels: readonly ClosedLevel[]): number {
  const places = levels
    .filter(({ inFlight }) => inFlight > 1)
    .flatMap(({ inFlight, turns }) =>
      turns.flatMap((samples) => assignPlaces(samples, inFlight).map((place) => ({ inFlight, place }))),
    )
  const most = places.reduce((highest, { place }) => Math.max(highest, place), 1)
  for (let workers = most; workers > 1; workers -= 1) {
    const able = places.filter(({ inFlight }) => inFlight >= workers)
    const seen = able.filter(({ place }) => place >= workers).length
    if (seen >= (overtakingShare / workers) * able.length) return workers
  }
  return 1
}

/**
 * Of every request that was answered with all places taken: which of those in flight it was, in the order of coming, from 1. A
 * refused one overtakes all, and shows nothing.
 */
function assignPlaces(samples: Turn, inFlight: number): number[] {
  const events = samples
    .flatMap((sample, index) => [
      { atMs: sample.sentAtMs, index, isEnd: false },
      { atMs: sample.endedAtMs, index, isEnd: true },
    ])
    // What ends makes room for what is sent at the same moment; those that end together end in order.
    .toSorted((a, b) => a.atMs - b.atMs || Number(b.isEnd) - Number(a.isEnd) || a.index - b.index)
  const places: number[] = []
  const open: number[] = []
  let over = 0
  for (const { index, isEnd } of events) {
    if (!isEnd) {
      open.push(index)
      continue
    }
    const place = open.indexOf(index)
    over += 1
    // Those of the start were all sent together, in no order; at the end fewer are in flight.
    const isCounted = over > 2 * inFlight && open.length === inFlight
    if (isCounted && samples[index]?.isAnswered === true) places.push(place + 1)
    open.splice(place, 1)
  }
  return places
}

/** What a server goes by that turns requests away. */
export type TurningAway =
  | { readonly kind: 'none' }
  /** It takes so many at once, those that wait among them, and no more. */
  | { readonly kind: 'full'; readonly inside: number }
  /** It refuses with few inside what it takes with more: by a rate limit, perhaps. */
  | { readonly kind: 'unexplained' }

/** Fewer refusals are chance. */
const fewestTurnedAway = 3
/** Of the refusals, those that may disagree: what leaves at the same moment arrives in any order. */
const outOfOrder = 0.1

/**
 * Whether refusals go by the number of requests inside, as those of a queue with a bound do: nearly all of them found that many, and
 * nothing with more inside was taken. Open loads show it best: a closed one sends again at once, just when a place becomes free.
 *
 * @param open samples of open loads, each from its own start
 * @param closed of closed ones: there a rate limit looks like a server without a queue
 * @param workers that the server seems to have
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

/** How many requests that were taken each one found inside. */
function arrivalsAmong(samples: Turn) {
  let endsMs: number[] = []
  return samples
    .toSorted((a, b) => a.sentAtMs - b.sentAtMs)
    .map(({ sentAtMs, endedAtMs, isTurnedAway = false }) => {
      endsMs = endsMs.filter((endMs) => endMs > sentAtMs)
      const inside = endsMs.length
      if (!isTurnedAway) endsMs.push(endedAtMs)
      return { isTurnedAway, inside }
    })
}

/** Requests that found an empty server under an open load; fewer do not separate an idle machine from chance. */
const fewestUndisturbed = 50

/**
 * How many times as long a request takes that found an empty server, over one that had to wait: a machine that has just
 * done nothing is slower. The middle of the ratios; 1 where too few were seen.
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

/** How long one request takes a server that has nothing else to do. */
export interface ServiceTime {
  readonly audioSeconds: number
  readonly serviceMs: number
}

/**
 * Service time as a line over the length of the audio, with what single requests differ from it by:
 * S(d) = (a + b·d) · e, where e is one of the ratios that were seen.
 */
export interface ServiceModel {
  readonly fixedMs: number
  readonly perAudioSecondMs: number
  /** Measured over fitted, ascending; at most a hundred, which represent all. */
  readonly ratios: readonly number[]
}

/** Fewer say nothing of how they vary. */
const fewestTimes = 5
/** More of them would only make the document longer. */
const mostRatios = 100

/**
 * Fits the line robustly (Theil and Sen): a few requests that were held up do not tilt it.
 *
 * @returns null for fewer than five requests, or lengths that are all the same and times that are not above 0
 */
export function fitServiceModel(times: readonly ServiceTime[]): ServiceModel | null {
  if (times.length < fewestTimes) return null
  const line = fitTheilSen(times.map(({ audioSeconds, serviceMs }) => ({ x: audioSeconds, y: serviceMs })))
  const middle = quantile(sortSamples(times.map(({ serviceMs }) => serviceMs)), 0.5) ?? 0
  // Lengths that do not differ, or a line that falls, leave a constant.
  const isRising = line !== null && line.slope >= 0 && line.intercept >= 0
  const fixedMs = isRising ? line.intercept : line !== null && line.slope > 0 ? 0 : middle
  const perAudioSecondMs = isRising ? line.slope : line !== null && line.slope > 0 ? throughOrigin(times) : 0
  const ratios = times.map(
    ({ audioSeconds, serviceMs }) => serviceMs / (fixedMs + perAudioSecondMs * audioSeconds),
  )
  if (!ratios.every((ratio) => Number.isFinite(ratio) && ratio > 0)) return null
  return { fixedMs, perAudioSecondMs, ratios: standFor(sortSamples(ratios), mostRatios) }
}

/** The middles of parts of the same size: as many as there are, or so many. */
function standFor(sorted: Parameters<typeof quantile>[0], most: number): readonly number[] {
  if (sorted.length <= most) return [...sorted]
  return Array.from({ length: most }, (_, index) => quantile(sorted, (index + 0.5) / most) ?? 1)
}

/** What audio of a length takes on average, in milliseconds. */
function expectedServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
): number {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  return (fixedMs + perAudioSecondMs * audioSeconds) * mean
}

/** What audio of a length takes in the middle of all cases, in milliseconds. */
export function usualServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
): number {
  return (fixedMs + perAudioSecondMs * audioSeconds) * (quantile(sortSamples(ratios), 0.5) ?? 1)
}

function throughOrigin(times: readonly ServiceTime[]): number {
  return quantile(sortSamples(times.map(({ audioSeconds, serviceMs }) => serviceMs / audioSeconds)), 0.5) ?? 0
}

/** A service time for audio of a length, in milliseconds. */
export function drawServiceMs(
  { fixedMs, perAudioSecondMs, ratios }: ServiceModel,
  audioSeconds: number,
  random: Random,
): number {
  return (fixedMs + perAudioSecondMs * audioSeconds) * (ratios[random.below(ratios.length)] ?? 1)
}

/**
 * What requests of an open load took that found an empty server: those that come one by one find a machine that has
 * just done nothing, and take longer than those that are sent back to back.
 *
 * @param workers where there are several, later ones slow a request down, and it only counts where none came
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
