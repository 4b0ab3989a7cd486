import { judgeLevel, type Level } from '#capacity/level'
import {
  fullStretch,
  type LoadedServer,
  measureStretch,
  type ServerLimits,
  type SteadyPart,
  steadyTurns,
  type Turn,
} from '#capacity/loaded-server'
import { type SearchOptions, type SearchResult, type ServerModel, startSearch } from '#capacity/search'
import { confirmationBatches } from '#capacity/search-steps'
import { simulateServer } from '#capacity/simulation'
import { lengths } from './simulated-servers.ts'

/**
 * What is found out of a server before the search, as `transcribench capacity` does it: what one request alone takes, what it does
 * with many in flight, and a simulation of it.
 */
export async function limitsOf(
  server: LoadedServer,
  {
    seed,
    aloneSeconds = 30,
    fullSeconds = 60,
    inFlight = 16,
    mix = lengths,
  }: {
    readonly seed: number
    readonly aloneSeconds?: number
    readonly fullSeconds?: number
    readonly inFlight?: number
    readonly mix?: readonly number[]
  },
): Promise<{ readonly limits: ServerLimits; readonly model: ServerModel | null }> {
  const single = await server.measure({ kind: 'closed', inFlight: 1, forSeconds: aloneSeconds, seed })
  const many = await server.measure({ kind: 'closed', inFlight, forSeconds: fullSeconds, seed: seed + 1 })
  const [alone, full] = [steady(single, 0), steady(many, 1 / 12)]
  const simulated = simulateServer(
    [
      { inFlight: 1, turns: [single] },
      { inFlight, turns: [many] },
    ],
    null,
  )
  return {
    limits: {
      aloneSeconds: alone.meanServiceMs / 1000,
      serviceVariation: alone.serviceVariation,
      mostPerSecond: full.perSecond,
    },
    model: simulated === null ? null : { server: simulated, lengths: mix, turns: [single, many] },
  }
}

function steady(samples: Turn, skipShare: number): SteadyPart {
  const part = steadyTurns([samples], skipShare)
  if (part === null) throw new TypeError('a simulated server answers')
  return part
}

/** A whole search, with nothing between its parts. */
export async function searchCapacity(
  server: LoadedServer,
  { budgetSeconds, ...options }: SearchOptions & { readonly budgetSeconds: number },
): Promise<SearchResult> {
  const untilSeconds = server.elapsedSeconds() + budgetSeconds
  const search = startSearch(server, options)
  await search.explore(untilSeconds)
  await search.confirm(untilSeconds)
  return search.result()
}

/** One load, measured and judged by itself for as long as a search confirms it. */
export async function measureLevel(
  server: LoadedServer,
  options: Pick<SearchOptions, 'objectives' | 'limits' | 'seed'> & { readonly perSecond: number },
): Promise<Level> {
  const { perSecond, objectives, limits, seed } = options
  const plan = fullStretch(perSecond, limits, confirmationBatches(objectives))
  return judgeLevel(perSecond, [await measureStretch(server, plan, seed)], objectives)
}
