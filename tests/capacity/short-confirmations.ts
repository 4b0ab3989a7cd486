import { parseObjectives } from '#capacity/objective'
import { limitsOf, searchCapacity } from './limits-of.ts'
import { type SimulatedServer, simulatedInstrument, simulatedServers } from './simulated-servers.ts'

/** Searches, by budget and seed, whose confirmation ended before an objective on failures could be met although nothing failed. */
export async function shortConfirmations(
  budgets: readonly number[],
  seeds: readonly number[],
): Promise<readonly string[]> {
  const both = parseObjectives(['p95 <= 0.5s + 0.1d', 'failures <= 1%'])
  const steady = simulatedServers.find(({ name }) => name === 'lognormal') as SimulatedServer
  const short: string[] = []
  for (const budgetSeconds of budgets)
    for (const seed of seeds) {
      const instrument = simulatedInstrument(steady)
      const { model, limits } = await limitsOf(instrument, { seed: 1000 * seed })
      const { confirmation } = await searchCapacity(instrument, {
        ...{ objectives: both, limits, model, budgetSeconds, seed, precision: null },
      })
      const failures = confirmation?.objectives.find(({ objective }) => objective === both[1]?.text)
      if (failures?.misses === 0 && failures.verdict !== 'met')
        short.push(`${budgetSeconds} s, seed ${seed}: ${failures.requests} requests`)
    }
  return short
}
