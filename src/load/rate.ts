import { z } from 'zod'
import type { OfferedRate } from './offered-load.ts'

/** Seconds in the time that a rate of requests is given in. */
const perSeconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 }

const written = /^(?<number>\d+(?:\.\d+)?)\s*(?:\/\s*(?<time>s|min|h)|(?<times>[x×]))$/u

/**
 * Reads a rate with its unit: `5/s` and `300/min` are requests, `4x` is speech, four seconds of it in every second.
 *
 * @returns null where the text is no such rate
 */
export function parseRate(text: string): OfferedRate | null {
  const { number, time, times } = written.exec(text.trim())?.groups ?? {}
  if (number === undefined) return null
  if (times !== undefined) return { audioSecondsPerSecond: Number(number) }
  const seconds = perSeconds[time ?? '']
  // 300/min is 5/s, not 5.000000000000001: rounded to what can have been meant.
  return seconds === undefined
    ? null
    : { requestsPerSecond: Number((Number(number) / seconds).toPrecision(12)) }
}

/** What to write instead of a value that is no rate. */
export function adviseRate(value: unknown): string {
  const number = /^\s*(\d+(?:\.\d+)?)/.exec(String(value))?.[1] ?? '5'
  return `write "${number}/s" for requests a second, or "${number}x" for seconds of speech a second`
}

/** Parser of a rate in a file. Its pattern is for the schema that editors use. */
export const rate = z
  .string()
  .refine((text) => parseRate(text) !== null)
  .meta({ pattern: String.raw`^\d+(\.\d+)?\s*(/\s*(s|min|h)|[x×])$`, examples: ['5/s', '300/min', '4x'] })
