import type { PlannedRequest } from '#journal'
import {
  closedSchedule,
  equalIssueCount,
  equalIssueOrder,
  matchDurations,
  type Schedule,
  type Speakable,
} from '#load'
import { type Random, seededRandom } from '#prelude'

export interface PlanInput {
  readonly contenderIds: readonly string[]
  readonly utterances: readonly Speakable[]
  readonly schedule: Schedule
  /** Lengths of what a trace repeats, in its order; null for every other load. */
  readonly wantedSeconds: readonly number[] | null
  /** Passes of each contender over the corpus; with a schedule that ends by itself, how often it is gone through. */
  readonly rounds: number
  /** Requests to each contender before anything is measured. */
  readonly warmupRequests: number
  readonly seed: number
}

/**
 * Makes the whole plan before the clock starts. What one contender is sent in one go is a block; blocks stand in
 * ABBA order, newly shuffled for each pair of turns, so that a steady drift of the machine falls on all contenders
 * alike:
 *
 *   turn     1      2      3      4
 *   blocks   A B    B A    A B    B A
 *
 * A block is as many whole passes over the corpus as the schedule needs to become steady, so that each utterance
 * is sent equally often; within a turn every contender gets the utterances in the same shuffled order and at the
 * same moments. Equal input gives an equal plan.
 *
 * @returns the warm-up of every contender (block -1), then the blocks; `index` counts from 0
 */
export function planRequests(input: PlanInput): PlannedRequest[] {
  const { schedule, seed } = input
  const random = seededRandom(seed)
  const requests: PlannedRequest[] = []
  const add = (request: Omit<PlannedRequest, 'kind' | 'index'>): void => {
    requests.push({ kind: 'request', index: requests.length, ...request })
  }

  const ids = input.utterances.map(({ id }) => id)
  const warmupOrder = random.shuffled(ids)
  for (const contenderId of input.contenderIds) {
    const sends = closedSchedule(1).plan({ count: input.warmupRequests })
    for (const [position, send] of sends.entries()) {
      const utteranceId = warmupOrder[position % warmupOrder.length]
      if (utteranceId !== undefined)
        add({ phase: 'warmup', round: 0, block: -1, contenderId, utteranceId, send })
    }
  }
  const secondsOf = new Map(input.utterances.map(({ id, audioSeconds }) => [id, audioSeconds]))
  const counts = turnCounts(input)
  let block = 0
  let passesBefore = 0
  for (const [turn, order] of contenderOrders(input.contenderIds, counts.length, random).entries()) {
    const count = counts[turn] ?? 0
    const utteranceOrder =
      input.wantedSeconds === null
        ? equalIssueOrder(ids, count, random)
        : matchDurations(input.wantedSeconds.slice(0, count), input.utterances)
    const audioSeconds = (position: number): number => secondsOf.get(utteranceOrder[position] ?? '') ?? 0
    const sends = schedule.plan({ count, audioSeconds, round: turn })
    const passOf = (position: number): number =>
      input.wantedSeconds === null ? Math.floor(position / ids.length) : 0
    for (const contenderId of order) {
      for (const [position, utteranceId] of utteranceOrder.entries()) {
        const round = passesBefore + passOf(position) + 1
        add({ phase: 'measure', round, block, contenderId, utteranceId, send: sends[position] ?? null })
      }
      block += 1
    }
    passesBefore += count === 0 ? 0 : passOf(count - 1) + 1
  }
  return requests
}

/**
 * How many requests each block of a turn has.
 *
 * A schedule that ends by itself says so; of any other, the passes are put together until a block is long enough
 * to be steady, but in two turns at least where contenders are compared, so that drift still cancels.
 */
function turnCounts({ schedule, rounds, utterances, contenderIds, wantedSeconds }: PlanInput): number[] {
  const turns = Array.from({ length: rounds }, (_, turn) => turn)
  if (schedule.requestCount() !== null) {
    return turns.map((round) =>
      wantedSeconds === null
        ? equalIssueCount(schedule, utterances.length, { atLeast: 0, round })
        : wantedSeconds.length,
    )
  }
  const mostPasses = contenderIds.length > 1 ? Math.max(1, Math.floor(rounds / 2)) : rounds
  const passes = Math.min(mostPasses, Math.ceil(schedule.steadyCount / utterances.length))
  const blockCount = Math.max(1, Math.floor(rounds / passes))
  const shareOf = (turn: number): number =>
    Math.floor(((turn + 1) * rounds) / blockCount) - Math.floor((turn * rounds) / blockCount)
  return turns.slice(0, blockCount).map((turn) => shareOf(turn) * utterances.length)
}

/** The order of contenders in each turn: a shuffled order, then the same one mirrored, and so on. */
function contenderOrders(contenderIds: readonly string[], turns: number, random: Random): string[][] {
  const orders: string[][] = []
  while (orders.length < turns) {
    const order = random.shuffled(contenderIds)
    orders.push(order, order.toReversed())
  }
  return orders.slice(0, turns)
}
