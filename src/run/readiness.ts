import type { ModelEntry } from '#contract'
import type { BenchError, Problem } from '#prelude'
import { runErrors } from './errors.ts'

/** The part of a contender that says which model it needs; null where a named Mode decides. */
export interface NeededModel {
  readonly id: string
  readonly model: string | null
}

/** Why a contender cannot run on a target. */
export type Unreadiness = 'notListed' | 'notInstalled'

/** Why a contender cannot run on this target, or null. */
export function unreadiness({ model }: NeededModel, models: readonly ModelEntry[]): Unreadiness | null {
  if (model === null) return null
  const entry = models.find((candidate) => candidate.id === model)
  if (entry === undefined) return 'notListed'
  return entry.installed ? null : 'notInstalled'
}

/** The same in words. */
export const unreadyReasons: Readonly<Record<Unreadiness, string>> = {
  notListed: 'the target does not list this model',
  notInstalled: 'the target has not installed this model',
}

/**
 * @param contenders those that are not ready, with the reason
 * @param models what the target has
 */
export function modelMissing(
  contenders: readonly (NeededModel & { readonly reason: Unreadiness })[],
  models: readonly ModelEntry[],
  target: { readonly description: string; readonly isEmbedded: boolean; readonly readyCount: number },
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
    ...(installable.length === contenders.length ? [] : ['see which models there are: asrbench doctor']),
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
