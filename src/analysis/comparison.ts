import type { AlignmentStep } from '#scoring'
import type { Interval, Validity } from './evaluation.ts'
import type { Finding } from './findings.ts'

/** Version of a comparison document. */
export const comparisonFormatVersion = 1

/** Decided by where the interval of the difference lies against the margin. */
export type Verdict = 'better' | 'worse' | 'equivalent' | 'unresolved'

/**
 * The error rate of one side over the paired utterances. An utterance that was scored in several rounds
 * carries the mean of its errors, so that every utterance weighs the same on both sides.
 */
export interface PairedRate {
  /** errors / referenceLength; null where the references hold nothing. */
  readonly rate: number | null
  /** Sum over the paired utterances of their mean errors per round. */
  readonly errors: number
  /** Words, or characters, of the paired references. */
  readonly referenceLength: number
}

/** An error rate on both sides, over the utterances that both answered. */
export interface RateComparison {
  readonly metric: 'wer' | 'cer'
  readonly base: PairedRate
  readonly run: PairedRate
  /** run - base, in rate; negative is better. */
  readonly difference: number | null
  /** Null where fewer than two utterances (or speakers) can be resampled. */
  readonly interval: Interval | null
  /** Utterances whose errors differ; under six, neither better nor worse is told from chance. */
  readonly differingCount: number
  /** Differences inside ± margin are equivalent; in rate. */
  readonly margin: number
  /** Null where there is no difference to judge. */
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
  /** Why a side has no figure; null where both have one. */
  readonly reason: string | null
  readonly verdict: null
  readonly note: 'descriptive only'
}

/** An utterance whose errors changed, with its words aligned on both sides. */
export interface ChangedUtterance {
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly reference: string
  /** Words of the normalised reference. */
  readonly referenceLength: number
  /** Of the first round that was scored, as are the aligned words. */
  readonly baseHypothesis: string
  readonly runHypothesis: string
  /** Word errors, run minus base, each the mean over its scored rounds. */
  readonly errorDifference: number
  readonly baseWords: readonly AlignmentStep[]
  readonly runWords: readonly AlignmentStep[]
}

export interface ContenderComparison {
  readonly baseContenderId: string
  readonly runContenderId: string
  readonly pairedUtteranceCount: number
  /** Utterances without a partner, with the reason. */
  readonly unpaired: readonly { readonly utteranceId: string; readonly reason: string }[]
  /** Paired utterances whose texts are the same on both sides in every round. */
  readonly identicalTextCount: number
  readonly rates: readonly RateComparison[]
  readonly speed: readonly SpeedComparison[]
  /** Failed requests of each side: counted, not scored. */
  readonly failures: { readonly base: number; readonly run: number }
  readonly betterCount: number
  readonly worseCount: number
  readonly sameCount: number
  /** The most changed of either kind, at most 20; `betterCount` and `worseCount` count them all. */
  readonly changed: readonly ChangedUtterance[]
}

export type ConditionKey =
  | 'corpus'
  | 'load'
  | 'rounds'
  | 'contender'
  | 'machine'
  | 'service'
  | 'target'
  | 'asrbench'

/** Something about how a run was made, on both sides, in words. */
export interface Condition {
  readonly key: ConditionKey
  readonly base: string
  readonly run: string
}

export interface ComparedRun {
  readonly id: string
  readonly startedAt: string
  readonly validity: Validity
}

/** Two runs, paired by utterance id and scored with the same profile. */
export interface Comparison {
  readonly formatVersion: number
  readonly base: ComparedRun
  readonly run: ComparedRun
  readonly profile: { readonly id: string; readonly fingerprint: string }
  readonly seed: number
  readonly conditions: readonly Condition[]
  readonly findings: readonly Finding[]
  readonly contenders: readonly ContenderComparison[]
  /** Contenders that only one side has. */
  readonly unpairedContenders: readonly { readonly side: 'base' | 'run'; readonly id: string }[]
}
