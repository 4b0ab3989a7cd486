import type { HealthProblem } from '#contract'
import type { ServiceEvent } from './service-event.ts'

/** Which models were to be loaded at the start, and could not be. One that is loaded later is no problem any more. */
export interface WarmUpProblems {
  observe(event: ServiceEvent): void
  list(): readonly HealthProblem[]
}

export function createWarmUpProblems(): WarmUpProblems {
  const reasons = new Map<string, string>()
  return {
    observe(event) {
      if (event.kind === 'warmUpFailed') reasons.set(event.model, event.reason)
      if (event.kind === 'modelLoaded') reasons.delete(event.model)
    },
    list: () => Array.from(reasons, ([model, reason]) => ({ model, reason })),
  }
}
