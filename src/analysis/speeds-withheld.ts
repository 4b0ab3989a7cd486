import { describeMachine } from './conditions.ts'
import type { ScoredRun } from './evaluate-run.ts'
import { evaluatedLoad } from './evaluated-load.ts'

/**
 * Why the speeds of two sides are not to be held against each other, all reasons in one sentence; null where they are.
 * Accuracy does not hang on the load or the machine, and is compared all the same.
 */
export function speedsWithheld(base: readonly ScoredRun[], run: readonly ScoredRun[]): string | null {
  const reasons = [
    { what: 'load', of: ({ record }: ScoredRun): string => evaluatedLoad(record).description },
    { what: 'machine', of: ({ record }: ScoredRun): string => describeMachine(record.host) },
  ].flatMap(({ what, of }) => {
    return new Set([...base, ...run].map(of)).size === 1 ? [] : [`another ${what}`]
  })
  return reasons.length === 0 ? null : `not comparable: ${reasons.join(', ')}`
}
