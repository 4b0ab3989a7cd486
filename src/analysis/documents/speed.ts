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
import { boundsSchema, fittedValueSchema } from '#statistics/bounds'
import { absentSchema, orAbsent } from './figure.ts'

const percentileSchema = orAbsent({
  value: number.describe('The percentile, in the unit of its quantity.'),
  interval: orNull(intervalSchema).describe('Null where the sample is too small for an interval.'),
  sampleCount: count.describe('Requests it was computed from.'),
}).meta({ id: 'Percentile', description: 'One percentile with its interval, or why there is none.' })
export type Percentile = DeepReadonly<z.infer<typeof percentileSchema>>

export const percentileSetSchema = part(
  'PercentileSet',
  'Percentiles of one quantity, in its own unit, each present where there are enough requests for it.',
  {
    sampleCount: count.describe('Requests they were computed from.'),
    p50: percentileSchema.describe('Median.'),
    p90: percentileSchema.describe('90th percentile.'),
    p95: percentileSchema.describe('95th percentile.'),
    p99: percentileSchema.describe('99th percentile.'),
  },
)
export type PercentileSet = DeepReadonly<z.infer<typeof percentileSetSchema>>

export const durationLatencySchema = part(
  'DurationLatency',
  'Latency of requests whose audio has about the same length.',
  {
    bucket: text.describe('Range of audio lengths: `2-5 s`.'),
    utteranceCount: count.describe('Utterances in the range.'),
    latencyMs: percentileSetSchema.describe('Their latency in milliseconds.'),
  },
)
export type DurationLatency = DeepReadonly<z.infer<typeof durationLatencySchema>>

export const phasesSchema = part(
  'Phases',
  'What answered requests spent their service time on. Empty for runs that recorded no phases.',
  {
    queueMs: percentileSetSchema.describe('Waiting in the client for a free socket, in milliseconds.'),
    connectMs: percentileSetSchema.describe('Connecting, of the requests that had to, in milliseconds.'),
    waitMs: percentileSetSchema.describe(
      'From the head to the first byte of the answer, in milliseconds: the body on its way, and the server at work.',
    ),
    downloadMs: percentileSetSchema.describe('From there to the last byte, in milliseconds.'),
  },
)
export type Phases = DeepReadonly<z.infer<typeof phasesSchema>>

export const modelLoadingSchema = orAbsent({
  value: number.describe('Time that loading the model took, in milliseconds.'),
  from: oneOf(['server', 'difference']).describe(
    'As the server reports it, or the first request less what the same usually takes.',
  ),
})
export type ModelLoading = DeepReadonly<z.infer<typeof modelLoadingSchema>>

export const untilSteadySchema = orAbsent({
  value: number.describe(
    'From the first request until work was done at 95 % of the steady throughput, in milliseconds.',
  ),
})
export type UntilSteady = DeepReadonly<z.infer<typeof untilSteadySchema>>

export const warmUpSchema = group({
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

/**
 * Phases of the service time of an answered request; their sum is the service time.
 *
 *   sent ├─queue─┼─connect─┼─wait─┼─download─┤ ended
 *
 * Uploading and waiting are one phase, because only the operating system knows when a body left this machine. Its
 * buffers take megabytes at once, while a slow link sends them for seconds.
 */
export const requestPhasesSchema = part(
  'RequestPhases',
  'What one answered request spent its service time on; the phases add up to it.',
  {
    queueMs: number.describe('Waiting in the client for a free socket, in milliseconds.'),
    connectMs: number.describe('Connecting, in milliseconds; 0 on an open socket.'),
    waitMs: number.describe(
      'From the head to the first byte of the answer, in milliseconds: the body on its way, and the server at work.',
    ),
    downloadMs: number.describe('From there to the last byte, in milliseconds.'),
  },
)
export type RequestPhases = DeepReadonly<z.infer<typeof requestPhasesSchema>>

const latencyPredictionSchema = part(
  'LatencyPrediction',
  'What a request of one length is expected to take.',
  {
    audioSeconds: number.describe('Length of the audio in seconds.'),
    p50Ms: number.describe('Expected median in milliseconds.'),
    p50Interval: orNull(boundsSchema).describe('95 % interval of the median; null where there is none.'),
    p95Ms: number.describe('Expected 95th percentile in milliseconds.'),
    isExtrapolated: flag.describe('True for lengths outside those that were measured.'),
  },
)

export const latencyModelSchema = orAbsent({
  value: number.describe('What a request without audio would take, in milliseconds.'),
  fixedMs: fittedValueSchema.describe('The same with its interval, in milliseconds.'),
  perSecondMs: fittedValueSchema.describe('Milliseconds for each second of audio.'),
  perWindowMs: nullableNumber.describe(
    'Milliseconds for each further window of 30 s, of engines that pad their input; null where none is visible.',
  ),
  utteranceCount: count.describe('Utterances that the line was fitted to.'),
  shortestSeconds: number.describe('Shortest audio that was measured, in seconds.'),
  longestSeconds: number.describe('Longest audio that was measured, in seconds.'),
  predictions: list(latencyPredictionSchema).describe('Expected latency of some lengths.'),
}).meta({
  id: 'LatencyModel',
  description: 'Latency as a line over the length of the audio, or why there is none.',
})
export type LatencyModel = DeepReadonly<z.infer<typeof latencyModelSchema>>

const firstOrSecond = oneOf(['first', 'second'])

export const crossoverSchema = z
  .discriminatedUnion('kind', [
    group({
      kind: z.literal('at').describe('Their latencies are equal at one length.'),
      audioSeconds: number.describe('That length in seconds.'),
      interval: orNull(boundsSchema).describe('Its 95 % interval in seconds; null where there is none.'),
      fasterBelow: firstOrSecond.describe(
        'Which one is faster for shorter audio; the other one is for longer.',
      ),
    }),
    group({
      kind: z.literal('none').describe('One of them is faster at every measured length.'),
      faster: firstOrSecond.describe('Which one.'),
    }),
    group({
      kind: z.literal('unresolved').describe('It cannot be decided.'),
      reason: text.describe('Why not.'),
    }),
  ])
  .meta({
    id: 'Crossover',
    description: 'At which length of the audio the faster one of two contenders changes.',
  })
export type Crossover = DeepReadonly<z.infer<typeof crossoverSchema>>

export const systemSpeedSchema = z
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
