import type { ErrorRate, Finding, Interval } from './evaluation.ts'

/** Version of a comparison document. */
export const comparisonFormatVersion = 1

/** Decided by where the interval of the difference lies against the margin. */
export type Verdict = 'better' | 'worse' | 'equivalent' | 'unresolved'

/** An error rate on both sides, over the utterances that both answered. */
export interface RateComparison {
  readonly metric: 'wer' | 'cer'
  readonly base: ErrorRate
  readonly run: ErrorRate
  /** run - base, in rate; negative is better. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** Differences inside ± margin are equivalent; in rate. */
  readonly margin: number
  readonly verdict: Verdict | null
}

/**
 * A speed figure on both sides. One run a side says nothing about the spread between runs, so there is
 * no verdict (the unit of replication is the run, not the request).
 */
export interface SpeedComparison {
  readonly metric: 'latency.p50' | 'latency.p95' | 'rtfx'
  readonly unit: 'ms' | 'x'
  readonly base: number | null
  readonly run: number | null
  /** run / base - 1; null where one is absent. */
  readonly relativeChange: number | null
  readonly verdict: null
  readonly note: 'descriptive only'
}

/** An utterance whose errors changed, with its words aligned on both sides. */
export interface ChangedUtterance {
  readonly utteranceId: string
  readonly reference: string
  readonly baseHypothesis: string
  readonly runHypothesis: string
  /** Word errors, run minus base, summed over rounds and divided by the rounds scored. */
  readonly errorDifference: number
}

export interface ContenderComparison {
  readonly baseContenderId: string
  readonly runContenderId: string
  readonly pairedUtteranceCount: number
  /** Answered on one side only, with the reason. */
  readonly unpaired: readonly { readonly utteranceId: string; readonly reason: string }[]
  readonly rates: readonly RateComparison[]
  readonly speed: readonly SpeedComparison[]
  readonly failures: { readonly base: number; readonly run: number }
  readonly betterCount: number
  readonly worseCount: number
  readonly sameCount: number
  /** The most changed first, at most 20. */
  readonly changed: readonly ChangedUtterance[]
}

/** Two runs, paired by utterance id and scored with the same profile. */
export interface Comparison {
  readonly formatVersion: number
  readonly base: { readonly id: string; readonly startedAt: string }
  readonly run: { readonly id: string; readonly startedAt: string }
  readonly profile: { readonly id: string; readonly fingerprint: string }
  readonly seed: number
  readonly findings: readonly Finding[]
  readonly contenders: readonly ContenderComparison[]
  /** Contenders that only one side has. */
  readonly unpairedContenders: readonly { readonly side: 'base' | 'run'; readonly id: string }[]
}
