import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  flag,
  group,
  groupOrNull,
  list,
  nullableCount,
  nullableNumber,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  share,
  text,
} from '#prelude/document-fields'
import { intervalSchema } from '#rates/documents'
import { absentSchema, type FigureMetric, measured, orAbsent, withoutInterval } from './figure.ts'
import { crossoverSchema } from './latency.ts'

const modelLoadingSchema = orAbsent({
  value: number.describe('Time that loading the model took, in milliseconds.'),
  from: oneOf(['server', 'difference']).describe(
    'As the server reports it, or the first request less what the same usually takes.',
  ),
})
export type ModelLoading = DeepReadonly<z.infer<typeof modelLoadingSchema>>

const untilSteadySchema = orAbsent({
  value: number.describe(
    'From the first request until work was done at 95 % of the steady throughput, in milliseconds.',
  ),
})
export type UntilSteady = DeepReadonly<z.infer<typeof untilSteadySchema>>

const warmUpSchema = group({
  requestCount: count.describe(
    'Requests that were sent before anything was measured, those of resumed runs too.',
  ),
  hasSettled: orNull(flag).describe(
    'Whether the newest answers of the warm-up took at least 80 % of the time of as many before them, to the same utterances: six, or ' +
      'four for each request in flight where there were several. Null where it had fewer that can be compared.',
  ),
  slowBeginning: groupOrNull({
    requestCount: count.describe(
      'Measured answers, from the first, that took longer than the same utterances later.',
    ),
    times: number.describe('Median of how many times as long they took; 1 where none did.'),
    timeShare: share.describe('Their additional time, as a share of the time of all answers.'),
  }).describe(
    'What the warm-up left for the measured part, under a closed load; null where too few utterances were answered three times.',
  ),
})
export type WarmUp = DeepReadonly<z.infer<typeof warmUpSchema>>

const systemSpeedSchema = z
  .union([
    group({
      value: number.describe('Sum of audio seconds / sum of window seconds.'),
      audioSeconds: number.describe('Audio seconds transcribed inside the windows.'),
      windowSeconds: number.describe('Length of the windows in seconds.'),
      blockCount: count.describe('Blocks with a steady window.'),
      shortBlockCount: count.describe('Blocks too short for one; they are in no sum above.'),
      meanInFlight: number.describe(
        'Mean number of requests in flight, added up exactly over the windows; near N for a closed load of N.',
      ),
      completedCount: count.describe('Answers and failures inside the windows.'),
      predictedInFlight: number.describe(
        'The number that a closed load keeps in flight; of other loads nothing fixes it, and it is `meanInFlight`.',
      ),
    }),
    absentSchema.extend({
      moreAnswers: nullableCount.describe(
        'Answers that the blocks lack for a steady window each; null where more would not help.',
      ),
    }),
  ])
  .meta({
    id: 'SystemSpeed',
    description:
      'Audio seconds transcribed per second over the steady part of every block, or why there is no figure.',
  })
export type SystemSpeed = DeepReadonly<z.infer<typeof systemSpeedSchema>>

export const speedFields = {
  systemSpeed: systemSpeedSchema.describe('Audio seconds transcribed per second under the load.'),
  firstRequestMs: nullableNumber.describe(
    "Service time of the warm-up's first request, which includes loading the model, in milliseconds; null without one.",
  ),
  modelLoadingMs: modelLoadingSchema.describe('Loading the model, in milliseconds; in no other figure.'),
  untilSteadyMs: untilSteadySchema.describe(
    'Time until the throughput was steady, in milliseconds; in no other figure.',
  ),
  warmUp: warmUpSchema.describe('The requests before anything was measured.'),
}

