import { z } from 'zod'
import { systemsScoreSchema } from './systems-score.ts'
import { scoredTextSchema, textScoreSchema } from './text-score.ts'

/** JSON Schemas of what `transcribench wer --json` prints: of one file of hypotheses, and of several. */
export function ratesJsonSchemas(): Readonly<Record<'text-score' | 'systems-score', unknown>> {
  const rows = z.array(scoredTextSchema).describe('Every utterance, in the order of the files.')
  return {
    'text-score': z.toJSONSchema(textScoreSchema.extend({ rows })),
    'systems-score': z.toJSONSchema(systemsScoreSchema),
  }
}
