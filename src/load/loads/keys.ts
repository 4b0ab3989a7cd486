import { z } from 'zod'
import { ownValue } from '#prelude'
import { type Intervals, intervals } from '../intervals.ts'
import { adviseRate, type OfferedRate, parseRate, plainText, rate } from '../rate.ts'
import type { LoadKey } from './load-definition.ts'

/** Seconds in each unit. */
const unitSeconds: Readonly<Record<string, number>> = { s: 1, ms: 0.001, min: 60, h: 3600, d: 86_400 }

const written = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>\p{L}*)$/u

/**
 * Reads a time with its unit.
 *
 * @returns seconds above 0; null for a text that is not a duration
 */
export function parseDuration(text: string): number | null {
  const { number, unit = '' } = written.exec(text.trim())?.groups ?? {}
  const factor = ownValue(unitSeconds, unit)
  if (number === undefined || factor === undefined) return null
  // Rounding reads 0.3 h as 1080 s, not as 1079.9999999999998 s.
  const seconds = Number((Number(number) * factor).toPrecision(12))
  return seconds > 0 ? seconds : null
}

/** Returns a hint for a value that is not a duration. */
export function adviseDuration(value: unknown): string {
  const text = plainText(value).trim()
  const { number, unit = '' } = written.exec(text)?.groups ?? {}
  if (number === undefined) return 'write a number and its unit, such as "90s", "1500ms" or "2min"'
  if (Number(number) === 0) return 'write a time that is longer than nothing, such as "90s"'
  const choices = `"${number}s", "${number}ms", "${number}min" or "${number}h"`
  return unit === '' ? `add the unit: ${choices}` : `"${unit}" is not a unit here: write ${choices}`
}

/** Parser of a time in a file. Its pattern is for the schema that editors use. */
export const duration = z
  .string()
  .refine((text) => parseDuration(text) !== null)
  .meta({ pattern: String.raw`^\d+(\.\d+)?\s*(s|ms|min|h|d)$`, examples: ['90s', '1500ms', '2min'] })

export const aRate = {
  parser: rate,
  expects: 'a rate with its unit',
  flag: null,
  advise: adviseRate,
} satisfies Omit<LoadKey, 'description'>

export const aTime = {
  parser: duration,
  expects: 'a time with its unit',
  advise: adviseDuration,
} satisfies Partial<LoadKey>

export const aCount = {
  parser: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  expects: 'a whole number, 1 or more',
} satisfies Partial<LoadKey>

export const rateKey = {
  ...aRate,
  description:
    'requests that leave however slow the answers are, as in "5/s" or "300/min"; or speech, as in "4x": four ' +
    'seconds of it every second',
  flag: { syntax: '--rate <rate>', reads: 'text' },
} satisfies LoadKey

export const durationKey = {
  ...aTime,
  description:
    'how long a rate is kept in each round; without it, until each utterance was sent in every round',
  flag: { syntax: '--duration <time>', reads: 'text' },
} satisfies LoadKey

export const intervalsKey = {
  parser: z
    .string()
    .refine((text) => parseIntervals(text) !== null)
    .meta({ pattern: String.raw`^(even|exponential|gamma:\d+(\.\d+)?)$` }),
  description: 'how the arrivals of the load, or the pauses of users, vary around their mean',
  expects: '"exponential", "even" or "gamma:" and its shape, such as "gamma:0.5"',
  flag: null,
  standard: 'exponential',
} satisfies LoadKey

/** Field of a load whose config sets the variation of its arrivals. */
export const spacing = intervals.describe('How the arrivals vary around their mean.')

/** Returns the rate in a text that the parser of its key accepted. */
export function rateIn(text: string): OfferedRate {
  return parsed(parseRate(text), text)
}

/** Returns the seconds in a text that the parser of its key accepted. */
export function secondsIn(text: string): number {
  return parsed(parseDuration(text), text)
}

/** Returns the intervals in a text that the parser of its key accepted. */
export function intervalsIn(text: string): Intervals {
  return parsed(parseIntervals(text), text)
}

/** Parses `even`, `exponential` or `gamma:0.5`; null for any other text. */
function parseIntervals(text: string): Intervals | null {
  if (text === 'even' || text === 'exponential') return { kind: text }
  const shape = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1])
  return shape > 0 ? { kind: 'gamma', shape } : null
}

function parsed<Value>(value: Value | null, text: string): Value {
  if (value === null) throw new TypeError(`"${text}" has not passed the parser of its key`)
  return value
}
