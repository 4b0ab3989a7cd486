import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { nullableNumber, nullableText, text } from './scalars.ts'

/** One of several targets of a run. */
export const evaluatedTargetSchema = z
  .strictObject({
    id: text.describe('As the config names it.'),
    kind: z
      .enum(['embedded', 'discovered', 'address', 'openai', 'provider'])
      .describe('What it is, as in `run.json`.'),
    baseUrl: text.describe('Where requests were sent, without credentials.'),
    serviceVersion: nullableText.describe('Version of the service; null where it reports none.'),
    machine: text.describe('`this machine`, or the name of the host.'),
    roundTripMs: nullableNumber.describe(
      'Median time to connect to the host, measured before the run, in milliseconds; null where unknown.',
    ),
    contenderIds: z.array(text).describe('Its contenders.'),
  })
  .meta({ id: 'EvaluatedTarget', description: 'One of several targets of a run.' })
export type EvaluatedTarget = DeepReadonly<z.infer<typeof evaluatedTargetSchema>>
