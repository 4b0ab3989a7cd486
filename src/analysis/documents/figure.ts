import { z } from 'zod'

/** Absent is never 0. */
export const absentSchema = z
  .strictObject({
    value: z.null().describe('There is no value.'),
    reason: z.string().describe('Why there is none.'),
  })
  .meta({ id: 'Absent', description: 'The reason why a figure is absent. An absent figure is never 0.' })

/** A figure, or the reason why there is none. */
export type Figure<Present> = Present | { readonly value: null; readonly reason: string }
