import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import type { SchedulePhase } from './schedule.ts'

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

/** Load that a list of arrivals offers to a server. */
export interface OfferedLoad {
  readonly requestsPerSecond: number
  /** Seconds of audio per second. Above the server's speed (RTFx), its queue grows without limit. */
  readonly audioSecondsPerSecond: number
}

export function isRateOfSpeech(rate: OfferedRate): boolean {
  return 'audioSecondsPerSecond' in rate
}

/**
 * Turns speech per second into requests per second.
 *
 * @param meanAudioSeconds mean audio length of the requests, above 0
 */
export function requestsPerSecondAt(rate: OfferedRate, meanAudioSeconds: number): number {
  if ('requestsPerSecond' in rate) return rate.requestsPerSecond
  return rate.audioSecondsPerSecond / meanAudioSeconds
}

export interface PlannedArrival {
  readonly dueAtMs: number
  readonly audioSeconds: number
}

/**
 * Returns the load that planned arrivals offer. For random arrivals it differs from the rate they were drawn with.
 *
 * n arrivals span n - 1 intervals, so the rate is (n - 1) / (last - first), and the speech is the rate times the
 * mean length. Several blocks are summed, because the gap between two blocks is not an interval.
 *
 * @param blocks arrivals of each block, in order of time
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

/** Seconds in each unit of time that a rate can have. */
const perSeconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 }

const written = /^(?<number>\d+(?:\.\d+)?)\s*(?:\/\s*(?<time>s|min|h)|(?<times>[x×]))$/u

/**
 * Reads a rate with its unit: `5/s` and `300/min` are requests, `4x` is speech, four seconds of it in every second.
 *
 * @returns null for a text that is not a rate
 */
export function parseRate(text: string): OfferedRate | null {
  const { number, time, times } = written.exec(text.trim())?.groups ?? {}
  if (number === undefined) return null
  if (times !== undefined) return { audioSecondsPerSecond: Number(number) }
  const seconds = perSeconds[time ?? '']
  // Rounding reads 300/min as 5/s, not as 5.000000000000001/s.
  return seconds === undefined
    ? null
    : { requestsPerSecond: Number((Number(number) / seconds).toPrecision(12)) }
}

/** The text of a wrong value for advice on it; empty for an object, whose own `toString` may be no function. */
export function plainText(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** Returns a hint for a value that is not a rate. */
export function adviseRate(value: unknown): string {
  const typed = /^\s*(\d+(?:\.\d+)?)/.exec(plainText(value))?.[1]
  const number = typed === undefined || Number(typed) === 0 ? '5' : typed
  return `write "${number}/s" for requests a second, or "${number}x" for seconds of speech a second`
}

/** Parser of a rate in a file. Its pattern is for the schema that editors use. */
export const rate = z
  .string()
  .refine((text) => parseRate(text) !== null)
  .meta({ pattern: String.raw`^\d+(\.\d+)?\s*(/\s*(s|min|h)|[x×])$`, examples: ['5/s', '300/min', '4x'] })

/** Formats a number with at most four digits and without trailing zeros. */
export function formatNumber(value: number): string {
  return String(Number(value.toPrecision(4)))
}

/** Formats offered speech with three digits, because it comes from a mean of lengths. */
export function speechInWords(audioSecondsPerSecond: number): string {
  return `${Number(audioSecondsPerSecond.toPrecision(3))} s of speech per second`
}

/** Formats the length of a schedule as " for 60 s"; empty for a schedule without a length. */
export function lengthInWords(forSeconds: number | null): string {
  return forSeconds === null ? '' : ` for ${formatNumber(forSeconds)} s`
}

/** Formats a rate in requests, and in speech where the mean length of the utterances is known. */
export function rateInWords(perSecond: number, meanAudioSeconds?: number): string {
  const requests = `${formatNumber(perSecond)} requests/s`
  if (meanAudioSeconds === undefined) return requests
  return `${requests} (${speechInWords(perSecond * meanAudioSeconds)})`
}

/** Describes a part of a schedule by its rates: `18/s for 12 s`, `2/s to 9/s for 4 s`. */
export function ratePhase(fromPerSecond: number, toPerSecond: number, seconds: number | null): SchedulePhase {
  const rate = [...new Set([fromPerSecond, toPerSecond].map((perSecond) => `${formatNumber(perSecond)}/s`))]
  return {
    description: `${rate.join(' to ')}${seconds === null ? '' : ` for ${formatNumber(seconds)} s`}`,
    seconds,
  }
}
