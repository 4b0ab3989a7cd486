import { type Catalogue, defaultCatalogue, type InstallableModel, installables } from './catalogue.ts'
import { isInstalled, modelFolder } from './model-folder.ts'

/** A model of the catalogue, and whether it is here. */
export interface ListedModel
  extends Pick<InstallableModel, 'id' | 'family' | 'displayName' | 'languages' | 'licence' | 'sizeBytes'> {
  readonly installed: boolean
  /** Absolute path of the model's folder, whether it exists or not. */
  readonly folder: string
  /** The package that an installation fetches, as `name@version`; null for a model without weights. */
  readonly source: string | null
  /** What that download weighs; 0 where there is none. */
  readonly downloadBytes: number
}

/** All models of the catalogue in its order, and what finds silences for them. Reads sizes, not contents; a missing directory is an empty one. */
export async function listModels(options: {
  readonly modelsDir: string
  readonly catalogue?: Catalogue | undefined
}): Promise<readonly ListedModel[]> {
  const models = installables(options.catalogue ?? defaultCatalogue)
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
    folder: modelFolder(modelsDir, id),
    source: weights === null ? null : `${weights.package.name}@${weights.package.version}`,
    downloadBytes: weights?.package.sizeBytes ?? 0,
  }
}
