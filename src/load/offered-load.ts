import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

export const offeredRate = z
  .union([
    z.strictObject({ requestsPerSecond: z.number().describe('Requests per second.') }),
    z.strictObject({
      audioSecondsPerSecond: z
        .number()
        .describe('Seconds of audio per second: how many people speak at once, on average.'),
    }),
  ])
  .meta({ id: 'OfferedRate', description: 'A rate that is offered to a server, in requests or in speech.' })
export type OfferedRate = DeepReadonly<z.infer<typeof offeredRate>>

/** What a list of arrivals asks of a server. */
export interface OfferedLoad {
  readonly requestsPerSecond: number
  /** Seconds of audio per second. Above the server's speed (RTFx) a queue grows for ever. */
  readonly audioSecondsPerSecond: number
}

/**
 * Turns speech per second into requests per second.
 *
 * @param meanAudioSeconds mean length of what is sent, above 0
 */
export function requestsPerSecondOf(rate: OfferedRate, meanAudioSeconds: number): number {
  if ('requestsPerSecond' in rate) return rate.requestsPerSecond
  return rate.audioSecondsPerSecond / meanAudioSeconds
}

/** A planned request with its moment. */
export interface PlannedArrival {
  readonly dueAtMs: number
  readonly audioSeconds: number
}

/**
 * The load that planned arrivals really offer, which for random ones differs from the rate they were made with.
 *
 * n arrivals span n - 1 intervals, so the rate is (n - 1) / (last - first), and the speech is that times the
 * mean length. Of several blocks both are summed: what lies between two blocks is no interval.
 *
 * @param blocks each with its arrivals in order of time
 * @returns null where no block has two arrivals at different moments
 */
export function offeredLoad(blocks: readonly (readonly PlannedArrival[])[]): OfferedLoad | null {
  const arrivals = blocks.flat()
  const spanMs = blocks.reduce(
    (sum, block) => sum + (block.at(-1)?.dueAtMs ?? 0) - (block[0]?.dueAtMs ?? 0),
    0,
  )
  if (!(spanMs > 0)) return null
  const intervalCount = blocks.reduce((sum, block) => sum + Math.max(0, block.length - 1), 0)
  const requestsPerSecond = intervalCount / (spanMs / 1000)
  const meanAudioSeconds = arrivals.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / arrivals.length
  return { requestsPerSecond, audioSecondsPerSecond: requestsPerSecond * meanAudioSeconds }
}
