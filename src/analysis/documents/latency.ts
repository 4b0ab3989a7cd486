import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  flag,
  group,
  list,
  nullableNumber,
  number,
  oneOf,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { intervalSchema } from '#rates/documents'
import { boundsSchema, fittedValueSchema } from '#statistics/bounds'
import { smallestSampleForQuantile } from '#statistics/quantiles'
import { type MetricMeaning, orAbsent } from './figure.ts'

const percentileSchema = orAbsent({
  value: number.describe('The percentile, in the unit of its quantity.'),
  interval: orNull(intervalSchema).describe('Null where the sample is too small for an interval.'),
  sampleCount: count.describe('Requests it was computed from.'),
}).meta({ id: 'Percentile', description: 'One percentile with its interval, or why there is none.' })
export type Percentile = DeepReadonly<z.infer<typeof percentileSchema>>

const percentileFields = {
  p50: percentileSchema.describe('Median.'),
  p90: percentileSchema.describe('90th percentile.'),
  p95: percentileSchema.describe('95th percentile.'),
  p99: percentileSchema.describe('99th percentile.'),
}
export type PercentileName = keyof typeof percentileFields
export const percentileProbabilities: Readonly<Record<PercentileName, number>> = {
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
}
export const percentileNames = Object.keys(percentileProbabilities) as readonly PercentileName[]

const percentileSetSchema = part(
  'PercentileSet',
  'Percentiles of one quantity, in its own unit, each present where there are enough requests for it.',
  { sampleCount: count.describe('Requests they were computed from.'), ...percentileFields },
)
export type PercentileSet = DeepReadonly<z.infer<typeof percentileSetSchema>>

const durationLatencySchema = part(
  'DurationLatency',
  'Latency of requests whose audio has about the same length.',
  {
    bucket: text.describe('Range of audio lengths: `2-5 s`.'),
    utteranceCount: count.describe('Utterances in the range.'),
    latencyMs: percentileSetSchema.describe('Their latency in milliseconds.'),
  },
)
export type DurationLatency = DeepReadonly<z.infer<typeof durationLatencySchema>>

const phasesSchema = part(
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
    p50Ms: nullableNumber.describe('Expected median in milliseconds; null where the line is below zero.'),
    p50Interval: orNull(boundsSchema).describe('95 % interval of the median; null where there is none.'),
    p95Ms: nullableNumber.describe('Expected 95th percentile in milliseconds; null where the median is.'),
    isExtrapolated: flag.describe('True for lengths outside those that were measured.'),
  },
)

