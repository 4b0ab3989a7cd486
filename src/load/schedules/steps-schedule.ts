import { inWords } from '../wording.ts'
import type { Schedule } from './schedule.ts'
import { type Spacing, varyingSchedule } from './varying-schedule.ts'

/** One level of load. */
export interface Step {
  /** Requests per second, from 0: a step of 0 shows how long a server takes to recover. */
  readonly perSecond: number
  readonly forSeconds: number
}

export interface Steps extends Spacing {
  /** At least one, and one of them above 0. */
  readonly steps: readonly Step[]
}

/**
 * Sends at one rate after the other, without a pause in between.
 *
 *   rate │            ┌──────┐
 *        │     ┌──────┘      │
 *        │─────┘             └─────
 *        └─────┴──────┴──────┴───── t
 *
 * @throws RangeError for no steps, rates below 0 or all 0, or a length that is no number above 0
 */
export function stepsSchedule({ steps, ...spacing }: Steps): Schedule {
  return varyingSchedule(
    describeSteps(steps),
    steps.map(({ perSecond, forSeconds }) => ({
      fromPerSecond: perSecond,
      toPerSecond: perSecond,
      seconds: forSeconds,
    })),
    spacing,
  )
}

/** The length is told once where all steps have the same. */
function describeSteps(steps: readonly Step[]): string {
  const [first] = steps
  if (first !== undefined && steps.every(({ forSeconds }) => forSeconds === first.forSeconds)) {
    const rates = steps.map(({ perSecond }) => inWords(perSecond)).join(', ')
    return `steps of ${inWords(first.forSeconds)} s at ${rates} requests/s`
  }
  const each = steps.map(({ perSecond, forSeconds }) => `${inWords(perSecond)} for ${inWords(forSeconds)} s`)
  return `steps of requests/s: ${each.join(', ')}`
}
