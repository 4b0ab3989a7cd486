import type { NoSpeechRule } from '#contract'
import type { GivenUpContender, RecordedContender, RecordedCorpus, RunCounts, RunStatus } from '#journal'
import type { LoadShape } from '#load'
import type { ErrorRate, Interval } from '#rates'
import type { CharacterRule, Profile } from '#scoring'
import type { MoneySpent, RunCosts } from './costs.ts'
import type { Finding } from './finding.ts'
import type { AuditInsight, ContenderInsight } from './insight.ts'
import type {
  DurationLatency,
  LatencyModel,
  ModelLoading,
  PercentileSet,
  Phases,
  UntilSteady,
} from './latency.ts'
import type { Ranking } from './ranking.ts'
import type { CpuCost, Resources } from './resources.ts'
import type { SpeedDifferences, SystemSpeed } from './speed.ts'
import type { UtteranceEvaluation } from './utterance-evaluation.ts'

export type { ErrorRate, Interval } from '#rates'

/** Version of `evaluation.json`. */
export const evaluationFormatVersion = 4

/** Failures of one kind. */
export interface FailureGroup {
  /** By what it is counted: see `failureLabel`. */
  readonly label: string
  readonly count: number
  /** What was said, the most frequent first; three at most. */
  readonly reasons: readonly FailureReason[]
}

export interface FailureReason {
  readonly message: string
  /** What the server advises; null where it advises nothing. */
  readonly hint: string | null
  readonly count: number
}

/** What a rate limit cost a contender whose refusals were waited out, warm-up aside. */
export interface RateLimitWaits {
  /** Refusals after which the request was sent again. */
  readonly refusedCount: number
  /** Time in which nothing was sent because of it: in no latency and no speed. */
  readonly waitedSeconds: number
}

export interface ContenderEvaluation {
  readonly contender: RecordedContender
  readonly counts: RunCounts
  /** Most frequent first. */
  readonly failures: readonly FailureGroup[]
  /** failed / (answered + failed), 0..1; null when nothing was sent. */
  readonly failureRate: number | null
  /** Attempts with an answer that was compared with its reference. */
  readonly scoredCount: number
  /** Answers that said "no speech": scored as an empty transcript, and among `answered`. */
  readonly noSpeechCount: number
  /** Utterances and speakers behind the rates; null where a speaker is unknown. */
  readonly utteranceCount: number
  readonly speakerCount: number | null
  /** scored / planned, 0..1. */
  readonly coverage: number | null
  readonly words: ErrorRate
  readonly characters: ErrorRate
  /** Share of scored attempts with at least one word error, 0..1. */
  readonly sentenceErrorRate: number | null
  /** As `words`, with every request that failed counted as an empty transcript; what was not sent is in no sum. */
  readonly wordsWithFailuresAsEmpty: ErrorRate
  /** As `characters`, in the same way; undefined in a document of an older version. */
  readonly charactersWithFailuresAsEmpty?: ErrorRate | undefined
  /** Mean of the utterances' own rates: shown second, never ranked by. */
  readonly meanUtteranceWordErrorRate: number | null
  /** Answered requests that no percentile holds: they were sent while the load built up, or ran out. */
  readonly leftOut: { readonly rampCount: number; readonly drainCount: number }
  /**
   * How long somebody waited for the text, answered requests of the steady part only: response time from the due moment
   * where the load is open, service time where it is closed.
   */
  readonly latencyMs: PercentileSet
  /** Of the first attempt alone, whatever it came to, of the same requests: latency without what repeats cost. */
  readonly firstAttemptMs: PercentileSet
  /** Requests that were sent more than once, and those of them that were answered in the end. */
  readonly sentAgain: { readonly requestCount: number; readonly answeredCount: number }
  readonly rateLimit: RateLimitWaits
  /** From the sending to the last byte of the answer; equal to latency where the load is closed. */
  readonly serviceMs: PercentileSet
  /** The same by the length of the audio, the shortest first: over mixed lengths a p95 is that of the longest. */
  readonly latencyByDuration: readonly DurationLatency[]
  /** What a request costs before its audio, and what each second of audio costs. */
  readonly latencyModel: LatencyModel
  /** Service time / audio length of answered requests. */
  readonly realTimeFactor: PercentileSet
  readonly systemSpeed: SystemSpeed
  /** The server's own figures, beside the client's. */
  readonly serverDecodeMs: PercentileSet
  readonly serverLatencyMs: PercentileSet
  /** Processor time of the server for a second of audio. */
  readonly cpuSecondsPerAudioSecond: CpuCost
  /** Share of answered texts that a language model edited, 0..1; null for transcriptions. */
  readonly postProcessedRate: number | null
  /** Service time of the warm-up's first request, which carries the model's loading. */
  readonly firstRequestMs: number | null
  /** In no other figure. */
  readonly modelLoadingMs: ModelLoading
  /** In no other figure. */
  readonly untilSteadyMs: UntilSteady
  readonly phases: Phases
  /** Null where the config gives no price. */
  readonly cost: MoneySpent | null
}

export type Validity = 'valid' | 'invalid' | 'short'

