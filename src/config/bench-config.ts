import type { ModePatch, Platform } from '#contract'
import type { LoadConfig } from './load-file.ts'
import type { ScoringFile } from './scoring-file.ts'

export const workloads = ['transcribe', 'post-process'] as const
export type Workload = (typeof workloads)[number]

/** How audio may be asked to travel. */
export const configuredTransports = ['auto', 'path', 'base64', 'multipart'] as const
export type ConfiguredTransport = (typeof configuredTransports)[number]

/** What a refusal for a rate limit means. */
export const rateLimitReactions = ['auto', 'wait', 'fail'] as const
export type RateLimitReaction = (typeof rateLimitReactions)[number]

/** What one contender of a run is, fully specified. */
export interface ContenderConfig {
  /** Short name in every table; unique. */
  readonly id: string
  /** The service's id for the engine; null where a named Mode decides. */
  readonly engine: string | null
  readonly model: string | null
  /** BCP 47 tag or `auto`; null: a named Mode keeps its own, and a model is asked for that of the corpus. */
  readonly language: string | null
  /** Name of an existing Mode to patch for the run and restore after it; null for a temporary Mode. */
  readonly mode: string | null
  /** Mode fields that differ from a plain transcription. */
  readonly settings: ModePatch
  /** What the provider asks for a minute of audio; 0 for nothing; null where the config does not say. */
  readonly usdPerMinute: number | null
  /** Where that stands, and when it was read there, `2026-11-21`; null where the config does not say. */
  readonly priceSource: string | null
  readonly priceDate: string | null
}

/** Which failed requests are sent again. */
export interface RetryConfig {
  /** Failures by their labels, as RATE_LIMITED or HTTP_503; empty: nothing is sent again. */
  readonly codes: readonly string[]
  /** How often one request may be sent again. */
  readonly most: number
  /** Length of the first wait; each further one is twice as long. */
  readonly backOffSeconds: number
  /** Of all measured requests of the plan, the share that may be sent again, 0..1. */
  readonly budget: number
}

/** A benchmark, validated and fully specified: no optional fields, every default filled in. */
export interface BenchConfig {
  /** Names the run folder. */
  readonly name: string
  /** `embedded`, `auto`, a discovery file's path, or an address. */
  readonly target: string
  /** Engines file of the built-in service: programs and servers that transcribe; null for none. */
  readonly engines: string | null
  /** Environment variable with the key of a target that begins with `openai:`; null where it wants none. */
  readonly keyFrom: string | null
  /** Minutes of audio that may go to contenders that are billed, in all. */
  readonly maxBilledMinutes: number
  /** The build that the target is; null: this machine's own where the target runs here, else unknown. */
  readonly platform: Platform | null
  /** A corpus name (looked up in `corpora/`) or the path of a manifest. */
  readonly corpus: string
  /** What requests ask for: `transcribe` sends audio, `post-process` texts. */
  readonly workload: Workload
  /** Ids of utterances to leave out; recorded in the run. */
  readonly exclude: readonly string[]
  /** Utterances to draw from what is left, balanced by length; null for all. */
  readonly sample: number | null
  readonly contenders: readonly ContenderConfig[]
  /** Contenders that the target does not have are left out instead of refused. */
  readonly skipUnready: boolean
  readonly load: LoadConfig
  /** Passes of each contender over the corpus; with a load that ends by itself, how often it is gone through. */
  readonly rounds: number
  /** Requests sent to each contender before anything is measured. */
  readonly warmupRequests: number
  /** Null: 60 s plus twice the audio's length. */
  readonly requestTimeoutSeconds: number | null
  readonly retries: RetryConfig
  /** `auto`: `wait` for what does not run on this machine, under a closed load. */
  readonly rateLimit: RateLimitReaction
  readonly transport: ConfiguredTransport
  /** Folder that the target may read, for copies of recordings; `auto` finds it; null: no copies are made. */
  readonly stage: string | null
  /** The profile's id, or `auto` for the language's own, and what is added to it. */
  readonly scoring: { readonly [Key in keyof ScoringFile]-?: NonNullable<ScoringFile[Key]> }
  /** Thresholds such as `wer <= 8%`; a failed one ends in exit code 3. */
  readonly failIf: readonly string[]
  /** Margins such as `latency=5%`, for comparisons with this run. */
  readonly margins: readonly string[]
  readonly seed: number
  /** Folder that run folders are written to. */
  readonly results: string
}
