import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { attemptLine } from './attempt-line.ts'

const text = z.string()

/** Parser of one line of `reused.jsonl`: a request that was not sent, because an earlier run has an answer to it. */
export const reusedLine = z
  .object({
    index: z.int().min(0).describe('`index` of the planned request.'),
    contenderId: text.describe('Contender that it is an answer of.'),
    utteranceId: text.describe('Utterance that it is an answer to.'),
    run: text.describe('Id of the run that received it.'),
    runIndex: z.int().min(0).describe('`index` of the request in that run.'),
    answeredAt: text.describe('When it was received, ISO 8601, UTC.'),
    outcome: attemptLine.shape.outcome,
  })
  .meta({
    id: 'ReusedLine',
    description:
      'One answer of an earlier run that is scored again, for accuracy alone; absent from the journal.',
  })
export type ReusedLine = DeepReadonly<z.infer<typeof reusedLine>>
