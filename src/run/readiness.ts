import type { ModelEntry, ProviderStatus } from '#contract'
import type { BenchError, Problem } from '#prelude'
import { runErrors } from './errors.ts'
import { findModel, type NamedModel } from './find-model.ts'

/** The part of a contender that says which model it needs; null where a named Mode decides. */
export interface NeededModel extends NamedModel {
  readonly id: string
}

/** Why a contender cannot run on a target. */
export type Unreadiness = 'notListed' | 'notInstalled' | 'keyMissing' | 'keyRefused'

/**
 * Why a contender cannot run on this target, or null.
 *
 * @param providers what the target last knew of its cloud providers: a model of theirs needs a key
 */
export function unreadiness(
  contender: NeededModel,
  models: readonly ModelEntry[],
  providers: readonly ProviderStatus[],
): Unreadiness | null {
  if (contender.model === null) return null
  const entry = findModel(contender, models)
  const provider = providers.find(({ id }) => id === (entry?.provider ?? contender.engine))
  // Some services do not list what a provider has until they have its key.
  if (entry === undefined) return provider?.key_present === false ? 'keyMissing' : 'notListed'
  if (!entry.installed) return 'notInstalled'
  if (provider?.key_present === false) return 'keyMissing'
  return provider?.status === 'unauthorized' ? 'keyRefused' : null
}

/**
 * Why a contender cannot post-process on a target, or null. Which language models a provider has, the API does not
 * say; whether it has a key, it does.
 */
export function editorUnreadiness(
  { engine }: Pick<NeededModel, 'engine'>,
  providers: readonly ProviderStatus[],
): Unreadiness | null {
  const provider = providers.find(({ id }) => id === engine)
  if (provider?.key_present === false) return 'keyMissing'
  return provider?.status === 'unauthorized' ? 'keyRefused' : null
}

/** The same in words. */
export const unreadyReasons: Readonly<Record<Unreadiness, string>> = {
  notListed: 'the target does not list this model',
  notInstalled: 'the target has not installed this model',
  keyMissing: 'the target has no key for its provider',
  keyRefused: 'the provider refuses the key that the target has',
}

/**
 * @param contenders those that are not ready, with the reason
 * @param models what the target has
 */
export function modelMissing(
  contenders: readonly (NeededModel & { readonly reason: Unreadiness })[],
  models: readonly ModelEntry[],
  target: {
    readonly description: string
    readonly isEmbedded: boolean
    readonly readyCount: number
    readonly doctor: string
  },
): BenchError {
  const installed = models
    .filter((entry) => entry.kind !== 'text' && entry.installed)
    .map((entry) => entry.id)
  const problems: Problem[] = contenders.map(({ id, model, reason }) => ({
    where: id,
    what: `${model}: ${unreadyReasons[reason]}`,
  }))
  const installable = contenders.filter(({ reason }) => reason === 'notInstalled').map(({ model }) => model)
  const hints = [
    ...(installable.length === 0 ? [] : [installHint(installable.join(' '), target.isEmbedded)]),
    ...(contenders.some(({ reason }) => reason === 'keyMissing' || reason === 'keyRefused')
      ? ['give the target the key of the provider, in its settings or its environment']
      : []),
    ...(contenders.every(({ reason }) => reason !== 'notListed')
      ? []
      : [`see which models there are: ${target.doctor}`]),
    ...(target.readyCount === 0 ? [] : [`measure the other ${target.readyCount} with --skip-unready`]),
  ]
  const names = contenders.map(({ model }) => model).join(', ')
  return runErrors.make('TARGET_MODEL_MISSING', {
    message: `${names} cannot be measured on ${target.description}; installed there: ${installed.join(', ') || 'nothing'}`,
    hint: hints.join('; or '),
    problems,
  })
}

function installHint(models: string, isEmbedded: boolean): string {
  return isEmbedded
    ? `asrbench models install ${models}`
    : `install ${models} in the application's library, or with asrbench models install where it is our service`
}
