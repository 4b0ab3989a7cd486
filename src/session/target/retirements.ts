import type { TargetWarning } from '#client'
import type { ContenderConfig } from '#config'
import { retirementOf } from '#providers'
import { type AnyTarget, isServer } from './open-server.ts'

/** Models of contenders that stop answering, by what their server lists and by what is known of their provider. */
export function retirementWarnings(
  contenders: readonly Pick<ContenderConfig, 'engine' | 'model'>[],
  target: AnyTarget,
): readonly TargetWarning[] {
  const messages = contenders.flatMap(({ engine, model }) => {
    const message = model === null ? null : retirementText(model, { engine, target })
    return message === null ? [] : [message]
  })
  return [...new Set(messages)].map((message) => ({
    code: 'MODEL_RETIRES',
    message,
    hint: 'measure its successor next to it',
  }))
}

/** When a model stops answering, in words; null where nothing is known of it. */
export function retirementText(
  model: string,
  { engine, target }: { readonly engine: string | null; readonly target: AnyTarget },
): string | null {
  const listed = isServer(target) ? target.shutdownDates.get(model) : undefined
  const known = retirementOf((isServer(target) ? target.provider?.id : null) ?? engine ?? '', model)
  return known ?? (listed === undefined ? null : `${model} is shut down on ${listed}, as its server lists it`)
}
