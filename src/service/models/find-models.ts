import { serviceErrors } from '../errors.ts'
import { type Catalogue, type InstallableModel, installables } from './catalogue.ts'
import { catalogueOf } from './registered-models.ts'

/**
 * Finds models by their ids, in the order of the catalogue.
 *
 * @throws BenchError MODEL_UNKNOWN with every id that there is no model for
 */
export async function findModels(
  ids: readonly string[],
  options: {
    readonly modelsDir: string
    readonly catalogue?: Catalogue | undefined
    /** What to advise for an unknown model id, in addition to the list. */
    readonly advise?: (id: string) => string
  },
): Promise<InstallableModel[]> {
  const models = installables(options.catalogue ?? (await catalogueOf(options.modelsDir)))
  const unknown = ids.filter((id) => !models.some((model) => model.id === id))
  if (unknown.length > 0) {
    const known = models.map((model) => model.id)
    throw serviceErrors.make('MODEL_UNKNOWN', {
      message: `There is no model named ${unknown.map((id) => `"${id}"`).join(', ')}.`,
      hint: [
        `see what can be installed: transcribench models list   (known: ${known.join(', ')})`,
        ...(options.advise === undefined ? [] : unknown.map(options.advise)),
      ].join('; or '),
    })
  }
  return models.filter((model) => ids.includes(model.id))
}
