import type { AlignmentStep, Profile } from '#scoring'
import type { Interval, Validity } from './evaluation.ts'
import type { Finding } from './finding.ts'
import type { Judgement } from './judgement.ts'
import type { Crossover } from './latency.ts'
import type { Ranking } from './ranking.ts'

/** Version of a comparison document. */
export const comparisonFormatVersion = 4

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
export interface RateComparison extends Judgement {
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
  /**
   * True where every utterance was transcribed more than once on both sides and always alike: the difference on this
   * corpus is then certain, and the interval speaks of other speech only.
   */
  readonly isExact: boolean
}

/** The usual tests of "both sides make as many errors", those of the leading rate: each by itself, two-sided, utterance against utterance. */
export interface Significance {
  /** Matched pairs with utterances as segments (MAPSSWE); null with fewer than 50. Z is positive where the run errs more. */
  readonly matchedPairs: {
    /** Null where all utterances differ by the same. */
    readonly z: number | null
    readonly pValue: number
    /** Among the contenders of this comparison (Holm). */
    readonly adjustedPValue: number
  } | null
  /** Signed ranks of the differences in errors; null where none differs. */
  readonly wilcoxon: number | null
  /** Utterances with fewer errors on one side or on the other. */
  readonly sign: number
  /** Utterances without any error on one side alone. */
  readonly mcnemar: number
  /** Signs of the speakers' differences flipped in every way; null where they are unknown, one, or twenty and more. */
  readonly speakers: { readonly count: number; readonly pValue: number } | null
}

/** What of a side's speed is compared. `latency` is the one that holds utterance against utterance. */
export type SpeedMetric =
  | 'latency'
  | 'latency.p50'
  | 'latency.p95'
  | 'latency.fixed'
  | 'latency.slope'
  | 'rtfx'

/** How two sets of runs differ by their ranks alone. */
export interface RankedDifference {
  /** The Hodges-Lehmann shift of the logarithms: median of all run / base - 1. */
  readonly relativeChange: number
  /** At 95 %; null with fewer than four runs a side. */
  readonly interval: { readonly low: number; readonly high: number } | null
  /** Of the Mann-Whitney test, two-sided. */
  readonly pValue: number
  /** Cliff's delta: 1 where every run of the run side has the higher figure, -1 where every one has the lower. */
  readonly delta: number
}

/**
 * A speed figure on both sides. The unit of replication is the run: with one run a side there is no verdict, and an
 * interval only from the spread that a calibration of this host has measured.
 */
export interface SpeedComparison extends Judgement {
  readonly metric: SpeedMetric
  /** Milliseconds, milliseconds for a second of audio, or times real time. */
  readonly unit: 'ms' | 'ms/s' | 'x'
  /** Geometric mean over the runs of the side. */
  readonly base: number | null
  readonly run: number | null
  /** run / base - 1; null where one is absent. */
  readonly relativeChange: number | null
  /** Of the relative change, at 95 %. */
  readonly interval: { readonly low: number; readonly high: number } | null
  /** What the interval rests on; null without one. */
  readonly basis: 'pairs of runs' | 'runs' | 'runs of one side' | 'calibration' | null
  /** Relative changes inside ± margin are equivalent. */
  readonly margin: number
  /**
   * The same by ranks, which one odd run cannot move far, unpaired; null with one run a side and where speeds are not
   * held against each other. Not told of an experiment, which is looked at again and again.
   */
  readonly ranks: RankedDifference | null
  /** Why a side has no figure; null where both have one. */
  readonly reason: string | null
  /** Why there is no verdict, or none in favour of what the clock says. */
  readonly note: string | null
}

/** Requests of both sides that failed, and those of which only one side's did. */
export interface FailureComparison extends Judgement {
  /** Failed requests of the side, in all its runs. */
  readonly base: number
  readonly run: number
  /** Answered and failed requests of the side. */
  readonly baseRequests: number
  readonly runRequests: number
  /** The n-th request of an utterance on one side with the n-th of the other. */
  readonly pairedCount: number
  readonly onlyBase: number
  readonly onlyRun: number
  /** run - base, of the shares of paired requests that failed; null without any. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** 0: any rise that is certain is a rise. */
  readonly margin: number
}

/** How the latencies of one side are distributed. */
export interface LatencyDistribution {
  readonly count: number
  /** Quantiles 0, 0.01, …, 1; empty without any. */
  readonly quantilesMs: readonly number[]
}

