import { z } from 'zod'

/** Seconds in one of each unit, the unit to suggest first. */
const unitSeconds: Readonly<Record<string, number>> = { s: 1, ms: 0.001, min: 60, h: 3600, d: 86_400 }

const written = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>\p{L}*)$/u

/**
 * Reads a time with its unit.
 *
 * @returns seconds, more than 0; null where the text is no such time
 */
export function parseDuration(text: string): number | null {
  const { number, unit = '' } = written.exec(text.trim())?.groups ?? {}
  const factor = Object.hasOwn(unitSeconds, unit) ? unitSeconds[unit] : undefined
  if (number === undefined || factor === undefined) return null
  // 0.3 h is 1080 s, not 1079.9999999999998: rounded to what can have been meant.
  const seconds = Number((Number(number) * factor).toPrecision(12))
  return seconds > 0 ? seconds : null
}

/** What to write instead of a value that is no time. */
export function adviseDuration(value: unknown): string {
  const text = String(value).trim()
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
