import type { PlannedRequest } from '#journal/plan-line'
import { asSoonAsPossible } from '#load/loads/closed'
import { refuseTooMany } from '#load/rate-schedule'
import type { Schedule } from '#load/schedule'
import { countTurns, equalIssueOrder, matchDurations, type Speakable } from '#load/what-is-sent'
import { lazily, type Random, seededRandom } from '#prelude'

export interface PlanInput {
  readonly contenderIds: readonly string[]
  readonly utterances: readonly Speakable[]
  readonly schedule: Schedule
  /** Lengths in seconds of the entries of a trace, in its order; null for every other load. */
  readonly wantedSeconds: readonly number[] | null
  /** Passes of each contender over the corpus; for a load with a fixed duration, repetitions of the load. */
  readonly rounds: number
  /** Minimum number of turns of a load without a fixed duration, even with one contender; default: 1. */
  readonly minTurns?: number
  readonly warmupRequests: number
  readonly seed: number
}

/**
 * Makes the whole plan before the clock starts. Consecutive requests to one contender are a block. In each turn every
 * contender has a block with the same utterances in the same shuffled order, at the same times. Turns come in pairs of
 * ABBA order, newly shuffled for each pair. They are many and small, so that a temporary slowdown of the machine affects
 * all contenders alike, even with one round:
 *
 *   turn        1      2      3      4
 *   blocks      A B    B A    B A    A B
 *   utterances  ▒      ▓      ░      █       one after the other through the passes over the corpus
 *
 * Each utterance is sent equally often, or once more than others if a load ends within a pass. The whole schedule is
 * sent, and rates weigh every utterance alike. Equal input gives an equal plan.
 *
 * @returns the warm-up of every contender (block -1), then the blocks; `index` counts from 0
 * @throws BenchError LOAD_TOO_LARGE
 */
export function planRequests(input: PlanInput): readonly PlannedRequest[] {
  refuseTooMany(countRequests(input))
  const random = seededRandom(input.seed)
  const requests: PlannedRequest[] = []
  const add = (request: Omit<PlannedRequest, 'kind' | 'index'>): void => {
    requests.push({ kind: 'request', index: requests.length, ...request })
  }
  const ids = input.utterances.map(({ id }) => id)
  for (const request of warmupRequests(input, ids, random)) add(request)
  const schedule = blockSchedule(input)
  const secondsOf = lazily(
    () => new Map(input.utterances.map(({ id, audioSeconds }) => [id, audioSeconds] as const)),
  )
  const sizes = turnSizes(input)
  const { sequence, roundAt } = sequenceUtterances(input, ids, sizes, random)
  const nextOrder = abbaOrder(input.contenderIds, random)
  let [block, from] = [0, 0]
  for (const [turn, count] of sizes.entries()) {
    const turnIds = sequence.slice(from, from + count)
    const audioSeconds = (position: number): number => secondsOf().get(turnIds[position] ?? '') ?? 0
    const sends = schedule.plan({ count, audioSeconds, round: turn })
    for (const contenderId of nextOrder()) {
      for (const [position, utteranceId] of turnIds.entries()) {
        const round = roundAt(from + position, turn)
        add({ phase: 'measure', round, block, contenderId, utteranceId, send: sends[position] ?? null })
      }
      block += 1
    }
    from += count
  }
  return requests
}

/** The load of one block: the load of the plan, or a part of it if it has a fixed duration. */
export function blockSchedule(input: PlanShape): Schedule {
  return input.schedule.part(countParts(input)) ?? input.schedule
}

type PlanShape = Pick<PlanInput, 'schedule' | 'rounds' | 'contenderIds'>

/** Number of blocks per contender into which a load with a fixed duration is cut; 1 for any other. */
function countParts({ schedule, rounds, contenderIds }: PlanShape): number {
  const arrivals = schedule.requestCount()
  if (arrivals === null || contenderIds.length === 1) return 1
  return Math.max(1, Math.ceil(countTurns(arrivals * rounds, schedule) / rounds))
}

/** Requests of the plan, or turns where a load is so short that these are more. */
function countRequests(input: PlanInput): number {
  const { schedule, rounds, utterances, contenderIds, warmupRequests } = input
  const inRound = Math.max(1, schedule.requestCount() ?? utterances.length)
  return contenderIds.length * (warmupRequests + rounds * inRound)
}

/** Number of requests in the blocks of each turn. */
function turnSizes(input: PlanInput): number[] {
  const { schedule, rounds, utterances, contenderIds, minTurns = 1 } = input
  const arrivals = schedule.requestCount()
  if (arrivals === null) {
    const requestCount = rounds * utterances.length
    const needed = contenderIds.length === 1 ? 1 : countTurns(requestCount, schedule)
    const turns = Math.min(requestCount, Math.max(needed, minTurns))
    const until = (turn: number): number => Math.floor((turn * requestCount) / turns)
    return Array.from({ length: turns }, (_, turn) => until(turn + 1) - until(turn))
  }
  const part = blockSchedule(input)
  const parts = part === schedule ? 1 : countParts(input)
  return Array.from({ length: rounds * parts }, (_, turn) => part.requestCount(turn) ?? 0)
}

/**
 * The utterances that each contender is sent through all blocks, and the pass over the corpus, from 1, of a position.
 *
 * @param ids of the utterances
 */
function sequenceUtterances(
  { utterances, wantedSeconds }: PlanInput,
  ids: readonly string[],
  sizes: readonly number[],
  random: Random,
): { readonly sequence: readonly string[]; roundAt(position: number, turn: number): number } {
  if (wantedSeconds !== null) {
    const sequence = sizes.flatMap((size) => matchDurations(wantedSeconds.slice(0, size), utterances))
    return { sequence, roundAt: (_, turn) => turn + 1 }
  }
  const count = sizes.reduce((sum, size) => sum + size, 0)
  const roundAt = (position: number): number => Math.floor(position / ids.length) + 1
  return { sequence: equalIssueOrder(ids, count, random), roundAt }
}

/** The warm-up requests of each contender, one contender after the other. */
function warmupRequests(
  input: Pick<PlanInput, 'contenderIds' | 'warmupRequests'>,
  ids: readonly string[],
  random: Random,
): Omit<PlannedRequest, 'kind' | 'index'>[] {
  const order = random.shuffled(ids)
  const positions = [...Array(input.warmupRequests).keys()]
  return input.contenderIds.flatMap((contenderId) =>
    positions.flatMap((position) => {
      const utteranceId = order[position % order.length]
      if (utteranceId === undefined) return []
      return [
        { phase: 'warmup' as const, round: 0, block: -1, contenderId, utteranceId, send: asSoonAsPossible },
      ]
    }),
  )
}

/**
 * Orders of the sides, pass by pass: a shuffled order, then its mirror image, then a new one. A steady drift over the
 * session affects all sides alike. In the order A A … B B, a drift of 10 % would look like a difference of 5 %.
 *
 *   pass    1      2      3      4
 *   order   A B    B A    B A    A B
 *
 * @returns the next order with every call
 */
export function abbaOrder<Side>(sides: readonly Side[], random: Random): () => readonly Side[] {
  let mirrored: readonly Side[] | null = null
  return () => {
    const order = mirrored ?? random.shuffled(sides)
    mirrored = mirrored === null ? order.toReversed() : null
    return order
  }
}
