import { z } from 'zod'
import { adviseDuration, duration, parseDuration } from '../duration.ts'
import { type Intervals, intervals } from '../intervals.ts'
import { type OfferedRate, offeredRate } from '../offered-load.ts'
import { adviseRate, parseRate, rate } from '../rate.ts'
import type { LoadKey } from './load-definition.ts'

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

/** Fields of a load that keeps one rate. */
export const steadyFields = {
  rate: offeredRate.describe('Offered rate.'),
  forSeconds: z
    .number()
    .nullable()
    .describe('Duration of a round in seconds; null: until each utterance was sent.'),
}

/** Field of a load whose arrivals vary as its config says. */
export const spacing = intervals.describe('How the arrivals vary around their mean.')

/** The rate in a text that has passed the parser of its key. */
export function rateIn(text: string): OfferedRate {
  return known(parseRate(text), text)
}

/** The seconds in a text that has passed the parser of its key. */
export function secondsIn(text: string): number {
  return known(parseDuration(text), text)
}

/** The intervals in a text that has passed the parser of its key. */
export function intervalsIn(text: string): Intervals {
  return known(parseIntervals(text), text)
}

/** `even`, `exponential` or `gamma:0.5`; null where the text is none of them. */
function parseIntervals(text: string): Intervals | null {
  if (text === 'even' || text === 'exponential') return { kind: text }
  const shape = Number(/^gamma:(\d+(?:\.\d+)?)$/.exec(text)?.[1])
  return shape > 0 ? { kind: 'gamma', shape } : null
}

function known<Value>(value: Value | null, text: string): Value {
  if (value === null) throw new TypeError(`"${text}" has not passed the parser of its key`)
  return value
}
