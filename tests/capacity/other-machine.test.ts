import { describe, expect, test } from 'vitest'
import { parsePromises, relativeSpeed } from '#capacity'
import { imagineMachines } from '../../src/session/capacity/simulation.ts'
import { lengths, type SimulatedServer, simulatedServers, simulateOrder } from './simulated-servers.ts'

const own = { integerMillionsPerSecond: 400, floatBillionsPerSecond: 2, memoryBillionsPerSecond: 10 }
const server = simulatedServers.find(({ name }) => name === 'lognormal') as SimulatedServer

/** A server of two workers on two processors, with two loads that were measured. */
function imagined(machines: Parameters<typeof imagineMachines>[0]['request']['machines']) {
  const alone = simulateOrder(server, { kind: 'closed', inFlight: 1, forSeconds: 120, seed: 1 })
  const levels = [8, 12].map((perSecond) => {
    const order = { kind: 'open', perSecond, forSeconds: 300, prefill: 0, seed: 5 } as const
    const samples = simulateOrder(server, order)
    const stretch = { perSecond, fromMs: 20_000, forMs: 280_000, batchMs: 5_000, samples }
    const verdicts = { promises: [], backlogs: [], stability: 'kept', verdict: 'kept' } as const
    return { perSecond, stretches: [stretch], ...verdicts }
  })
  return imagineMachines({
    found: { levels },
    sweep: { effectiveServers: 2 },
    samplesAlone: alone.map(({ audioSeconds, endedAtMs, sentAtMs }) => ({
      audioSeconds,
      serviceMs: endedAtMs - sentAtMs,
    })),
    request: { promises: parsePromises(['p95 <= 0.5s + 0.1d']), machines },
    corpus: { utterances: lengths.map((durationSeconds) => ({ durationSeconds })) },
    habit: { meanAudioSeconds: 5, meanPauseSeconds: 20 },
    seed: 1,
    cpuCount: 2,
    processorsPerWorker: 1,
    hostSpeed: own,
  })
}

describe('another machine', () => {
  test('is as fast as its matrix products say, within what integers and memory say', () => {
    const other = { integerMillionsPerSecond: 600, floatBillionsPerSecond: 4, memoryBillionsPerSecond: 9 }
    expect(relativeSpeed(own, other)).toEqual({ estimate: 2, range: { low: 0.9, high: 2 } })
  })

  test('bears what this one does where it is like this one, and more where it is faster and has more processors', () => {
    const asked = imagined([
      { name: 'like this one', processors: 2, speed: own },
      { name: 'a larger one', processors: 8, speed: { ...own, floatBillionsPerSecond: 4 } },
    ])?.whatIfs
    const [like, larger] = asked?.slice(-2) ?? []
    expect(like?.capacity).toEqual(asked?.[0]?.capacity)
    expect(larger?.question).toBe(
      'a larger one: 2.00 times as fast (1.00 to 2.00 by kind of work), 8 processors',
    )
    expect(larger?.workers).toBe(8)
    // Eight times the work, and many workers wait less for each other.
    expect(larger?.capacity?.requestsPerSecond).toBeGreaterThan(8 * (like?.capacity?.requestsPerSecond ?? 0))
  })
})
