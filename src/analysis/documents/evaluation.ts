import type { NoSpeechRule } from '#contract'
import type { GivenUpContender, RecordedContender, RecordedCorpus, RunCounts, RunStatus } from '#journal'
import type { LoadShape } from '#load'
import type { ErrorRate, Interval } from '#rates'
import type { CharacterRule, ErrorCounts, Profile } from '#scoring'
import type { AuditInsight, ContenderInsight } from '../error-analysis/insight.ts'
import type { Crossover } from '../figures/latency/latency-crossover.ts'
import type { LatencyModel } from '../figures/latency/latency-model.ts'
import type { RequestPhases } from '../figures/latency/phases.ts'
import type { Ranking } from '../figures/ranking.ts'
import type { CpuCost, Resources } from '../figures/resources.ts'
import type { RunCosts } from '../figures/run-costs.ts'
import type { Finding } from '../findings/findings.ts'
import type { WindowPart } from '../requests/steady-part.ts'

export type { ErrorRate, Interval } from '#rates'

/** Version of `evaluation.json`. */
export const evaluationFormatVersion = 3

/** A figure, or the reason why there is none. Absent is never 0. */
export type Figure<Present> = Present | { readonly value: null; readonly reason: string }

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

/** Audio seconds transcribed per second, over the steady part of every block of one contender. */
export type SystemSpeed = MissingSpeed | MeasuredSpeed

interface MissingSpeed {
  readonly value: null
  readonly reason: string
  /** Answers that the blocks lack for a steady window each; null where more would not help. */
  readonly moreAnswers: number | null
}

interface MeasuredSpeed {
  /** Sum of audio seconds / sum of window seconds. */
  readonly value: number
  readonly audioSeconds: number
  readonly windowSeconds: number
  /** Blocks with a steady window. */
  readonly blockCount: number
  /** Blocks too short for one; they are in no sum above. */
  readonly shortBlockCount: number
  /** Mean number of requests in flight over the windows; a closed schedule of N keeps it near N. */
  readonly meanInFlight: number
  /** Answers and failures inside the windows. */
  readonly completedCount: number
  /** What Little's law makes of completions and times: should equal `meanInFlight`. */
  readonly predictedInFlight: number
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

/** What a contender's audio cost by the price in the config, in US dollars; where that stands is told with the contender. */
export interface MoneySpent {
  readonly usdPerAudioHour: number
  /** Sent, warm-up and repeats included. */
  readonly audioSeconds: number
  readonly usd: number
}

/** Loading the model, in milliseconds: as the server says, or the first request less what the same usually takes. */
export type ModelLoading = Figure<{ readonly value: number; readonly from: 'server' | 'difference' }>

/** From the first sending until work was done at 95 % of the steady throughput, in milliseconds. */
export type UntilSteady = Figure<{ readonly value: number }>

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

export type AttemptStatus = 'scored' | 'failed' | 'dropped' | 'notSent'

/** One planned request, judged. */
export interface UtteranceEvaluation {
  readonly requestIndex: number
  readonly contenderId: string
  readonly utteranceId: string
  readonly round: number
  readonly status: AttemptStatus
  /** Whether it was sent while the load built up, was steady, or ran out; null where it was not sent. */
  readonly window: WindowPart | null
  /** See `failureLabel`; null unless it failed. */
  readonly failure: string | null
  /** What the server or the system said of it, and what the server advises; null unless it failed. */
  readonly failureMessage: string | null
  readonly failureHint: string | null
  /** The server said that it heard no speech, as an error; scored as an empty transcript. */
  readonly saidNoSpeech: boolean
  readonly audioSeconds: number
  /** From where the load counts it; null unless scored. */
  readonly latencyMs: number | null
  /** How often it was sent. */
  readonly attemptCount: number
  /** Of the first attempt alone, whatever it came to; `latencyMs` is that of the whole, waits between included. */
  readonly firstAttemptMs: number | null
  readonly serviceMs: number | null
  /** What the service time went into; null where it was not recorded. */
  readonly phases: RequestPhases | null
  readonly realTimeFactor: number | null
  readonly serverDecodeMs: number | null
  readonly serverLatencyMs: number | null
  readonly reference: string
  readonly hypothesis: string | null
  readonly words: ErrorCounts | null
  readonly characters: ErrorCounts | null
  /** Null where nothing was scored or the reference holds no words. */
  readonly wordErrorRate: number | null
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

/** How much faster one contender was than another one, within one run. */
export interface SpeedDifference {
  readonly faster: string
  readonly slower: string
  /**
   * `speed`: the ratio of the two system speeds. `latency`: the geometric mean over the requests of the slower one's
   * latency over the faster one's, for loads under which everything that is offered is done.
   */
  readonly basis: 'speed' | 'latency'
  /** How many times faster, 1 or more. */
  readonly ratio: number
  /**
   * Of the ratio: the spread between pairs of turns of this run, over the same utterances. What a further run would
   * differ by is not in it. Null with too few turns.
   */
  readonly interval: Interval | null
  /** By more than the margin for certain, by less for certain, or neither. Sure together with all other pairs. */
  readonly verdict: 'faster' | 'alike' | 'unresolved'
  /** Why it is unresolved, where the interval does not say it. */
  readonly reason: string | null
}

/** Every two contenders of a run by their speed. */
export interface SpeedDifferences {
  /** Why speeds of this run are not compared; `pairs` is empty then. Null where they are. */
  readonly withheld: string | null
  /** A ratio within 1 + margin counts as none. */
  readonly margin: number
  /** Turns that the contenders took, each with a block of every one. */
  readonly turnCount: number
  /** Rounds after which there are enough turns for an interval; null where there are, or that is not known. */
  readonly roundsNeeded: number | null
  /** Those of which both have a figure. */
  readonly pairs: readonly SpeedDifference[]
  /** Where the fitted latencies of every two cross; empty with more than four contenders. */
  readonly crossovers: readonly ContenderCrossover[]
}

/** At which length of the audio one of two contenders becomes the faster one. */
interface ContenderCrossover {
  readonly first: string
  readonly second: string
  readonly crossover: Crossover
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
    readonly asrbenchVersion: string
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
   * Places by the leading error rate with failures as empty transcripts, as far as they can be told; null with fewer than two that
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
