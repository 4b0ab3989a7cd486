import { z } from 'zod'
import { systemSchema, systemsScoreSchema } from './systems-score.ts'
import { scoredTextSchema, textScoreSchema } from './text-score.ts'

/** The score of a system is a separate document. */
const system = systemSchema.extend({
  score: z
    .unknown()
    .meta({ $ref: 'text-score.schema.json' })
    .describe(systemSchema.shape.score.description ?? ''),
})

/** JSON Schemas of what `transcribench wer --json` prints: of one file of hypotheses, and of several. */
export function ratesJsonSchemas(): Readonly<Record<'text-score' | 'systems-score', unknown>> {
  const { systems } = systemsScoreSchema.shape
  const rows = z
    .array(scoredTextSchema)
    .optional()
    .describe('Every utterance, in the order of the files; absent in the score of one of several systems.')
  return {
    'text-score': z.toJSONSchema(textScoreSchema.extend({ rows })),
    'systems-score': z.toJSONSchema(
      systemsScoreSchema.extend({ systems: z.array(system).describe(systems.description ?? '') }),
    ),
  }
}
