import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closedSchedule, makeSchedule, type Schedule } from '#load'
import { type PlanInput, planRequests } from '#run'

/** One request in flight, so that a block is one round. */
const onePass = { schedule: closedSchedule(1), wantedSeconds: null }
const spoken = (ids: readonly string[]) => ids.map((id, index) => ({ id, audioSeconds: 1 + index }))

const inputs: fc.Arbitrary<PlanInput> = fc.record({
  contenderIds: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
  utterances: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }).map(spoken),
  schedule: fc.constant(onePass.schedule),
  wantedSeconds: fc.constant(null),
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
        const { contenderIds, utterances, rounds, warmupRequests } = input
        expect(measured).toHaveLength(contenderIds.length * utterances.length * rounds)
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
      ...onePass,
      utterances: spoken(['1', '2', '3', '4', '5', '6']),
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
        planRequests({
          ...onePass,
          contenderIds: ['a', 'b'],
          utterances: spoken(['1']),
          rounds: 1,
          warmupRequests: 0,
          seed,
        })[0]?.contenderId,
    )
    expect(new Set(firsts)).toEqual(new Set(['a', 'b']))
  })
})

describe('a plan under a load', () => {
  const ids = ['1', '2', '3', '4', '5']
  const planUnder = (schedule: Schedule, change: Partial<PlanInput> = {}) =>
    planRequests({
      contenderIds: ['a', 'b'],
      utterances: spoken(ids),
      schedule,
      wantedSeconds: null,
      rounds: 8,
      warmupRequests: 0,
      seed: 3,
      ...change,
    })
  const context = { seed: 3, meanAudioSeconds: 3 }
  const sizes = (schedule: Schedule, change: Partial<PlanInput> = {}) =>
    [...Map.groupBy(planUnder(schedule, change), ({ block }) => block).values()].map((block) => block.length)

  test('puts rounds together until a block has ten answers for each place in flight', () => {
    expect(sizes(closedSchedule(1))).toEqual(Array(16).fill(5))
    expect(sizes(closedSchedule(2), { rounds: 20 })).toEqual(Array(8).fill(25))
  })

  test('keeps two turns where contenders are compared, and one where there is only one', () => {
    expect(sizes(closedSchedule(8))).toEqual(Array(4).fill(20))
    expect(sizes(closedSchedule(8), { contenderIds: ['a'] })).toEqual([40])
    expect(sizes(closedSchedule(8), { rounds: 1 })).toEqual([5, 5])
  })

  test('of a rate with a length is gone through once a round, in whole passes', () => {
    const rate = { requestsPerSecond: 2 }
    const constant = makeSchedule({ kind: 'constant', rate, forSeconds: 6 }, context)
    expect(sizes(constant, { rounds: 2 })).toEqual([10, 10, 10, 10])
  })

  test('sends each utterance equally often in every block', () => {
    const rate = { requestsPerSecond: 7 }
    const shapes = [
      { kind: 'closed', concurrency: 3 },
      { kind: 'poisson', rate, forSeconds: 10 },
      { kind: 'poisson', rate, forSeconds: null },
    ] as const
    for (const shape of shapes) {
      const requests = planUnder(makeSchedule(shape, context))
      for (const block of Map.groupBy(requests, (request) => request.block).values()) {
        const counts = ids.map((id) => block.filter(({ utteranceId }) => utteranceId === id).length)
        expect(new Set(counts).size, shape.kind).toBe(1)
      }
    }
  })

  test('gives both contenders of a turn the same moments, and other ones in the next turn', () => {
    const rate = { requestsPerSecond: 7 }
    const requests = planUnder(makeSchedule({ kind: 'poisson', rate, forSeconds: null }, context))
    const moments = [0, 1, 2].map((block) =>
      requests.filter((request) => request.block === block).map(({ send }) => send),
    )
    expect(moments[0]).toEqual(moments[1])
    expect(moments[0]?.slice(0, 5)).not.toEqual(moments[2]?.slice(0, 5))
    expect(moments[0]?.every((send) => send?.kind === 'due')).toBe(true)
  })

  test('of a trace sends utterances of about the lengths that were recorded', () => {
    const entries = [5, 1, 3, 1].map((audioSeconds, index) => ({ endedAtSeconds: index, audioSeconds }))
    const schedule = makeSchedule({ kind: 'trace', entries, speed: 1 }, context)
    const requests = planUnder(schedule, {
      contenderIds: ['a'],
      rounds: 2,
      wantedSeconds: entries.map(({ audioSeconds }) => audioSeconds),
    })
    expect(requests.map(({ utteranceId }) => utteranceId)).toEqual(['5', '1', '3', '1', '5', '1', '3', '1'])
    expect(requests.map(({ round }) => round)).toEqual([1, 1, 1, 1, 2, 2, 2, 2])
  })

  test('counts the passes of a contender through all its blocks', () => {
    const rounds = planUnder(closedSchedule(8)).filter(({ contenderId }) => contenderId === 'a')
    expect([...new Set(rounds.map(({ round }) => round))]).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })
})
