import { z } from 'zod'
import { group, part, text } from '#prelude/document-fields'

export const absentSchema = part(
  'Absent',
  'The reason why a figure is absent. An absent figure is never 0.',
  {
    value: z.null().describe('There is no value.'),
    reason: text.describe('Why there is none.'),
  },
)

/** A figure, or the reason why it is absent. */
export function orAbsent<Fields extends z.core.$ZodLooseShape>(fields: Fields) {
  return z.union([group(fields), absentSchema])
}

/** What was going on in one stretch of the run. */
export interface TimelineBin {
  /** Mean number of requests in flight. */
  readonly inFlight: number
  readonly completedCount: number
  readonly failedCount: number
}

/** The run over time, in equal stretches. */
export interface Timeline {
  /** From the first sending that was measured. */
  readonly binSeconds: number
  readonly bins: readonly TimelineBin[]
  /** Stretches in which one contender alone was measured. */
  readonly blocks: readonly {
    readonly contender: number
    readonly startSeconds: number
    readonly endSeconds: number
  }[]
}

/** What is drawn of one contender, beyond the figures of its evaluation. */
export interface ContenderDrawing {
  /** Quantiles 0, 0.01, …, 1 of the service time of answered requests, in milliseconds; empty without any. */
  readonly latencyQuantilesMs: readonly number[]
  /** Audio seconds and milliseconds of answered requests, evenly taken from all of them. */
  readonly latencyPoints: readonly (readonly [audioSeconds: number, latencyMs: number])[]
  readonly answeredCount: number
  /** The fitted latency from the shortest to the longest audio, joined by straight lines; empty without a fit. */
  readonly latencyLine: readonly (readonly [audioSeconds: number, latencyMs: number])[]
  /** Utterances by their own leading error rate: none, up to 10 %, …, up to 100 %, beyond. */
  readonly rateHistogram: readonly number[]
}

/** An utterance that is to be listened to, with why. */
export interface NamedUtterance {
  readonly utteranceId: string
  readonly contender: number
  readonly rate: number
}

/** A contender that another one surely beats in both errors and speed. */
export interface Beaten {
  readonly contenderId: string
  /** The first of them, in the order of the contenders. */
  readonly by: string
}
