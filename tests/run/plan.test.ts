import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PlannedRequest } from '#journal/plan-line'
import { closedSchedule } from '#load/loads/closed'
import { makeSchedule } from '#load/loads/registry'
import { poissonSchedule } from '#load/loads/steady'
import type { Schedule } from '#load/schedule'
import { blockSchedule, type PlanInput, planRequests } from '#run/plan/order'

/** One request in flight. */
const onePass = { schedule: closedSchedule(1), wantedSeconds: null }
const spoken = (ids: readonly string[]) => ids.map((id, index) => ({ id, audioSeconds: 1 + index }))

const many = (count: number) => spoken(Array.from({ length: count }, (_, index) => `u${index}`))
const twoContenders = { ...onePass, contenderIds: ['a', 'b'], warmupRequests: 0, seed: 3 }

const inputs: fc.Arbitrary<PlanInput> = fc.record({
  contenderIds: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
  utterances: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }).map(spoken),
  schedule: fc.constant(onePass.schedule),
  wantedSeconds: fc.constant(null),
  rounds: fc.integer({ min: 1, max: 6 }),
  warmupRequests: fc.integer({ min: 0, max: 3 }),
  seed: fc.integer(),
})

const forAnyPlan = (check: (input: PlanInput) => void): void => fc.assert(fc.property(inputs, check))

/** The measured requests, block by block. */
const blocksOf = (input: PlanInput): PlannedRequest[][] => [
  ...Map.groupBy(
    planRequests(input).filter(({ phase }) => phase === 'measure'),
    ({ block }) => block,
  ).values(),
]

/** The blocks, turn by turn. */
const turnsOf = (input: PlanInput): PlannedRequest[][][] => {
  const blocks = blocksOf(input)
  const { length } = input.contenderIds
  return Array.from({ length: blocks.length / length }, (_, turn) =>
    blocks.slice(turn * length, (turn + 1) * length),
  )
}

const contendersOf = (turn: readonly PlannedRequest[][]): (string | undefined)[] =>
  turn.map((block) => block[0]?.contenderId)

