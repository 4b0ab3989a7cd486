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

/** Returns the schema of a figure, or of the reason why it is absent. */
export function orAbsent<Fields extends z.core.$ZodLooseShape>(fields: Fields) {
  return z.union([group(fields), absentSchema])
}

/** State of one time bin of the run. */
export interface TimelineBin {
  /** Mean number of requests in flight. */
  readonly inFlight: number
  readonly completedCount: number
  readonly failedCount: number
}

/** The run over time, in bins of equal length. */
export interface Timeline {
  /** Length of a bin; the first bin starts with the first measured request. */
  readonly binSeconds: number
  readonly bins: readonly TimelineBin[]
  /** Times in which only one contender was measured. */
  readonly blocks: readonly {
    readonly contender: number
    readonly startSeconds: number
    readonly endSeconds: number
  }[]
}

/** Data for the charts of one contender, besides its evaluation. */
export interface ContenderDrawing {
  /** Quantiles 0, 0.01, …, 1 of the service time of answered requests, in milliseconds; empty without any. */
  readonly latencyQuantilesMs: readonly number[]
  /** Audio seconds and milliseconds of answered requests, evenly sampled. */
  readonly latencyPoints: readonly (readonly [audioSeconds: number, latencyMs: number])[]
  readonly answeredCount: number
  /** Fitted latency from the shortest to the longest audio, as a polyline; empty without a fit. */
  readonly latencyLine: readonly (readonly [audioSeconds: number, latencyMs: number])[]
  /** Number of utterances by their leading error rate: 0, up to 10 %, …, up to 100 %, above. */
  readonly rateHistogram: readonly number[]
}

/** An utterance to listen to, with its error rate. */
export interface NamedUtterance {
  readonly utteranceId: string
  readonly contender: number
  readonly rate: number
}

/** A contender that another one certainly beats in both errors and speed. */
export interface Beaten {
  readonly contenderId: string
  /** The first such contender, in the order of the contenders. */
  readonly by: string
}