const latencyModelSchema = orAbsent({
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

/** Times of a request of which a contender has percentiles. */
export const timeKinds = [
  'latencyMs',
  'firstAttemptMs',
  'serviceMs',
  'realTimeFactor',
  'serverDecodeMs',
  'serverLatencyMs',
] as const
export type TimeKind = (typeof timeKinds)[number]

export const latencyFields = {
  leftOut: group({
    rampCount: count.describe('Sent while the load built up.'),
    drainCount: count.describe('Sent while the load ran out.'),
  }).describe('Answered requests that are in no percentile.'),
  latencyMs: percentileSetSchema.describe(
    'Latency in milliseconds, answered requests of the steady part: response time from the due moment (open load, concurrent ' +
      'users), service time (closed load).',
  ),
  firstAttemptMs: percentileSetSchema.describe(
    'Of the first attempt alone, whatever its result, in milliseconds: latency without the cost of repeats.',
  ),
  serviceMs: percentileSetSchema.describe(
    'From the sending to the last byte of the answer, in milliseconds; equal to latency under a closed load.',
  ),
  latencyByDuration: list(durationLatencySchema).describe(
    'Latency by the length of the audio, the shortest first: a p95 over mixed lengths is that of the longest.',
  ),
  latencyModel: latencyModelSchema.describe(
    'What a request costs before its audio, and what each second of audio costs.',
  ),
  realTimeFactor: percentileSetSchema.describe('Service time / audio length of answered requests.'),
  serverDecodeMs: percentileSetSchema.describe('Decoding as the server reports it, in milliseconds.'),
  serverLatencyMs: percentileSetSchema.describe('Latency as the server reports it, in milliseconds.'),
  phases: phasesSchema.describe('What answered requests spent their service time on.'),
}

/** One quantity with its percentiles, each of which is a metric. */
export interface PercentileFamily<Field extends string = string>
  extends Omit<MetricMeaning, 'better' | 'source'> {
  /** The field of the contender's percentiles, and of the request's times. */
  readonly of: Field
}

/** Source of every percentile and its interval. */
export const percentileSource =
  'Hyndman and Fan 1996, type 7; interval by order statistics, Hahn and Meeker 1991'

/** How many requests each percentile needs, as a sentence for people. */
export const percentileSamples = `Shown only where the sample allows an interval: ${percentileNames
  .map((name, at) => {
    const needed = smallestSampleForQuantile(percentileProbabilities[name])
    return `${needed}${at === 0 ? ' requests' : ''} for ${name}`
  })
  .join(', ')}.`

export const timeFamilies: readonly PercentileFamily<TimeKind>[] = [
  {
    id: 'latency',
    name: 'latency',
    unit: 'ms',
    formula:
      'percentile of the time until the last byte was received, counted from the moment the request was ' +
      'due (open loads, concurrent users) or was sent (closed loads)',
    reading:
      'The time until the text is there, for answered requests only, without those of the ramp and the ' +
      'drain (window in utterances.csv). Under an open load it includes the time in a queue; under a ' +
      'closed load no request queues, so the two must not be compared. Long audio takes longer: compare ' +
      'it on the same utterances. A threshold counts failed requests as later than any limit.',
    of: 'latencyMs',
  },
  {
    id: 'first-attempt',
    name: 'latency of the first attempt',
    unit: 'ms',
    formula: 'percentile of last byte received or given up - due or sent, of first attempts alone',
    reading:
      'Where the config declares retries, latency is the whole wait for the text, repeats and the waits ' +
      'between them included. This is what the first attempt took, answered or failed: the difference is ' +
      'what retrying cost. The same as latency where nothing was sent again.',
    of: 'firstAttemptMs',
  },
  {
    id: 'service',
    name: 'service time',
    unit: 'ms',
    formula: 'percentile of last byte received - sent, the wait for a socket and connecting included',
    reading:
      'How long the server was busy with a request, its own queue included. What latency has beyond it ' +
      'is the time that a request was late; the same as latency under a closed load.',
    of: 'serviceMs',
  },
  {
    id: 'rtf',
    name: 'real-time factor',
    unit: 'ratio',
    formula: 'percentile of service time / audio length, request by request',
    reading:
      'Below 1 a request is faster than its audio. Short audio has a higher factor; not the inverse of ' +
      'rtfx.',
    of: 'realTimeFactor',
  },
  {
    id: 'server.decode',
    name: 'decoding, as the server reports it',
    unit: 'ms',
    formula: 'percentile of timings.decode_ms in the answers',
    reading:
      "The server's own stopwatch around decoding. What latency has beyond it is transport, queue, " +
      'loading.',
    of: 'serverDecodeMs',
  },
  {
    id: 'server.latency',
    name: 'latency, as the server reports it',
    unit: 'ms',
    formula: 'percentile of latency_ms in the answers',
    reading:
      "The server's own stopwatch around the request. A large distance from latency is transport or " +
      'queue.',
    of: 'serverLatencyMs',
  },
]

/** The phases of the service time, of which `phases` has the percentiles. */
export const phaseFamilies: readonly PercentileFamily<keyof RequestPhases>[] = [
  {
    id: 'phase.queue',
    name: 'waiting for a socket',
    unit: 'ms',
    formula:
      'percentile of the time from the sending to the head of the request being written, less connecting',
    reading:
      'The client waiting for itself: near 0, or the load has more in flight than the client has sockets.',
    of: 'queueMs',
  },
  {
    id: 'phase.connect',
    name: 'connecting',
    unit: 'ms',
    formula: 'percentile of the time that a new connection took: addresses, TCP and TLS',
    reading: 'Of the requests that needed a new connection; the others went by one that was there.',
    of: 'connectMs',
  },
  {
    id: 'phase.wait',
    name: 'sending the body and waiting for the answer',
    unit: 'ms',
    formula: 'percentile of the time from the head being written to the first byte of the answer',
    reading:
      'The body on its way, the server at work with its own queue, and a round trip of the network: when ' +
      'the body has left this machine, only the operating system knows.',
    of: 'waitMs',
  },
  {
    id: 'phase.download',
    name: 'downloading',
    unit: 'ms',
    formula: 'percentile of the time from the first byte of the answer to the last',
    reading: 'Short for a text; a long one is a server that sends while it decodes, or a slow network.',
    of: 'downloadMs',
  },
]
