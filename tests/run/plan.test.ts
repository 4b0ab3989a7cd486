import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PlanInput, planRequests } from '#run'

const inputs: fc.Arbitrary<PlanInput> = fc.record({
  contenderIds: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
  utteranceIds: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }),
  rounds: fc.integer({ min: 1, max: 6 }),
  warmupRequests: fc.integer({ min: 0, max: 3 }),
  seed: fc.integer(),
})

const blockOrder = (input: PlanInput): string[][] => {
  const orders: string[][] = []
  for (const { phase, round, contenderId } of planRequests(input)) {
    if (phase === 'warmup') continue
    const order = orders[round - 1] ?? []
    orders[round - 1] = order
    if (order.at(-1) !== contenderId) order.push(contenderId)
  }
  return orders
}

describe('a plan', () => {
  test('is the same for the same seed', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        expect(planRequests(input)).toEqual(planRequests(input))
      }),
    )
  })

  test('sends every utterance to every contender once a round, after the warm-up', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const requests = planRequests(input)
        const measured = requests.filter((request) => request.phase === 'measure')
        const { contenderIds, utteranceIds, rounds, warmupRequests } = input
        expect(measured).toHaveLength(contenderIds.length * utteranceIds.length * rounds)
        const keys = measured.map(({ round, contenderId, utteranceId }) =>
          JSON.stringify([round, contenderId, utteranceId]),
        )
        expect(new Set(keys).size).toBe(measured.length)
        expect(requests).toHaveLength(measured.length + contenderIds.length * warmupRequests)
        expect(
          requests.slice(0, contenderIds.length * warmupRequests).every(({ phase }) => phase === 'warmup'),
        ).toBe(true)
        expect(requests.map(({ index }) => index)).toEqual([...requests.keys()])
      }),
    )
  })

  test('keeps the requests of a block together, and numbers the blocks in order', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const blocks = planRequests(input)
          .filter(({ phase }) => phase === 'measure')
          .map(({ block }) => block)
        expect(blocks).toEqual(blocks.toSorted((a, b) => a - b))
        expect(new Set(blocks).size).toBe(input.contenderIds.length * input.rounds)
      }),
    )
  })

  test('mirrors the order of contenders in every second round, so that a steady drift cancels', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const orders = blockOrder(input)
        for (let round = 1; round < orders.length; round += 2) {
          expect(orders[round]).toEqual(orders[round - 1]?.toReversed())
        }
      }),
    )
  })

  test('gives every contender the same order of utterances within a round', () => {
    const requests = planRequests({
      contenderIds: ['a', 'b'],
      utteranceIds: ['1', '2', '3', '4', '5', '6'],
      rounds: 2,
      warmupRequests: 0,
      seed: 3,
    })
    const order = (round: number, contender: string): string[] =>
      requests.filter((r) => r.round === round && r.contenderId === contender).map((r) => r.utteranceId)
    expect(order(1, 'a')).toEqual(order(1, 'b'))
    expect(order(1, 'a')).not.toEqual(order(2, 'a'))
  })

  test('does not always begin with the same contender', () => {
    const firsts = Array.from(
      { length: 20 },
      (_, seed) =>
        planRequests({ contenderIds: ['a', 'b'], utteranceIds: ['1'], rounds: 1, warmupRequests: 0, seed })[0]
          ?.contenderId,
    )
    expect(new Set(firsts)).toEqual(new Set(['a', 'b']))
  })
})
