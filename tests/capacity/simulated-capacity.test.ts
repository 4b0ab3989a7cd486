import { describe, expect, test } from 'vitest'
import { fleetFor, loadFigure, sustainedLoad } from '#capacity/found'
import { parseObjectives } from '#capacity/objective'
import { drawServiceMs, fitServiceModel, timesAlone } from '#capacity/server-model'
import { capacityFinder } from '#capacity/simulated-server'
import { reproduce } from '#capacity/simulation'
import { seededRandom } from '#prelude'
import { simulationOf } from './a-simulation.ts'
import {
  knownCapacities,
  lengths,
  type SimulatedServer,
  sampleOf,
  serverCalled,
  simulateOrder,
} from './simulated-servers.ts'

const server = serverCalled('lognormal')
const objectives = parseObjectives(['p95 <= 0.5s + 0.1d'])

/** Takes 1.3 times as long where it has rested before. */
function resting(awake: SimulatedServer): SimulatedServer {
  return {
    ...awake,
    makeStation: () => {
      const station = awake.makeStation()
      let [inside, lastEndMs] = [0, 0]
      return {
        nextEventMs: station.nextEventMs,
        arrive(job, nowMs) {
          const hasRested = inside === 0 && nowMs - lastEndMs > 1
          inside += 1
          station.arrive(hasRested ? { ...job, workMs: 1.3 * job.workMs } : job, nowMs)
        },
        advance(nowMs) {
          const over = station.advance(nowMs)
          inside -= over.length
          if (over.length > 0) lastEndMs = nowMs
          return over
        },
      }
    },
  }
}

function modelOf(measured: SimulatedServer) {
  const alone = simulateOrder(measured, { kind: 'closed', inFlight: 1, forSeconds: 120, seed: 1 })
  return fitServiceModel(
    alone.map(({ audioSeconds, endedAtMs, sentAtMs }) => ({ audioSeconds, serviceMs: endedAtMs - sentAtMs })),
  )
}

describe('the model of service times', () => {
  const model = modelOf(server)

  test('finds the fixed part and the part for each second of audio', () => {
    // The median of the lognormal factor is exp(-0.125) = 0.88 of its mean.
    expect(Math.abs((model?.perAudioSecondMs ?? 0) / (20 * 0.88) - 1)).toBeLessThan(0.15)
    expect(Math.abs((model?.fixedMs ?? 0) / (40 * 0.88) - 1)).toBeLessThan(0.35)
  })

  test('draws times whose mean is that of the server', () => {
    if (model === null) throw new TypeError('there is a model')
    const random = seededRandom(1)
    const drawn = Array.from({ length: 20_000 }, () => drawServiceMs(model, 5, random))
    expect(Math.abs(drawn.reduce((sum, each) => sum + each, 0) / drawn.length / 140 - 1)).toBeLessThan(0.07)
  })

  test('is not made of a few times, and is constant where lengths do not differ', () => {
    expect(fitServiceModel([{ audioSeconds: 1, serviceMs: 10 }])).toBeNull()
    const same = Array.from({ length: 12 }, () => ({ audioSeconds: 2, serviceMs: 80 }))
    expect(fitServiceModel(same)).toMatchObject({ fixedMs: 80, perAudioSecondMs: 0 })
  })
})

describe('what requests took that found an idle server', () => {
  const sample = (sentAtMs: number, endedAtMs: number, isAnswered = true) =>
    sampleOf(sentAtMs, endedAtMs, { audioSeconds: sentAtMs, isAnswered })
  // The second comes while the first is there, the third to an empty server, the fourth fails.
  const samples = [sample(0, 100), sample(50, 200), sample(300, 400), sample(500, 600, false)]

  test('is not changed by those that come later where one at a time is served', () => {
    expect(timesAlone(samples, 1).map(({ audioSeconds }) => audioSeconds)).toEqual([0, 300])
  })

  test('is not taken from a request during which another one was served', () => {
    expect(timesAlone(samples, 2)).toMatchObject([{ audioSeconds: 300, serviceMs: 100 }])
    expect(timesAlone([sample(0, 10), sample(0, 20)], 1)).toEqual([])
  })
})

test('a server that is slower after a pause than back to back is simulated as it is under an open load', () => {
  const simulation = simulationOf(resting(serverCalled('deterministic')), [2, 6])
  expect(simulation).toMatchObject({ workers: 1, silentBecause: null })
  expect(simulation.fixedMs).toBeCloseTo(100, 6)
  expect(simulation.idleSlowdown).toBeCloseTo(1.3, 6)
})

describe('a machine that was not measured', () => {
  const service = modelOf(server)
  if (service === null) throw new TypeError('there is a model')
  const two = { service, workers: 2, slowdowns: [1, 1], idleSlowdown: 1, share: 1, queueBound: null }

  test('has the capacity that theory gives, where theory gives one', () => {
    const perSecond = capacityFinder(two, { lengths, seed: 1 })(objectives) ?? 0
    expect(Math.abs(perSecond / (knownCapacities['lognormal'] ?? 0) - 1)).toBeLessThan(0.08)
  })

  test('reproduces a measured load, and does not where its number of workers is wrong', () => {
    const order = { kind: 'open', perSecond: 12, forSeconds: 300, prefill: 0, seed: 5 } as const
    const samples = simulateOrder(server, order)
    const stretches = [
      { perSecond: 12, warmupSeconds: 20, forSeconds: 280, batches: 10, prefill: 0, samples },
    ]
    expect(reproduce(stretches, two, 1)?.isReproduced).toBe(true)
    const four = { ...two, workers: 4, slowdowns: [1, 1, 1, 1] }
    expect(reproduce(stretches, four, 1)?.isReproduced).toBe(false)
  })

  test('keeps no objective that one request alone breaks', () => {
    const slow = { ...two, service: { ...service, fixedMs: 100 * service.fixedMs } }
    expect(capacityFinder(slow, { lengths, seed: 1 })(objectives)).toBeNull()
  })

  test('needs so many machines for so many users, and one more where one may fail', () => {
    // Each speaks 4 s and pauses 16 s: 0.05 requests a second. 4 a second are 80 users: 500 need 7.
    const habit = { meanAudioSeconds: 4, meanPauseSeconds: 16 }
    expect(fleetFor(500, 4, habit)).toEqual({ machines: 7, machinesWithSpare: 8, usersPerMachine: 80 })
    expect(fleetFor(500, 0.01, habit)).toBeNull()
  })

  test('counts on the low end of the interval, and on a higher load only where it was confirmed', () => {
    const at = (perSecond: number) => loadFigure(perSecond, { meanAudioSeconds: 4, meanPauseSeconds: 16 })
    const interval = { estimate: at(8), low: at(7), high: at(9) }
    const capacity = { basis: 'measured', ...interval, limitedBy: objectives[0]?.text ?? null } as const
    const bounds = { met: at(8.5), violated: null }
    const confirmed = (verdict: 'met' | 'undecided') => ({ load: at(7.5), verdict })
    const lucky = { capacity, bounds, confirmation: confirmed('undecided') }
    expect(sustainedLoad(lucky)).toEqual({ basis: 'measured', load: at(7) })
    const known = { ...lucky, confirmation: confirmed('met') }
    expect(sustainedLoad(known)).toEqual({ basis: 'confirmed', load: at(7.5) })
    const single = { capacity: null, bounds, confirmation: null }
    expect(sustainedLoad(single)).toEqual({ basis: 'met', load: at(8.5) })
    expect(sustainedLoad({ ...single, bounds: { met: null, violated: null } })).toBeNull()
  })
})
