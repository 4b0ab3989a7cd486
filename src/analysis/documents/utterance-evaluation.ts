import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { errorCountsSchema } from '#scoring/shapes'
import { requestPhasesSchema } from './latency.ts'
import { count, nullableNumber, nullableText, number, text } from './scalars.ts'

/**
 * Where in its block a request was sent: while the load built up, while it was steady, or while it ran out.
 *
 *   in flight │      ┌──────────────────┐
 *             │   ┌──┘                  └──┐
 *             │ ──┘                        └──
 *             └──ramp──┴─────steady─────┴─drain──► time
 */
const windowPartSchema = z.enum(['ramp', 'steady', 'drain'])
export type WindowPart = z.infer<typeof windowPartSchema>

/** One planned request, scored. */
export const utteranceEvaluationSchema = z
  .strictObject({
    requestIndex: count.describe('Position in the plan, from 0.'),
    contenderId: text.describe('The contender.'),
    utteranceId: text.describe('The utterance.'),
    round: count.describe('Pass over the corpus, from 1.'),
    status: z.enum(['scored', 'failed', 'dropped', 'notSent']).describe('What became of the request.'),
    reusedFrom: text
      .optional()
      .describe('Id of the run that received the answer; it has no times here. Absent where it was sent.'),
    window: windowPartSchema
      .nullable()
      .describe('Sent while the load built up, was steady, or ran out; null where it was not sent.'),
    failure: nullableText.describe('The code that the failure is counted by; null unless it failed.'),
    failureMessage: nullableText.describe('Message of the server or the system; null unless it failed.'),
    failureHint: nullableText.describe(
      'Advice of the server; null unless it failed, and where it gave none.',
    ),
    saidNoSpeech: z
      .boolean()
      .describe('The server reported "no speech" as an error; scored as an empty transcript.'),
    audioSeconds: number.describe('Length of the audio in seconds.'),
    latencyMs: nullableNumber.describe(
      'In milliseconds, from the due moment (open load) or the sending (closed load); null unless scored.',
    ),
    attemptCount: count.describe('How often it was sent.'),
    firstAttemptMs: nullableNumber.describe(
      'Latency of the first attempt alone, in milliseconds; `latencyMs` includes repeats and the waits between them. Null ' +
        'where it was not sent.',
    ),
    serviceMs: nullableNumber.describe(
      'From the sending to the last byte, in milliseconds; null unless scored.',
    ),
    phases: requestPhasesSchema
      .nullable()
      .describe('What the service time was spent on; null where it was not recorded.'),
    realTimeFactor: nullableNumber.describe('Service time / audio length; null unless scored.'),
    serverDecodeMs: nullableNumber.describe('Decoding as the server reports it, in milliseconds; else null.'),
    serverLatencyMs: nullableNumber.describe('Latency as the server reports it, in milliseconds; else null.'),
    reference: text.describe(
      'The text that was compared: of several accepted ones, the best for this answer.',
    ),
    hypothesis: nullableText.describe('The answer as the server sent it; null unless scored.'),
    words: errorCountsSchema.nullable().describe('Word errors; null unless scored.'),
    characters: errorCountsSchema.nullable().describe('Character errors; null unless scored.'),
    wordErrorRate: nullableNumber.describe('Null where nothing was scored or the reference holds no words.'),
  })
  .meta({ id: 'UtteranceEvaluation', description: 'One planned request, scored.' })
export type UtteranceEvaluation = DeepReadonly<z.infer<typeof utteranceEvaluationSchema>>
export type AttemptStatus = UtteranceEvaluation['status']