/** Latency of requests whose audio has about the same length. */
export interface DurationComparison {
  /** `2-5 s`. */
  readonly bucket: string
  readonly utteranceCount: number
  readonly baseP50Ms: number | null
  readonly runP50Ms: number | null
  readonly baseP95Ms: number | null
  readonly runP95Ms: number | null
}

/** An error rate on both sides over the utterances that have something in common. */
export interface GroupComparison {
  /** `duration`, `speaker` or `tag`. */
  readonly by: 'duration' | 'speaker' | 'tag'
  readonly name: string
  readonly utteranceCount: number
  readonly base: number | null
  readonly run: number | null
  /** run - base, in rate. */
  readonly difference: number | null
  /**
   * Of the groups up to this q, that share at most is expected to differ by chance (Benjamini-Hochberg over all groups, Wilcoxon
   * in each); null where no utterance of the group differs.
   */
  readonly qValue: number | null
}

/** A word that was taken for another one, and how often on either side. Null stands for no word. */
export interface ConfusionChange {
  readonly reference: string | null
  readonly hypothesis: string | null
  readonly base: number
  readonly run: number
}

/** A word that was heard for several different ones, summed over them. */
export interface IntruderChange {
  readonly hypothesis: string
  /** Different words of the references that it took the place of, on either side. */
  readonly replacedCount: number
  readonly base: number
  readonly run: number
}

/** A request that failed on one side and was answered on the other. */
export interface FailureChange {
  readonly utteranceId: string
  readonly failedIn: 'base' | 'run'
  readonly failure: string
}

/** An utterance whose errors changed, with its words aligned on both sides. */
export interface ChangedUtterance {
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly reference: string
  /** Words, or characters where their rate leads, of the normalised reference. */
  readonly referenceLength: number
  /** Of the first round that was scored, as are the aligned words. */
  readonly baseHypothesis: string
  readonly runHypothesis: string
  /** Errors of the leading rate, run minus base, each the mean over its scored rounds. */
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
  /** The leading rate first. */
  readonly rates: readonly RateComparison[]
  /** Null where no utterance differs in its word errors. */
  readonly significance: Significance | null
  readonly speed: readonly SpeedComparison[]
  /** Why speeds are not held against each other; null where they are. */
  readonly speedsWithheld: string | null
  /** Latencies of the utterances of both sides, request by request. */
  readonly latencies: { readonly base: LatencyDistribution; readonly run: LatencyDistribution }
  /** Never read a percentile over mixed lengths without these. */
  readonly byDuration: readonly DurationComparison[]
  readonly crossover: Crossover
  readonly failures: FailureComparison
  readonly betterCount: number
  readonly worseCount: number
  readonly sameCount: number
  /** The most changed of either kind, at most 20; `betterCount` and `worseCount` count them all. */
  readonly changed: readonly ChangedUtterance[]
  /** Utterances whose text changed and whose errors did not; at most 20 ids, `textOnlyCount` counts them all. */
  readonly textOnly: readonly string[]
  readonly textOnlyCount: number
  /** Most changed first, at most 20 of each. */
  readonly confusions: readonly ConfusionChange[]
  /** Most changed first, at most 20. */
  readonly intruders: readonly IntruderChange[]
  readonly groups: readonly GroupComparison[]
  readonly failureChanges: readonly FailureChange[]
}

export type ConditionKey =
  | 'corpus'
  | 'load'
  | 'rounds'
  | 'contender'
  | 'machine'
  | 'service'
  | 'target'
  | 'transcribench'

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

/** One side of a comparison: the first of its runs in the order of time, and all of them. */
export interface ComparedSide extends ComparedRun {
  readonly runs: readonly ComparedRun[]
}

/** Two runs, or two sets of runs, paired by utterance id and scored with the same profile. */
export interface Comparison {
  readonly formatVersion: number
  readonly base: ComparedSide
  readonly run: ComparedSide
  readonly profile: Pick<Profile, 'id' | 'fingerprint' | 'leads'>
  readonly seed: number
  readonly conditions: readonly Condition[]
  readonly findings: readonly Finding[]
  /** Confidence of all verdicts together, and among how many comparisons it is shared out. */
  readonly family: { readonly confidence: number; readonly comparisonCount: number }
  readonly contenders: readonly ContenderComparison[]
  /** Places by the leading error rate, failures as empty transcripts, among the contenders of each side, as far as they can be decided. */
  readonly ranking: { readonly base: Ranking | null; readonly run: Ranking | null }
  /** Contenders that only one side has. */
  readonly unpairedContenders: readonly { readonly side: 'base' | 'run'; readonly id: string }[]
}
