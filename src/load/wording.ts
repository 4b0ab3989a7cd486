import type { SchedulePhase } from './schedules/schedule.ts'

/** A figure in a sentence: four digits at most, no trailing zeros. */
export function inWords(value: number): string {
  return String(Number(value.toPrecision(4)))
}

/** Speech that is offered, to three digits: it comes from a mean of lengths. */
export function speechInWords(audioSecondsPerSecond: number): string {
  return `${Number(audioSecondsPerSecond.toPrecision(3))} s of speech per second`
}

/** The length of a schedule, where it has one: " for 60 s". */
export function lengthInWords(forSeconds: number | null): string {
  return forSeconds === null ? '' : ` for ${inWords(forSeconds)} s`
}

/** A rate in requests, and in speech where the length of the utterances is known. */
export function rateInWords(perSecond: number, meanAudioSeconds?: number): string {
  const requests = `${inWords(perSecond)} requests/s`
  if (meanAudioSeconds === undefined) return requests
  return `${requests} (${speechInWords(perSecond * meanAudioSeconds)})`
}

/** A part of a schedule with its rates: `18/s for 12 s`, `2/s to 9/s for 4 s`. */
export function ratePhase(fromPerSecond: number, toPerSecond: number, seconds: number | null): SchedulePhase {
  const rate = [...new Set([fromPerSecond, toPerSecond].map((perSecond) => `${inWords(perSecond)}/s`))]
  return {
    description: `${rate.join(' to ')}${seconds === null ? '' : ` for ${inWords(seconds)} s`}`,
    seconds,
  }
}
