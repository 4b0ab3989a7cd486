import type { ModelEntry } from '#contract'

/** The part of a contender that names a model. */
export interface NamedModel {
  readonly engine: string | null
  readonly model: string | null
}

/**
 * The entry of `GET /models` that a contender means. A local engine and a cloud provider may have a model of the
 * same id; the contender's engine distinguishes them, since a cloud contender's engine is its provider, or `cloud`.
 *
 * @returns undefined where no voice model has the id
 */
export function findModel(
  { engine, model }: NamedModel,
  models: readonly ModelEntry[],
): ModelEntry | undefined {
  const named = models.filter(({ id, kind }) => id === model && kind !== 'text')
  const cloud = named.filter(({ provider }) => provider !== 'local')
  if (engine === 'cloud') return cloud[0]
  return (
    cloud.find(({ provider }) => provider === engine) ??
    named.find(({ provider }) => provider === 'local') ??
    cloud[0]
  )
}
