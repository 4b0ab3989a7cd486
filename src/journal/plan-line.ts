import { z } from 'zod'
import { plannedSend } from '#load/schedule'
import type { DeepReadonly } from '#prelude'
import { nullableText, text } from '#prelude/document-fields'
import { isLanguageTag } from '#prelude/languages'
import { entitySchema, timedTextSchema } from '#scoring/shapes'

/** The results of a run come from `measure`. `sweep` is a closed load of a capacity measurement. */
export const phases = ['warmup', 'measure', 'sweep'] as const

export const phase = z.enum(phases).meta({
  id: 'Phase',
  description: '`measure` is what a run is judged by; `sweep` is a closed load of a capacity measurement.',
})
export type Phase = z.infer<typeof phase>

/** Position of the block, as plan and journal record it. */
export const block = z
  .int()
  .describe(
    "Position of the contender's block in the run, from 0; -1 in the warm-up. In a block one contender is sent consecutive " +
      'requests: a part of a round, a round, or several.',
  )
export const round = z.int().describe('Pass over the corpus, from 1; 0 in the warm-up.')

export const plannedUtterance = z
  .object({
    kind: z.literal('utterance').describe('The first part of the file.'),
    id: text.describe('Id of the utterance.'),
    reference: text.describe('What was said.'),
    alternatives: z
      .array(text)
      .optional()
      .describe('Further texts that are as right as the reference; absent without any.'),
    hasChoices: z
      .boolean()
      .optional()
      .describe(
        'Whether the reference holds choices as NIST writes them, `{ a / b }`, `(uh)`; absent where not.',
      ),
    keywords: z
      .array(text)
      .optional()
      .describe('Words and phrases of the reference that matter most; absent without any.'),
    entities: z
      .array(entitySchema)
      .optional()
      .describe('Names, numbers and the like in the reference; absent without any.'),
    times: z
      .array(timedTextSchema)
      .optional()
      .describe('When the words or segments of the reference are spoken; absent where that is not known.'),
    durationSeconds: z.number().describe('Length of the recording in seconds.'),
    sha256: text.describe('SHA-256 of the audio file.'),
    // The profiles of scoring ask for properties of the language, which a malformed tag does not have.
    language: nullableText
      .refine((tag) => tag === null || isLanguageTag(tag), { error: 'is no BCP 47 tag' })
      .describe('BCP 47 tag; null where it is not known.'),
    speaker: nullableText.describe('Speaker; null where not known.'),
    tags: z.array(text).describe('Tags of the manifest.'),
    source: nullableText.describe('Source of the recording; null where not known.'),
    derived: z
      .object({
        parents: z.array(text).describe('Ids of the utterances that it was made from.'),
        ladder: z
          .object({
            parameter: text.describe('Parameter that the ladder varies, as `snr`.'),
            unit: text.describe('Unit of the values; empty for a ratio.'),
            harder: z
              .enum(['lower', 'higher'])
              .nullable()
              .describe('Which values are harder; null where both ends are.'),
            value: z.number().nullable().describe('Value of this utterance; null without the step.'),
          })
          .nullable()
          .describe('Its place on a ladder; null without one.'),
      })
      .optional()
      .describe('How `corpus derive` made it; absent for a recording.'),
    audio: text.describe('Path of the audio, relative to the corpus.'),
  })
  .meta({
    id: 'PlannedUtterance',
    description: 'One line per utterance, so that a run can be scored without its corpus.',
  })
export type PlannedUtterance = DeepReadonly<z.infer<typeof plannedUtterance>>

const plannedRequest = z
  .object({
    kind: z.literal('request').describe('The second part of the file.'),
    index: z.int().min(0).describe('Position in the plan, from 0; attempts refer to it.'),
    phase: phase.describe('Phase.'),
    round,
    block,
    contenderId: text.describe('Contender that it is sent to.'),
    utteranceId: text.describe('Utterance that is sent.'),
    send: plannedSend
      .nullable()
      .describe('What is known of its sending, from the start of the block; null in a capacity measurement.'),
  })
  .meta({ id: 'PlannedRequest', description: 'One line per request, in the order of sending.' })
export type PlannedRequest = DeepReadonly<z.infer<typeof plannedRequest>>

/** Parser of one line of `plan.jsonl`. */
export const planLine = z.discriminatedUnion('kind', [plannedUtterance, plannedRequest])
export type PlanLine = DeepReadonly<z.infer<typeof planLine>>
