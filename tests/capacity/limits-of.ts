import { type LoadedServer, type ServerLimits, type SteadyPart, steadyPart } from '#capacity/loaded-server'
import type { ServerModel } from '#capacity/search'
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
  const [alone, full] = [steady(single, 0), steady(many, fullSeconds / 12)]
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

function steady(samples: Parameters<typeof steadyPart>[0], skipSeconds: number): SteadyPart {
  const part = steadyPart(samples, skipSeconds)
  if (part === null) throw new TypeError('a simulated server answers')
  return part
}
