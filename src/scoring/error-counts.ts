import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

const count = z.int().min(0)

/** What an alignment found, in words or in characters. */
export const errorCountsSchema = z
  .strictObject({
    hits: count.describe('H: tokens that are right.'),
    substitutions: count.describe('S: tokens that were recognised as another one.'),
    deletions: count.describe('D: tokens of the reference that are missing.'),
    insertions: count.describe('I: tokens that the reference does not have.'),
  })
  .meta({ id: 'ErrorCounts', description: 'What an alignment found, in words or in characters.' })
export type ErrorCounts = DeepReadonly<z.infer<typeof errorCountsSchema>>
