import { judgeLevel, type Level } from '#capacity/level'
import {
  fullStretch,
  type LoadedServer,
  measureStretch,
  type ServerLimits,
  steadyTurns,
  type Turn,
} from '#capacity/loaded-server'
import { isMiss, type Objective, parseObjectives } from '#capacity/objective'
import { type SearchOptions, type SearchResult, type ServerModel, startSearch } from '#capacity/search'
import { confirmationBatches } from '#capacity/search-steps'
import { simulateServer } from '#capacity/simulation'
import { seededRandom } from '#prelude'
import {
  drawJobs,
  type Job,
  lengths,
  type SimulatedServer,
  serverCalled,
  simulatedInstrument,
} from './simulated-servers.ts'

export function objectiveOf(text: string): Objective {
  const [objective] = parseObjectives([text])
  if (objective === undefined) throw new TypeError('there is an objective')
  return objective
}

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
      longestAudioSeconds: Math.max(...mix),
      serviceVariation: alone.serviceVariation,
      maxPerSecond: full.perSecond,
    },
    model: simulated === null ? null : { server: simulated, lengths: mix, turns: [single, many] },
  }
}

function steady(samples: Turn, skipShare: number) {
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

/** Searches, by budget and seed, whose confirmation ended before an objective on failures could be met although nothing failed. */
export async function shortConfirmations(
  budgets: readonly number[],
  seeds: readonly number[],
): Promise<readonly string[]> {
  const both = parseObjectives(['p95 <= 0.5s + 0.1d', 'failures <= 1%'])
  const short: string[] = []
  for (const budgetSeconds of budgets)
    for (const seed of seeds) {
      const instrument = simulatedInstrument(serverCalled('lognormal'))
      const { model, limits } = await limitsOf(instrument, { seed: 1000 * seed })
      const { confirmation } = await searchCapacity(instrument, {
        objectives: both,
        limits,
        model,
        budgetSeconds,
        seed,
        precision: null,
      })
      const failures = confirmation?.objectives.find(({ objective }) => objective === both[1]?.text)
      if (failures?.misses === 0 && failures.verdict !== 'met')
        short.push(`${budgetSeconds} s, seed ${seed}: ${failures.requests} requests`)
    }
  return short
}

/**
 * The load at which a simulated server misses just as often as it may: by bisection over one very long
 * simulation whose arrivals are stretched and squeezed, without any of the code that searches.
 *
 * @returns requests per second
 */
export function trueCapacity(
  server: SimulatedServer,
  objective: Objective,
  allowed: number,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): number {
  const random = seededRandom(seed)
  const { jobs, audioSeconds } = drawJobs(server, requests, random)
  const unitArrivals = new Float64Array(requests)
  let at = 0
  for (let index = 0; index < requests; index += 1) {
    at -= Math.log(1 - random.unit())
    unitArrivals[index] = at
  }
  const missShare = (perSecond: number): number => {
    const station = server.makeStation()
    let misses = 0
    let judged = 0
    let next = 0
    let waiting = 0
    for (;;) {
      const eventMs = station.nextEventMs()
      const arrivalMs =
        next < requests ? ((unitArrivals[next] ?? 0) * 1000) / perSecond : Number.POSITIVE_INFINITY
      if (arrivalMs === Number.POSITIVE_INFINITY && eventMs === Number.POSITIVE_INFINITY) break
      if (arrivalMs < eventMs) {
        station.arrive(jobs[next] as Job, arrivalMs)
        next += 1
        waiting += 1
        // Hopelessly behind: no need to wait for the end.
        if (waiting > 5_000) return 1
        continue
      }
      for (const { position, isAnswered } of station.advance(eventMs)) {
        waiting -= 1
        if (position < 2_000) continue
        judged += 1
        const responseMs = eventMs - ((unitArrivals[position] ?? 0) * 1000) / perSecond
        if (isMiss(objective, { responseMs, audioSeconds: audioSeconds[position] ?? 0, isAnswered }))
          misses += 1
      }
    }
    return misses / judged
  }
  let [low, high] = [1, 60]
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high)
    if (missShare(middle) > allowed) high = middle
    else low = middle
  }
  return Math.sqrt(low * high)
}