export const speedMetrics: readonly FigureMetric<DeepReadonly<z.infer<z.ZodObject<typeof speedFields>>>>[] = [
  {
    id: 'rtfx',
    aliases: ['throughput', 'speed'],
    name: 'system speed',
    unit: 'times',
    better: 'higher',
    formula: 'audio seconds completed / seconds, summed over the steady windows of all blocks',
    source:
      'ratio of sums; steady window from the first completion to the last start of a block, with one in ' +
      'flight the whole block',
    reading:
      'Seconds of speech transcribed per second, by the whole system under this load: 20× means an hour ' +
      'of speech in three minutes. Ramp and drain of a block are excluded.',
    column: 'rtfx',
    measure: ({ systemSpeed }) => withoutInterval(systemSpeed),
  },
  {
    id: 'first-request',
    name: 'first request',
    unit: 'ms',
    formula: 'service time of the first warm-up request',
    source: 'kept apart, because it carries the loading of the model and would spoil every average',
    reading: 'What the first dictation after a start may cost. One sample: no interval.',
    column: 'first_request_ms',
    measure: ({ firstRequestMs }) => measured(firstRequestMs, 'the first warm-up request was not answered'),
  },
  {
    id: 'loading',
    aliases: ['cold'],
    name: 'loading the model',
    unit: 'ms',
    formula:
      'timings.load_ms of the first warm-up request; where the server does not say it, its service time ' +
      '- the median service time of the same utterance while measuring',
    source: 'cold and warm are apart: neither is averaged into the other',
    reading: 'About 0 where the model was loaded before the run began. One sample: no interval.',
    column: 'model_loading_ms',
    measure: ({ modelLoadingMs }) => withoutInterval(modelLoadingMs),
  },
  {
    id: 'until-steady',
    aliases: ['warming-up'],
    name: 'time until the steady speed',
    unit: 'ms',
    formula:
      'time from the first sending until five answers in a row come to 95% of the steady throughput: sum ' +
      'of the median service times of their utterances / requests in flight / time that they took',
    source: 'time to capacity; the time that other contenders had in between does not count',
    reading:
      'How long a fresh server is slower than it will be, loading included. About 0 where it was warm ' +
      'before the run. Closed loads only, with three answers to each utterance. One sample: no interval.',
    column: 'until_steady_ms',
    measure: ({ untilSteadyMs }) => withoutInterval(untilSteadyMs),
  },
]

const speedDifferenceSchema = part(
  'SpeedDifference',
  'How much faster one contender was than another one, within one run.',
  {
    faster: text.describe('The contender that was faster in the measurement.'),
    slower: text.describe('The other one.'),
    basis: oneOf(['speed', 'latency']).describe(
      '`speed`: the ratio of the two system speeds. `latency`: the geometric mean over the requests of the latency of the ' +
        'slower one over that of the faster one, for loads under which everything that is offered is done.',
    ),
    ratio: number.describe('How many times faster, 1 or more.'),
    interval: orNull(intervalSchema).describe(
      'Interval of the ratio: the spread between pairs of turns of this run, over the same utterances. It does not include ' +
        'what a further run would differ by. Null with too few turns.',
    ),
    verdict: oneOf(['faster', 'alike', 'unresolved']).describe(
      'Certainly by more than the margin, certainly by less, or neither. Holds together with all other pairs.',
    ),
    reason: nullableText.describe('Why it is unresolved, where the interval does not show it; else null.'),
  },
)
export type SpeedDifference = DeepReadonly<z.infer<typeof speedDifferenceSchema>>

export const speedDifferencesSchema = part(
  'SpeedDifferences',
  'Every two contenders of a run by their speed.',
  {
    withheld: nullableText.describe(
      'Why latency and speed of this run say nothing of the contenders, which are then marked `~` and not compared; `pairs` is empty. Null where they do.',
    ),
    margin: number.describe('A ratio within 1 + margin counts as no difference.'),
    turnCount: count.describe('Turns that the contenders took, each with a block of every one.'),
    roundsNeeded: nullableCount.describe(
      'Rounds after which there are enough turns for an interval; null where there are, or unknown.',
    ),
    pairs: list(speedDifferenceSchema).describe('Every two contenders of which both have a figure.'),
    crossovers: list(
      group({
        first: text.describe('One contender.'),
        second: text.describe('The other one.'),
        crossover: crossoverSchema.describe('Where their fitted latencies cross.'),
      }),
    ).describe('At which length of the audio the faster one changes; empty with more than four contenders.'),
  },
)
export type SpeedDifferences = DeepReadonly<z.infer<typeof speedDifferencesSchema>>
