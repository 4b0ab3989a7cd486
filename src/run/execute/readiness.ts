import type { ModelEntry, ProviderStatus } from '#contract/resources'
import { type BenchError, nearest, type Problem } from '#prelude'
import { runErrors } from './errors.ts'

/** The part of a contender that names its model; the model is null if a named Mode decides. */
export interface NeededModel extends NamedModel {
  readonly id: string
}

/** Engines by name. The value is the environment variable of the missing key of a provider, otherwise null. */
export type KnownEngines = ReadonlyMap<string, string | null>

/** Why a contender cannot run on a target. */
export type Unreadiness = 'noEngine' | 'notListed' | 'notInstalled' | 'keyMissing' | 'keyRefused'

/**
 * Why a contender cannot run on this target, or null.
 *
 * @param providers last known state of the target's cloud providers, whose models need a key
 * @param engines that a contender may name, with the variable of a missing key; null if unknown
 */
export function unreadiness(
  contender: NeededModel,
  models: readonly ModelEntry[],
  providers: readonly ProviderStatus[],
  engines: KnownEngines | null = null,
): Unreadiness | null {
  if (contender.model === null) return null
  const { engine } = contender
  // `cloud` stands for any provider that has the model.
  const isEngine = engines === null || engine === null || engine === 'cloud' || engines.has(engine)
  if (!isEngine) return 'noEngine'
  const entry = findModel(contender, models)
  const provider = providers.find(({ id }) => id === (entry?.provider ?? engine))
  // Some services do not list a provider's models before they have its key.
  if (entry === undefined) return provider?.key_present === false ? 'keyMissing' : 'notListed'
  if (!entry.installed) return 'notInstalled'
  if (provider?.key_present === false) return 'keyMissing'
  return provider?.status === 'unauthorized' ? 'keyRefused' : null
}

/**
 * Why a contender cannot post-process on a target, or null. The API does not list the language models of a provider,
 * but reports whether it has a key.
 */
export function editorUnreadiness(
  { engine }: Pick<NeededModel, 'engine'>,
  providers: readonly ProviderStatus[],
): Unreadiness | null {
  const provider = providers.find(({ id }) => id === engine)
  if (provider?.key_present === false) return 'keyMissing'
  return provider?.status === 'unauthorized' ? 'keyRefused' : null
}

export const unreadyReasons: Readonly<Record<Unreadiness, string>> = {
  noEngine: 'the target has no engine of this name',
  notListed: 'the target does not list this model',
  notInstalled: 'the target has not installed this model',
  keyMissing: 'the target has no key for its provider',
  keyRefused: 'the provider refuses the key that the target has',
}

/**
 * @param contenders those that are not ready, with the reason
 * @param models of the target
 */
export function modelMissing(
  contenders: readonly (NeededModel & { readonly reason: Unreadiness })[],
  models: readonly ModelEntry[],
  target: {
    readonly description: string
    readonly isEmbedded: boolean
    readonly readyCount: number
    readonly doctor: string
    readonly engines: KnownEngines | null
  },
): BenchError {
  const installed = models
    .filter((entry) => entry.kind !== 'text' && entry.installed)
    .map((entry) => entry.id)
  const problems: Problem[] = contenders.map(({ id, engine, model, reason }) => {
    const meant = reason === 'notListed' && model !== null ? nearest(model, installed) : null
    return {
      where: id,
      what:
        reason === 'noEngine'
          ? `there is no engine "${engine}" there; engines: ${[...(target.engines?.keys() ?? [])].join(', ')}`
          : `${model === null || model === id ? '' : `${model}: `}${unreadyReasons[reason]}`,
      ...(meant === null ? {} : { hint: `did you mean "${meant}"?` }),
    }
  })
  const installable = contenders.filter(({ reason }) => reason === 'notInstalled').map(({ model }) => model)
  const hints = [
    ...(installable.length === 0 ? [] : [installHint(installable.join(' '), target.isEmbedded)]),
    ...keyHints(contenders, target.engines),
    ...(contenders.some(({ reason }) => reason === 'notListed' || reason === 'noEngine')
      ? [`see which models there are: ${target.doctor}`, ...(target.isEmbedded ? [moreEngines] : [])]
      : []),
    ...(target.readyCount === 0 ? [] : [`measure the other ${target.readyCount} with --skip-unready`]),
  ]
  const names = contenders.map(({ id, model }) => model ?? id).join(', ')
  return runErrors.make('TARGET_MODEL_MISSING', {
    message: `${names} cannot be measured on ${target.description}; installed there: ${installed.join(', ') || 'nothing'}`,
    hint: hints.join('; or '),
    problems,
  })
}

/** Hints for missing keys. The built-in service reads keys from the environment of the command that starts it. */
function keyHints(
  contenders: readonly (NeededModel & { readonly reason: Unreadiness })[],
  engines: KnownEngines | null,
): readonly string[] {
  const keyless = contenders.filter(({ reason }) => reason === 'keyMissing' || reason === 'keyRefused')
  if (keyless.length === 0) return []
  const variables = new Set(keyless.flatMap(({ engine }) => engines?.get(engine ?? '') ?? []))
  return variables.size > 0
    ? [`set the key in the environment of this command: ${[...variables].join(', ')}`]
    : ['give the target the key of the provider, in its settings or its environment']
}

const moreEngines =
  'offer more: weights that you have with transcribench models add <name> --family <family> --path <folder>, programs and servers ' +
  'with --engines <file> (docs/engines.md)'

function installHint(models: string, isEmbedded: boolean): string {
  return isEmbedded
    ? `transcribench models install ${models}`
    : `install ${models} in the application's library, or with transcribench models install where it is our service`
}

/** The part of a contender that names a model. */
export interface NamedModel {
  readonly engine: string | null
  readonly model: string | null
}

/**
 * The entry of `GET /models` that a contender names. A local engine and a cloud provider may have models with one id.
 * The contender's engine distinguishes them: for a cloud contender it is the provider, or `cloud`.
 *
 * @returns undefined if no voice model has the id
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
