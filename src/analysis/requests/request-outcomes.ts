import { meansNoSpeech, type NoSpeechRule } from '#contract'
import type { AttemptLine, PlannedRequest, ReusedLine } from '#journal'
import type { Rows } from '#prelude'
import type { AttemptStatus } from '../documents/utterance-evaluation.ts'
import type { RunMaterial } from './run-material.ts'

export const statuses: readonly AttemptStatus[] = ['notSent', 'scored', 'failed', 'dropped']

/** What became of every request, by its place in the plan; of attempts their places in the journal, and 0 for none. */
export interface RequestOutcomes {
  /** Place of the last attempt, from 1. */
  readonly last: Uint32Array
  /** Place of the attempt with which the waiting for an answer began: see `beginning`. From 1. */
  readonly first: Uint32Array
  /** The answer of an earlier run, where the request was not sent for it. */
  reusedAt(place: number): ReusedLine | null
  attemptCount(place: number): number
  /** Of those, how many were sent after a pause that the server had asked for. */
  pausedCount(place: number): number
  /** Index into `statuses`. */
  readonly statuses: Uint8Array
  readonly saidNoSpeech: Uint8Array
  isOfPlan(attemptPlace: number): boolean
}

export function outcomesOf(
  { requests, attempts, reused = [] }: Pick<RunMaterial, 'requests' | 'attempts' | 'reused'>,
  noSpeech: readonly NoSpeechRule[],
): RequestOutcomes {
  const placeOf = placesByIndex(requests)
  const count = requests.length
  const last = new Uint32Array(count)
  const [isOfPlan, statusCodes, saidNoSpeech] = [
    new Uint8Array(attempts.length),
    new Uint8Array(count),
    new Uint8Array(count),
  ]
  /** Places in the journal, of requests that were sent more than once. */
  const repeated = new Map<number, number[]>()
  let attemptPlace = 0
  for (const attempt of attempts) {
    const place = placeOf(attempt.index)
    attemptPlace += 1
    if (place === undefined || !belongs(attempt, requests.at(place))) continue
    isOfPlan[attemptPlace - 1] = 1
    if (last[place] === 0) last[place] = attemptPlace
    else {
      const places = repeated.get(place) ?? [last[place] as number]
      repeated.set(place, places)
      places.push(attemptPlace)
    }
  }
  // Mostly nothing is sent twice, and the first attempt is the last one.
  const first = repeated.size === 0 ? last : last.slice()
  const pausedCounts = new Map<number, number>()
  for (const [place, places] of repeated) {
    const inOrder = places
      .map((at) => ({ at, line: attempts.at(at - 1) as AttemptLine }))
      // The journal has them in the order in which they ended.
      .sort((a, b) => a.line.attempt - b.line.attempt)
    last[place] = inOrder.at(-1)?.at ?? 0
    first[place] = beginning(inOrder)?.at ?? 0
    const pausedCount = inOrder.filter(({ line }) => isAfterPause(line)).length
    if (pausedCount > 0) pausedCounts.set(place, pausedCount)
  }
  const reusedByPlace = placesOfReused(reused, { requests, placeOf })
  for (let place = 0; place < count; place += 1) {
    const at = last[place] as number
    const answered = at === 0 ? reusedByPlace.get(place) : (attempts.at(at - 1) as AttemptLine)
    if (answered === undefined) continue
    const { outcome } = answered
    const isSilence = !outcome.ok && meansNoSpeech(outcome.failure, noSpeech)
    const isDropped = !outcome.ok && outcome.failure.kind === 'dropped'
    const status = isDropped ? 'dropped' : outcome.ok || isSilence ? 'scored' : 'failed'
    statusCodes[place] = statuses.indexOf(status)
    saidNoSpeech[place] = isSilence && !isDropped ? 1 : 0
  }
  return {
    last,
    first,
    reusedAt: (place) => (last[place] === 0 ? (reusedByPlace.get(place) ?? null) : null),
    attemptCount: (place) => repeated.get(place)?.length ?? Math.min(1, last[place] as number),
    pausedCount: (place) => pausedCounts.get(place) ?? 0,
    statuses: statusCodes,
    saidNoSpeech,
    isOfPlan: (attemptAt) => isOfPlan[attemptAt] === 1,
  }
}

function placesOfReused(
  reused: readonly ReusedLine[],
  {
    requests,
    placeOf,
  }: {
    readonly requests: Rows<PlannedRequest>
    readonly placeOf: (index: number) => number | undefined
  },
): ReadonlyMap<number, ReusedLine> {
  return new Map(
    reused.flatMap((line) => {
      const place = placeOf(line.index)
      const isOfPlan = place !== undefined && belongs({ ...line, phase: 'measure' }, requests.at(place))
      return isOfPlan ? [[place, line] as const] : []
    }),
  )
}

interface PlacedAttempt {
  readonly at: number
  readonly line: AttemptLine
}

/**
 * The attempt with which the waiting for an answer began: the first since the run was last resumed, or the last that was
 * sent after a pause for a rate limit. What was refused before that pause, and the pause, belong to no latency.
 */
function beginning(inOrder: readonly PlacedAttempt[]): PlacedAttempt | undefined {
  const segment = inOrder.at(-1)?.line.segment
  const own = inOrder.filter(({ line }) => line.segment === segment)
  return own.findLast(({ line }) => isAfterPause(line)) ?? own[0]
}

/** Its request had been refused before, and was held back until the server wanted it again. */
function isAfterPause({ attempt, pacedMs }: AttemptLine): boolean {
  return attempt > 1 && pacedMs !== undefined
}

/** Position in the plan of the request with an index: mostly equal to the index. */
function placesByIndex(requests: Rows<PlannedRequest>): (index: number) => number | undefined {
  if (requests.every(({ index }, place) => index === place)) {
    return (index) => (index < requests.length ? index : undefined)
  }
  const places = new Map(requests.map(({ index }, place) => [index, place]))
  return (index) => places.get(index)
}

function belongs(
  attempt: Pick<AttemptLine, 'contenderId' | 'utteranceId' | 'phase'>,
  request: PlannedRequest | undefined,
): boolean {
  return (
    request !== undefined &&
    request.contenderId === attempt.contenderId &&
    request.utteranceId === attempt.utteranceId &&
    request.phase === attempt.phase
  )
}