/** A percentile, a speed or a promise that a run is too short for. */
export interface MissingRequests {
  readonly contenderId: string
  /** The id of a metric; where it is a limit that can be neither kept nor broken for certain, the threshold as written. */
  readonly metric: string
  /** Answered requests that are needed besides those there are. */
  readonly moreRequests: number
}

/** The instrument's own error. Null where it was not recorded. */
export interface Instrument {
  /** How late requests left, from the moment they were due. */
  readonly sendLagMs: {
    readonly p50: number
    readonly p99: number
    readonly max: number
    readonly sampleCount: number
  } | null
  /** The longest time that the measuring process answered to nothing. */
  readonly loopDelayMaxMs: number | null
  /** Processors that the measuring process kept busy. */
  readonly ownProcessors: number | null
  /** Processors that neither it nor the server kept busy, on average over the run. */
  readonly foreignProcessors: number | null
  /** The largest jump of the wall clock against the monotonic one. */
  readonly clockStepMaxMs: number | null
}

/** The load that a run was made under. */
export interface EvaluatedLoad {
  readonly kind: LoadShape['kind']
  /** In words, with the speech that it offers: `poisson arrivals, 2 requests/s (6.8 s of speech per second)`. */
  readonly description: string
  /** Requests kept in flight by a closed load; null for every other. */
  readonly concurrency: number | null
  /** Where latency begins: at the due moment, or at the sending. */
  readonly latencyCountsFrom: 'due' | 'sent'
}

/** A difference of two error rates, with its interval. */
export interface RateDifference {
  readonly value: number
  readonly interval: Interval | null
}

/**
 * The difference of the first two contenders of the ranking over the utterances that both were asked, every failed request
 * as an empty transcript.
 */
export interface ContenderDifference {
  readonly better: string
  readonly worse: string
  /** worse - better, in rate (0.023 is 2.3 errors in a hundred words); below 0 at most where the other rate leads. */
  readonly wordErrorRate: RateDifference
  /** The same in characters; null without characters, and in a document of an older version. */
  readonly characterErrorRate: RateDifference | null
  /** Whether the interval of the leading rate excludes zero and at least six utterances differ at all. */
  readonly isResolved: boolean
  readonly utteranceCount: number
  /** Utterances whose errors, those of the leading rate, differ at all. */
  readonly differingCount: number
}

/** By which rules a run was scored: two scores with the same fingerprint were made alike. */
export interface ScoringIdentity {
  /** 64 hexadecimal digits over the profile, the alignment, the corrections, the vocabulary and what means no speech. */
  readonly fingerprint: string
  /** What counts as a character. */
  readonly characterRule: CharacterRule
  /** References that were corrected after the run; null where the run's own were taken. */
  readonly corrections: AppliedCorrections | null
  /** Words and phrases that were looked for; null for none. */
  readonly vocabulary: { readonly fingerprint: string; readonly keywordCount: number } | null
  /** Which refusals were taken as answers without words; empty for none. */
  readonly noSpeech: readonly NoSpeechRule[]
}

/** What a file of corrections did to the references of a run. */
export interface AppliedCorrections {
  /** Where they were read from, as it was named. */
  readonly source: string
  readonly fingerprint: string
  /** Utterances of the run whose reference was corrected. */
  readonly correctedIds: readonly string[]
  /** Corrections of a text that the reference is not (any more), and of utterances that the run does not have. */
  readonly staleCount: number
  /** Their utterances; the first 100. */
  readonly staleIds: readonly string[]
}

/** `evaluation.json`: the scored result of one run. Every report renders this document. */
export interface Evaluation {
  readonly formatVersion: number
  readonly run: {
    readonly id: string
    readonly name: string
    readonly status: RunStatus
    readonly startedAt: string
    readonly endedAt: string | null
    readonly targetBaseUrl: string
    readonly serviceVersion: string | null
    readonly programVersion: string
    readonly cpuModel: string
    readonly cpuCount: number
    /** Contenders that were sent nothing more, because nothing could succeed. */
    readonly givenUp: readonly GivenUpContender[]
  }
  /** Invalid for the reasons that the findings of that severity give; short of what `missing` tells. */
  readonly validity: Validity
  readonly missing: readonly MissingRequests[]
  readonly instrument: Instrument
  readonly findings: readonly Finding[]
  readonly profile: Pick<Profile, 'id' | 'fingerprint' | 'leads'>
  readonly alignment: 'canonical'
  readonly scoring: ScoringIdentity
  readonly seed: number
  readonly corpus: RecordedCorpus
  readonly load: EvaluatedLoad
  readonly rounds: number
  readonly resources: Resources
  readonly contenders: readonly ContenderEvaluation[]
  /** What providers ask beside a machine of one's own; null where no contender has a price. */
  readonly costs: RunCosts | null
  /** The two best contenders of the ranking; null with fewer than two that were scored. */
  readonly difference: ContenderDifference | null
  /**
   * Places by the leading error rate with failures as empty transcripts, as far as they can be decided; null with fewer than two that
   * were scored. Sentence, places and tables follow its order.
   */
  readonly ranking: Ranking | null
  /** Null with fewer than two contenders. */
  readonly speeds: SpeedDifferences | null
  /** How each contender errs, in the order of the contenders. */
  readonly insights: readonly ContenderInsight[]
  readonly audit: AuditInsight
  readonly utterances: readonly UtteranceEvaluation[]
}
