import { seededRandom } from '#prelude'
import { quantile, sortSamples } from '#statistics'
import type { Reproduction } from '../document/found-simulation.ts'
import { isJudged } from '../search/level.ts'
import type { Stretch } from '../search/stretch-plan.ts'
import { simulateQueue } from './queue-simulation.ts'
import { drawJobs, requestsOf, type SimulatedServer } from './simulated-capacity.ts'

/** A simulation that is further off than this from what was measured is not asked anything. */
const farthest = 0.25
/** Repeats of the simulation of one load: its own noise is then small next to that of the measurement. */
const repeats = 20

/**
 * Simulates a load that was measured, with its own arrivals and lengths, and compares the middle and the tail of the
 * response times. What is due in a warm-up is simulated, but not compared.
 *
 * @param stretches at one load
 */
export function reproduce(
  stretches: readonly Stretch[],
  server: SimulatedServer,
  seed: number,
): Reproduction | null {
  const random = seededRandom(seed)
  const measured: number[] = []
  const simulated: number[] = []
  for (const stretch of stretches) {
    const samples = stretch.samples.toSorted((a, b) => a.dueAtMs - b.dueAtMs)
    const judged = samples.map((sample) => isJudged(stretch, sample))
    for (const [index, { isAnswered, endedAtMs, dueAtMs }] of samples.entries())
      if (judged[index] === true && isAnswered) measured.push(endedAtMs - dueAtMs)
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const jobs = drawJobs(server, requestsOf(samples), random)
      for (const [index, responseMs] of simulateQueue(jobs, server).entries())
        if (!Number.isNaN(responseMs) && judged[index] === true) simulated.push(responseMs)
    }
  }
  const [own, other] = [sortSamples(measured), sortSamples(simulated)]
  const [measuredP50Ms, measuredP95Ms] = [quantile(own, 0.5), quantile(own, 0.95)]
  const [simulatedP50Ms, simulatedP95Ms] = [quantile(other, 0.5), quantile(other, 0.95)]
  if (measuredP50Ms === null || measuredP95Ms === null || simulatedP50Ms === null || simulatedP95Ms === null)
    return null
  const isNear = (a: number, b: number): boolean => Math.abs(Math.log(a / b)) <= Math.log1p(farthest)
  return {
    perSecond: stretches[0]?.perSecond ?? Number.NaN,
    requests: measured.length,
    measuredP50Ms,
    simulatedP50Ms,
    measuredP95Ms,
    simulatedP95Ms,
    isReproduced: isNear(measuredP50Ms, simulatedP50Ms) && isNear(measuredP95Ms, simulatedP95Ms),
  }
}
