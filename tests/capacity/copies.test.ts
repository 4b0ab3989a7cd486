import { describe, expect, test } from 'vitest'
import { type LevelSample, slowdownOfCopies, slowdownsFromCopies } from '#capacity'
import type { Sender } from '#run'
import { copyCounts, oneEach } from '../../src/session/capacity/copies.ts'
import { planSweep } from '../../src/session/capacity/run-sweep.ts'
import { ask } from '../../src/session/capacity/simulation.ts'
import { asked, mix, promises, simulationOf } from './a-simulation.ts'
import { oneAtOnce, simulateOrder, twoAtOnce } from './simulated-servers.ts'
import { trueCapacity } from './true-capacity.ts'

/** Requests of 100 ms, each `times` as long, always so many at once. */
function closedTurn(inFlight: number, times: number): LevelSample[] {
  return Array.from({ length: 40 * inFlight }, (_, index) => {
    // Those on different copies are not in step.
    const sentAtMs = (Math.floor(index / inFlight) + (index % inFlight) / inFlight) * 100 * times
    const ends = { dueAtMs: sentAtMs, sentAtMs, endedAtMs: sentAtMs + 100 * times }
    return { utteranceId: 'a', audioSeconds: 2, ...ends, isAnswered: true, text: 'a' }
  })
}
const service = { fixedMs: 0, perAudioSecondMs: 50, ratios: [1] }

describe('copies of a server at work', () => {
  test('are as much in each other’s way as their turns say, whatever the machine does from round to round', () => {
    // The machine becomes slower by half, and in one round another program is in the way of both.
    const paces = [1, 1.2, 1.5, 1.3]
    const alone = { turns: paces.map((pace) => closedTurn(1, pace)) }
    const turns = paces.map((pace, round) => closedTurn(2, 1.1 * pace * (round === 1 ? 2 : 1)))
    const found = slowdownOfCopies({ inFlight: 2, turns }, alone, { service, share: 1 })
    expect(found?.copies).toBe(2)
    expect(Math.abs((found?.slowdown ?? 0) - 1.1)).toBeLessThan(0.02)
  })

  test('only slow the part down in which a worker is held, and say nothing where nothing was measured', () => {
    const alone = { turns: [closedTurn(1, 1)] }
    const turns = [closedTurn(2, 1.1)]
    const found = slowdownOfCopies({ inFlight: 2, turns }, alone, { service, share: 0.5 })
    expect(Math.abs((found?.slowdown ?? 0) - 1.2)).toBeLessThan(0.03)
    expect(slowdownOfCopies({ inFlight: 2, turns: [[]] }, alone, { service, share: 1 })).toBeNull()
  })

  test('tell what more workers than were measured would do', () => {
    const copies = [
      { copies: 2, slowdown: 1.1 },
      { copies: 4, slowdown: 1.3 },
    ]
    expect(slowdownsFromCopies([1], 4, copies).map((each) => each.toFixed(3))).toEqual([
      '1.000',
      '1.100',
      '1.200',
      '1.300',
    ])
    expect(slowdownsFromCopies([1, 1.21], 4, copies).map((each) => each.toFixed(3))).toEqual([
      '1.000',
      '1.210',
      '1.320',
      '1.430',
    ])
  })

  test('give the capacity of two at once to a simulation of one at a time', () => {
    const closed = (inFlight: number, server = oneAtOnce, seed = 3) =>
      simulateOrder(server, { kind: 'closed', inFlight, forSeconds: 40, seed })
    // Two copies on this machine are what two workers of one server are.
    const copies = [{ inFlight: 2, turns: [closed(2, twoAtOnce)] }]
    const one = simulationOf(oneAtOnce, { loads: [3, 4], copies })
    expect(Math.abs((one.copies[0]?.slowdown ?? 0) - 2 / 1.7)).toBeLessThan(0.08)
    const [promise] = promises
    if (promise === undefined) throw new TypeError('there is a promise')
    const truth = trueCapacity(twoAtOnce, promise, 0.05, { requests: 60_000, seed: 9 })
    const answer = ask(one, asked, { words: 'one more', mix, workers: 2 })
    expect(Math.abs((answer.capacity?.requestsPerSecond ?? 0) / truth - 1)).toBeLessThan(0.15)
    expect(answer.evidence).toMatch(/on 2 copies of it at once, .* took 1\.\d\d times as long .*\(measured\)/)
    expect(ask(one, asked, { words: 'two more', mix, workers: 3 }).capacity).toBeNull()
  })
})

describe('how many copies are started', () => {
  test('is up to the processors, and none where the server uses them all already or is not ours', () => {
    expect(copyCounts({ workers: 1, processors: 2 }, null)).toEqual([2])
    expect(copyCounts({ workers: 1, processors: 6 }, null)).toEqual([2, 4, 6])
    expect(copyCounts({ workers: 1, processors: 64 }, null)).toEqual([2, 4, 8])
    expect(copyCounts({ workers: 2, processors: 2 }, null)).toEqual([])
    expect(copyCounts({ workers: null, processors: 8 }, null)).toEqual([])
  })

  test('leaves half of the memory that is free', () => {
    expect(copyCounts({ workers: 1, processors: 8 }, 100, 650)).toEqual([2, 4])
    expect(copyCounts({ workers: 1, processors: 8 }, 100, 190)).toEqual([])
  })
})

test('as many requests as there are copies are one on each', async () => {
  const sent: string[] = []
  const ends: (() => void)[] = []
  const senderOf = (baseUrl: string): Sender => ({
    baseUrl,
    audioSeconds: () => 1,
    modeId: () => baseUrl,
    isAlive: async () => true,
    send: () =>
      new Promise((_, reject) => {
        sent.push(baseUrl)
        ends.push(() => reject(new Error('over')))
      }),
  })
  const both = oneEach([senderOf('a'), senderOf('b')])
  const request = {} as Parameters<Sender['send']>[0]
  const call = {} as Parameters<Sender['send']>[1]
  const first = both.send(request, call)
  const second = both.send(request, call)
  expect(sent).toEqual(['a', 'b'])
  ends[1]?.()
  await expect(second).rejects.toThrow('over')
  const third = both.send(request, call)
  expect(sent).toEqual(['a', 'b', 'b'])
  for (const end of ends) end()
  await expect(Promise.all([first, third])).rejects.toThrow('over')
  expect(both.modeId(request)).toBeNull()
})

describe('a sweep in turns', () => {
  const levels = { levels: 5, mostInFlight: 8 }

  test('takes as many rounds as its time suffices for, up to four', () => {
    expect(planSweep({ ...levels, budgetSeconds: 600, aloneSeconds: 0.1 })).toEqual({
      turnSeconds: 3.75,
      rounds: 4,
    })
    expect(planSweep({ ...levels, budgetSeconds: 60, aloneSeconds: 0.1 })).toEqual({
      turnSeconds: 1.5,
      rounds: 1,
    })
  })

  test('works a full queue off twice in each turn', () => {
    expect(planSweep({ ...levels, budgetSeconds: 600, aloneSeconds: 0.4 }).rounds).toBe(2)
    expect(planSweep({ ...levels, budgetSeconds: 600, aloneSeconds: null }).rounds).toBe(1)
  })
})
