import { type Catalogue, type InstallableModel, installables } from './catalogue.ts'
import { isInstalled, modelFolder } from './model-folder.ts'
import { catalogueOf } from './registered-models.ts'

/** A model of the catalogue, and whether it is here. */
export interface ListedModel
  extends Pick<InstallableModel, 'id' | 'family' | 'displayName' | 'languages' | 'licence' | 'sizeBytes'> {
  readonly installed: boolean
  /** Absolute path of the model's folder, whether it exists or not. */
  readonly folder: string
  /**
   * What an installation fetches: a package, as `name@version`, or a repository of the hub, as `hf:owner/name@revision`; null
   * for a model that nothing is fetched for.
   */
  readonly source: string | null
  /** What that download weighs; 0 where there is none. */
  readonly downloadBytes: number
}

/**
 * All models of the catalogue in its order, with those that were added, and what finds silences for them. Reads
 * sizes, not contents; a missing directory is an empty one.
 *
 * @throws BenchError MODEL_REGISTER_UNREADABLE
 */
export async function listModels(options: {
  readonly modelsDir: string
  readonly catalogue?: Catalogue | undefined
}): Promise<readonly ListedModel[]> {
  const models = installables(options.catalogue ?? (await catalogueOf(options.modelsDir)))
  return Promise.all(models.map((model) => listed(options.modelsDir, model)))
}

async function listed(modelsDir: string, model: InstallableModel): Promise<ListedModel> {
  const { id, family, displayName, languages, licence, sizeBytes, weights } = model
  return {
    id,
    family,
    displayName,
    languages,
    licence,
    sizeBytes,
    installed: await isInstalled(modelsDir, model),
    folder: modelFolder(modelsDir, model),
    source: sourceOf(weights),
    downloadBytes: weights?.package?.sizeBytes ?? (weights?.hub === undefined ? 0 : sizeBytes),
  }
}

function sourceOf(weights: InstallableModel['weights']): string | null {
  const { package: origin = null, hub } = weights ?? {}
  if (origin !== null) return `${origin.name}@${origin.version}`
  return hub === undefined ? null : `hf:${hub.repository}@${hub.revision}`
}
