import { describe, expect, test } from 'vitest'
import { calibrate } from '#capacity/calibration'
import type { Stretch } from '#capacity/loaded-server'
import { simulateServer } from '#capacity/simulation'
import { objectiveOf } from './limits-of.ts'
import {
  knownCapacities,
  lengths,
  type SimulatedServer,
  serverCalled,
  simulateOrder,
} from './simulated-servers.ts'

const objective = objectiveOf('p95 <= 0.5s + 0.1d')
const use = { lengths, seed: 1 }

/** As a sweep of half a minute shows it. */
function sweptServer(server: SimulatedServer, seed = 1) {
  const simulated = simulateServer(
    [1, 4, 16].map((inFlight) => ({
      inFlight,
      turns: [simulateOrder(server, { kind: 'closed', inFlight, forSeconds: 10, seed: seed + inFlight })],
    })),
    null,
  )
  if (simulated === null) throw new TypeError('enough was measured')
  return simulated
}

function stretchAt(server: SimulatedServer, perSecond: number, forSeconds = 60, seed = 5): Stretch {
  const order = { kind: 'open', perSecond, forSeconds: 10 + forSeconds, prefill: 0, seed } as const
  const samples = simulateOrder(server, order)
  return { perSecond, warmupSeconds: 10, forSeconds, batches: 2, prefill: 0, samples }
}

describe('a calibration of the simulated server', () => {
  test('is an estimate that is not measured before any stretch, and a narrower one that is after two', () => {
    const server = serverCalled('lognormal')
    const truth = knownCapacities[server.name] ?? Number.NaN
    const calibration = calibrate(sweptServer(server), objective, use)
    const before = calibration.estimate()
    expect(before).toMatchObject({ isMeasured: false })
    for (const times of [0.95, 1.05]) calibration.add(stretchAt(server, times * truth))
    const after = calibration.estimate()
    expect(after).toMatchObject({ isMeasured: true })
    const width = ({ low, high }: { readonly low: number; readonly high: number }) => Math.log(high / low)
    if (before === null || after === null) throw new TypeError('there are estimates')
    expect(width(after)).toBeLessThan(0.7 * width(before))
    expect(after.low).toBeLessThan(truth)
    expect(after.high).toBeGreaterThan(truth)
    expect(after.slope).toBeGreaterThan(5)
  })

  test('finds the capacity of a server that has become a fifth slower since its sweep', () => {
    const server = serverCalled('lognormal')
    const slower = { ...server, workMs: (audioSeconds: number) => 1.2 * server.workMs(audioSeconds) }
    const calibration = calibrate(sweptServer(server), objective, use)
    const expected = calibration.estimate()?.perSecond ?? Number.NaN
    for (const [index, times] of [0.75, 0.8, 0.85, 0.8].entries())
      calibration.add(stretchAt(slower, times * expected, 60, 20 + index))
    expect((calibration.estimate()?.perSecond ?? Number.NaN) / expected).toBeGreaterThan(0.72)
    expect((calibration.estimate()?.perSecond ?? Number.NaN) / expected).toBeLessThan(0.88)
  })

  test('predicts nothing of a server that is many times slower than its simulation', () => {
    const server = serverCalled('lognormal')
    const other = { ...server, workMs: (audioSeconds: number) => 4 * server.workMs(audioSeconds) }
    const calibration = calibrate(sweptServer(server), objective, use)
    for (const perSecond of [4, 5, 4, 5]) calibration.add(stretchAt(other, perSecond))
    expect(calibration.estimate()).toBeNull()
  })

  test('gives no capacity to a server that fails more often than the objective allows', () => {
    const server = { ...serverCalled('lognormal'), failureShare: 0.2 }
    const calibration = calibrate(sweptServer(server), objective, use)
    calibration.add(stretchAt(server, 4))
    calibration.add(stretchAt(server, 3))
    expect(calibration.estimate()?.perSecond).toBe(0)
  })
})
