import type { FoundSimulation } from '#capacity/found-loads'
import { type Objective, parseObjectives } from '#capacity/objective'
import { type AskedMeasurement, type MixedRecording, makeSimulation } from '#capacity/simulation'
import { lengths, type SimulatedServer, simulateOrder } from './simulated-servers.ts'

const objectives: readonly Objective[] = parseObjectives(['p95 <= 0.5s + 0.1d'])

export const mix: readonly MixedRecording[] = lengths.map((durationSeconds, index) => ({
  id: `r${index}`,
  durationSeconds,
}))

/** What is known besides a simulation when it is asked. */
export const asked: AskedMeasurement = {
  objectives,
  habit: { meanAudioSeconds: 5, meanPauseSeconds: 20 },
  seed: 1,
  command: ['transcribench', 'capacity'],
  excluded: [],
  sampledFrom: null,
}

/** The simulation of a server that was swept and put under two loads. */
export function simulationOf(
  server: SimulatedServer,
  loads: readonly number[],
  sweepSeconds = 20,
): FoundSimulation {
  const levels = loads.map((perSecond) => {
    const order = { kind: 'open', perSecond, forSeconds: 200, prefill: 0, seed: 5 } as const
    const samples = simulateOrder(server, order)
    const stretch = { perSecond, warmupSeconds: 20, forSeconds: 180, batches: 36, prefill: 0, samples }
    const verdicts = { objectives: [], backlogs: [], stability: 'met', verdict: 'met' } as const
    return { perSecond, stretches: [stretch], ...verdicts }
  })
  const sweep = [1, 2, 4, 8].map((inFlight) => {
    const forSeconds = inFlight === 1 ? 2 * sweepSeconds : sweepSeconds
    return {
      inFlight,
      turns: [simulateOrder(server, { kind: 'closed', inFlight, forSeconds, seed: 10 + inFlight })],
    }
  })
  const simulation = makeSimulation({ levels, sweep, workers: null, seed: 1 })
  if (simulation === null) throw new TypeError('enough was measured')
  return simulation
}
