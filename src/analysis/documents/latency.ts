import type { Interval } from '#rates'
import type { FittedValue } from '#statistics'
import type { Figure } from './figure.ts'

/** One percentile of a latency-like quantity, in the quantity's own unit. */
export type Percentile = Figure<{
  readonly value: number
  /** Null where the sample is too small for an interval. */
  readonly interval: Interval | null
  readonly sampleCount: number
}>

export interface PercentileSet {
  readonly sampleCount: number
  readonly p50: Percentile
  readonly p90: Percentile
  readonly p95: Percentile
  readonly p99: Percentile
}

/** Latency of requests whose audio has about the same length. */
export interface DurationLatency {
  /** `2-5 s`. */
  readonly bucket: string
  readonly utteranceCount: number
  readonly latencyMs: PercentileSet
}

/** What answered requests spent their service time on. Empty sets for runs that recorded no phases. */
export interface Phases {
  /** Waiting in the client for a free socket. */
  readonly queueMs: PercentileSet
  /** Of the requests that had to connect. */
  readonly connectMs: PercentileSet
  /** From the head to the moment that the operating system had taken the whole body. */
  readonly uploadMs: PercentileSet
  /** From there to the first byte of the answer. */
  readonly waitMs: PercentileSet
  readonly downloadMs: PercentileSet
  /** Sum of bytes / sum of upload times, over requests of 1 MB and more. */
  readonly uploadBytesPerSecond: Figure<{ readonly value: number; readonly sampleCount: number }>
}

/** Loading the model, in milliseconds: as the server says, or the first request less what the same usually takes. */
export type ModelLoading = Figure<{ readonly value: number; readonly from: 'server' | 'difference' }>

/** From the first sending until work was done at 95 % of the steady throughput, in milliseconds. */
export type UntilSteady = Figure<{ readonly value: number }>

/**
 * What an answered request spent its service time on, phase by phase; the phases of one request add up to it.
 *
 *   sent ├─queue─┼─connect─┼─upload─┼─wait─┼─download─┤ ended
 *
 * A server may answer before it has all of the body; its wait is then 0 and its upload ends with the first byte.
 */
export interface RequestPhases {
  readonly queueMs: number
  readonly connectMs: number
  readonly uploadMs: number
  readonly waitMs: number
  readonly downloadMs: number
}

/** What a request of a length is expected to take. */
interface LatencyPrediction {
  readonly audioSeconds: number
  readonly p50Ms: number
  /** Of the p50, at 95 %. */
  readonly p50Interval: FittedValue['interval']
  readonly p95Ms: number
  /** True for lengths that were not measured: shorter than the shortest or longer than the longest. */
  readonly isExtrapolated: boolean
}

/** Latency as a line over the length of the audio: fixed cost, cost of a second, and a step where there is one. */
export type LatencyModel = Figure<{
  /** What a request without audio would take, in milliseconds. */
  readonly value: number
  readonly fixedMs: FittedValue
  /** Milliseconds for a second of audio. */
  readonly perSecondMs: FittedValue
  /** Milliseconds for every further window of 30 s, as engines add that pad their input; null where none is seen. */
  readonly perWindowMs: number | null
  readonly utteranceCount: number
  readonly shortestSeconds: number
  readonly longestSeconds: number
  readonly predictions: readonly LatencyPrediction[]
}>

/** At which length two contenders take as long, and which one is faster on either side of it. */
export type Crossover =
  | {
      readonly kind: 'at'
      readonly audioSeconds: number
      readonly interval: { readonly low: number; readonly high: number } | null
      /** Which of the two is faster below: the other one is faster above. */
      readonly fasterBelow: 'first' | 'second'
    }
  /** One of the two is faster at every measured length. */
  | { readonly kind: 'none'; readonly faster: 'first' | 'second' }
  | { readonly kind: 'unresolved'; readonly reason: string }
