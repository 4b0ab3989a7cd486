import {
  atWorkOf,
  fitServiceModel,
  type LoadedServer,
  modelQueue,
  type QueueModel,
  type ServerLimits,
  type ServicePromise,
  type SteadyPart,
  steadyPart,
} from '#capacity'
import { lengths } from './simulated-servers.ts'

/**
 * What is found out of a server before the search, as `asrbench capacity` does it: what one request alone takes, what it
 * does with a full house, and where a simulation puts its capacity.
 */
export async function limitsOf(
  server: LoadedServer,
  {
    seed,
    promises,
    aloneSeconds = 30,
    fullSeconds = 60,
    inFlight = 16,
  }: {
    readonly seed: number
    readonly promises: readonly ServicePromise[]
    readonly aloneSeconds?: number
    readonly fullSeconds?: number
    readonly inFlight?: number
  },
): Promise<{ readonly limits: ServerLimits; readonly model: QueueModel | null }> {
  const single = await server.measure({ kind: 'closed', inFlight: 1, forSeconds: aloneSeconds, seed })
  const many = await server.measure({ kind: 'closed', inFlight, forSeconds: fullSeconds, seed: seed + 1 })
  const [alone, full] = [steady(single, 0), steady(many, fullSeconds / 12)]
  const limits = {
    aloneSeconds: alone.meanServiceMs / 1000,
    serviceVariation: alone.serviceVariation,
    mostPerSecond: full.perSecond,
  }
  const times = single.map(({ audioSeconds, sentAtMs, endedAtMs }) => ({
    audioSeconds,
    serviceMs: endedAtMs - sentAtMs,
  }))
  const service = fitServiceModel(times)
  const levels = [
    { inFlight: 1, turns: [single] },
    { inFlight, turns: [many] },
  ]
  const atWork = service === null ? null : atWorkOf(levels, service)
  if (service === null || atWork === null) return { limits, model: null }
  const machine = { service, ...atWork, idleSlowdown: 1, queueBound: null }
  return { limits, model: modelQueue(machine, { lengths, promises, seed }) }
}

function steady(samples: Parameters<typeof steadyPart>[0], skipSeconds: number): SteadyPart {
  const part = steadyPart(samples, skipSeconds)
  if (part === null) throw new TypeError('a simulated server answers')
  return part
}
