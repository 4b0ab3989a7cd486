import type { PlannedRequest } from '#journal'
import { type Random, seededRandom } from '#prelude'

export interface PlanInput {
  readonly contenderIds: readonly string[]
  readonly utteranceIds: readonly string[]
  /** Passes of each contender over the corpus. */
  readonly rounds: number
  /** Requests to each contender before anything is measured. */
  readonly warmupRequests: number
  readonly seed: number
}

/**
 * Makes the whole plan before the clock starts. One contender's round is a block; blocks stand in ABBA
 * order, newly shuffled for each pair of rounds, so that a steady drift of the machine falls on all
 * contenders alike:
 *
 *   round    1      2      3      4
 *   blocks   A B    B A    B A    A B
 *
 * Within a round every contender gets the utterances in the same shuffled order. Equal input gives an
 * equal plan.
 *
 * @returns the warm-up of every contender (block -1), then the blocks; `index` counts from 0
 */
export function planRequests(input: PlanInput): PlannedRequest[] {
  const random = seededRandom(input.seed)
  const requests: PlannedRequest[] = []
  const add = (request: Omit<PlannedRequest, 'kind' | 'index'>): void => {
    requests.push({ kind: 'request', index: requests.length, ...request })
  }

  const warmupOrder = random.shuffled(input.utteranceIds)
  for (const contenderId of input.contenderIds) {
    for (let sent = 0; sent < input.warmupRequests; sent += 1) {
      const utteranceId = warmupOrder[sent % warmupOrder.length]
      if (utteranceId !== undefined) add({ phase: 'warmup', round: 0, block: -1, contenderId, utteranceId })
    }
  }
  let block = 0
  for (const [position, order] of contenderOrders(input, random).entries()) {
    const utteranceOrder = random.shuffled(input.utteranceIds)
    for (const contenderId of order) {
      for (const utteranceId of utteranceOrder) {
        add({ phase: 'measure', round: position + 1, block, contenderId, utteranceId })
      }
      block += 1
    }
  }
  return requests
}

/** The order of contenders in each round: a shuffled order, then the same one mirrored, and so on. */
function contenderOrders({ contenderIds, rounds }: PlanInput, random: Random): string[][] {
  const orders: string[][] = []
  while (orders.length < rounds) {
    const order = random.shuffled(contenderIds)
    orders.push(order, order.toReversed())
  }
  return orders.slice(0, rounds)
}
