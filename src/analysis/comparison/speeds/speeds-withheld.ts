import { isLoopbackHost } from '#contract'
import { evaluatedLoad } from '../../figures/evaluated-load.ts'
import { type HostSpeedDifference, hostSpeedDifference } from '../../figures/machine/host-speed.ts'
import type { ComparableRun } from '../comparable-run.ts'
import { describeMachine } from '../conditions.ts'

/** Why the speeds of two sides are not comparable. */
export interface Withheld {
  /** All reasons in one sentence; null where there is none. */
  readonly reason: string | null
  /** How far apart the speeds of the machine itself were; null where they were not. */
  readonly hostSpeed: HostSpeedDifference | null
}

/**
 * Whether the speeds of two sides are comparable. Accuracy does not depend on the load or the machine,
 * and is compared all the same.
 */
export function speedsWithheld(base: readonly ComparableRun[], run: readonly ComparableRun[]): Withheld {
  const recordsOf = (side: readonly ComparableRun[]): ComparableRun['record'][] =>
    side.map(({ record }) => record)
  const all = [...recordsOf(base), ...recordsOf(run)]
  // A server elsewhere is as fast as it was, however fast the machine that asks it.
  const hostSpeed = all.every(isAskedHere) ? hostSpeedDifference(recordsOf(base), recordsOf(run)) : null
  const isOne = (of: (record: ComparableRun['record']) => string): boolean => new Set(all.map(of)).size === 1
  const isSameMachine = isOne(({ host }) => describeMachine(host))
  const reasons = [
    isOne((record) => evaluatedLoad(record).description) ? [] : ['another load'],
    isSameMachine ? [] : ['another machine'],
    hostSpeed === null || !isSameMachine ? [] : ['another host speed'],
  ].flat()
  return { reason: reasons.length === 0 ? null : `not comparable: ${reasons.join(', ')}`, hostSpeed }
}

function isAskedHere({ target, targets }: ComparableRun['record']): boolean {
  return (targets ?? [target]).every(
    ({ baseUrl }) => URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname),
  )
}
