import type { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { number, orNull, part } from '#prelude/document-fields'

export const boundsSchema = part('Bounds', 'The two ends of an interval.', {
  low: number.describe('Lower end, in the unit of the bounded value.'),
  high: number.describe('Upper end, in the unit of the bounded value.'),
})
export type Bounds = DeepReadonly<z.infer<typeof boundsSchema>>

/** Applies an increasing function to both bounds. */
export function mapBounds(bounds: Bounds | null, change: (end: number) => number): Bounds | null {
  return bounds === null ? null : { low: change(bounds.low), high: change(bounds.high) }
}

export const fittedValueSchema = part(
  'FittedValue',
  'A fitted value with its interval, both in the same unit.',
  {
    value: number.describe('Fitted value.'),
    interval: orNull(boundsSchema).describe(
      'Its 95 % interval; null without degrees of freedom and where the points pull the line in several directions.',
    ),
  },
)
export type FittedValue = DeepReadonly<z.infer<typeof fittedValueSchema>>