describe('a plan', () => {
  test.each([
    ['of one request after the other', closedSchedule(1)],
    ['of one minute', poissonSchedule({ perSecond: 1, forSeconds: 60, seed: 1 })],
    ['without an arrival in its first round', poissonSchedule({ perSecond: 1e-9, forSeconds: 1, seed: 1 })],
  ])('%s is refused where its rounds would never end', (_, schedule) => {
    const input = { ...twoContenders, utterances: many(10), schedule, rounds: 1_000_000_000 }
    expect(() => planRequests(input)).toThrow(expect.objectContaining({ code: 'LOAD_TOO_LARGE' }))
  })

  test('is refused where its warm-up would never end', () => {
    const input = { ...twoContenders, utterances: many(10), rounds: 1, warmupRequests: 1e9 }
    const refused = { code: 'LOAD_TOO_LARGE', hint: expect.stringContaining('the warm-up') }
    expect(() => planRequests(input)).toThrow(expect.objectContaining(refused))
  })

  test('is the same for the same seed', () => {
    forAnyPlan((input) => {
      expect(planRequests(input)).toEqual(planRequests(input))
    })
  })

  test('sends every utterance to every contender once a round, after the warm-up', () => {
    forAnyPlan((input) => {
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
    })
  })

  test('keeps the requests of a block together, and numbers the blocks in order', () => {
    forAnyPlan((input) => {
      const blocks = planRequests(input)
        .filter(({ phase }) => phase === 'measure')
        .map(({ block }) => block)
      expect(blocks).toEqual(blocks.toSorted((a, b) => a - b))
      expect(new Set(blocks)).toEqual(new Set(blocksOf(input).keys()))
      for (const block of blocksOf(input)) {
        expect(new Set(block.map(({ contenderId }) => contenderId)).size).toBe(1)
      }
    })
  })

  test('mirrors the order of contenders in every second turn, so that a steady drift cancels', () => {
    forAnyPlan((input) => {
      const orders = turnsOf(input).map(contendersOf)
      for (const order of orders) expect(order.toSorted()).toEqual([...input.contenderIds].sort())
      for (let turn = 1; turn < orders.length; turn += 2) {
        expect(orders[turn]).toEqual(orders[turn - 1]?.toReversed())
      }
    })
  })

  test('sends every contender the same utterances in the same order within a turn', () => {
    forAnyPlan((input) => {
      for (const [first = [], ...others] of turnsOf(input)) {
        const asked = ({ round, utteranceId, send }: PlannedRequest) => ({ round, utteranceId, send })
        for (const other of others) expect(other.map(asked)).toEqual(first.map(asked))
      }
    })
    const order = planRequests({ ...twoContenders, utterances: many(6), rounds: 2 })
      .filter(({ contenderId }) => contenderId === 'a')
      .map(({ utteranceId }) => utteranceId)
    expect(order.slice(0, 6)).not.toEqual(order.slice(6))
  })

  test.each([
    { utteranceCount: 436, rounds: 1, turns: 24, largest: 19 },
    { utteranceCount: 10, rounds: 8, turns: 16, largest: 5 },
    { utteranceCount: 10, rounds: 1, turns: 8, largest: 2 },
    { utteranceCount: 3, rounds: 1, turns: 2, largest: 2 },
    { utteranceCount: 1, rounds: 1, turns: 1, largest: 1 },
  ])('interleaves contenders in small blocks: $utteranceCount utterances in $rounds rounds', (one) => {
    const input = { ...twoContenders, utterances: many(one.utteranceCount), rounds: one.rounds }
    expect(turnsOf(input)).toHaveLength(one.turns)
    expect(Math.max(...blocksOf(input).map(({ length }) => length))).toBe(one.largest)
  })

  test('sends a contender that is alone everything in one go', () => {
    const input = { ...twoContenders, contenderIds: ['a'], utterances: many(10), rounds: 8 }
    expect(blocksOf(input).map(({ length }) => length)).toEqual([80])
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

  test('makes a block of several in flight long enough for ten answers for each of them', () => {
    expect(sizes(closedSchedule(2), { rounds: 20 })).toEqual(Array(8).fill(25))
    expect(sizes(closedSchedule(2), { rounds: 80 })).toEqual(Array(32).fill(25))
  })

  test('takes two turns where blocks are too short for more, and one block for one contender', () => {
    expect(sizes(closedSchedule(8))).toEqual(Array(4).fill(20))
    expect(sizes(closedSchedule(8), { contenderIds: ['a'] })).toEqual([40])
    expect(sizes(closedSchedule(8), { rounds: 1 })).toEqual([2, 2, 3, 3])
  })

  test('cuts the length of a rate into turns', () => {
    const rate = { requestsPerSecond: 2 }
    const constant = makeSchedule({ kind: 'constant', rate, forSeconds: 200 }, context)
    const input = { schedule: constant, rounds: 1, contenderIds: ['a', 'b'] }
    expect(sizes(constant, { rounds: 1 })).toEqual(Array(16).fill(50))
    expect(sizes(constant, { rounds: 1, contenderIds: ['a'] })).toEqual([400])
    expect(blockSchedule(input).requestCount()).toBe(50)
  })

  test('lasts as long in many blocks as in one', () => {
    const rate = { requestsPerSecond: 3 }
    const poisson = makeSchedule({ kind: 'poisson', rate, forSeconds: 300 }, context)
    const counts = sizes(poisson, { rounds: 1, utterances: many(1) })
    const all = counts.reduce((sum, count) => sum + count, 0) / 2
    expect(counts.length / 2).toBeGreaterThanOrEqual(8)
    expect(Math.abs(all - 900)).toBeLessThan(4 * Math.sqrt(900))
  })

  test('does not cut a load whose rate changes, nor a recorded day', () => {
    const intervals = { kind: 'even' } as const
    const [from, to] = [{ requestsPerSecond: 1 }, { requestsPerSecond: 3 }]
    const ramp = makeSchedule({ kind: 'ramp', from, to, forSeconds: 200, intervals }, context)
    expect(sizes(ramp, { rounds: 1 })).toEqual([400, 400])
    expect(sizes(ramp, { rounds: 2 })).toEqual([400, 400, 400, 400])
  })

  test('is the whole schedule, with the corpus once more in a new order and the last pass cut', () => {
    const intervals = { kind: 'even' } as const
    const steps = [
      { rate: { requestsPerSecond: 4 }, forSeconds: 2 },
      { rate: { requestsPerSecond: 1 }, forSeconds: 3 },
      { rate: { requestsPerSecond: 3 }, forSeconds: 2 },
    ]
    const schedule = makeSchedule({ kind: 'steps', steps, intervals }, context)
    for (const own of Map.groupBy(planUnder(schedule, { rounds: 1 }), (one) => one.contenderId).values()) {
      const due = own.flatMap(({ send }) => (send?.kind === 'due' ? [send.dueAtMs] : []))
      expect([2000, 5000, 7000].map((endMs) => due.filter((atMs) => atMs < endMs).length)).toEqual([
        8, 11, 17,
      ])
      const passes = [0, 5, 10, 15].map((from) => own.slice(from, from + 5).map((one) => one.utteranceId))
      for (const pass of passes) expect(new Set(pass).size).toBe(pass.length)
      expect(passes[1]).not.toEqual(passes[2])
      expect(own.map(({ round }) => round)).toEqual([...Array(17).keys()].map((at) => Math.floor(at / 5) + 1))
    }
  })

  test('counts a turn into which no arrival of a random load falls, so that later ones keep their moments', () => {
    const rate = { requestsPerSecond: 0.5 }
    const rare = makeSchedule({ kind: 'poisson', rate, forSeconds: 2 }, context)
    const requests = planUnder(rare, { contenderIds: ['a'], rounds: 40 })
    const blocks = Map.groupBy(requests, ({ block }) => block)
    expect(blocks.size).toBeLessThan(40)
    for (const [block, own] of blocks) expect(rare.requestCount(block)).toBe(own.length)
  })

  test('sends each utterance equally often, or once more where the load ends within a pass', () => {
    const rate = { requestsPerSecond: 7 }
    const shapes = [
      { kind: 'closed', concurrency: 3 },
      { kind: 'poisson', rate, forSeconds: 10 },
      { kind: 'poisson', rate, forSeconds: 100 },
      { kind: 'poisson', rate, forSeconds: null },
    ] as const
    for (const shape of shapes) {
      const requests = planUnder(makeSchedule(shape, context))
      for (const own of Map.groupBy(requests, ({ contenderId }) => contenderId).values()) {
        const counts = ids.map((id) => own.filter(({ utteranceId }) => utteranceId === id).length)
        const isTimed = 'forSeconds' in shape && shape.forSeconds !== null
        expect(Math.max(...counts) - Math.min(...counts), shape.kind).toBeLessThanOrEqual(isTimed ? 1 : 0)
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
