import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, positive } from './loads.ts'

const milliseconds = z.number().nullable()
const seconds = z.number().nullable()

export const overload = z
  .strictObject({
    times: positive.describe('Offered load over the capacity: 2 for twice as much.'),
    perSecond: positive.describe('Offered requests per second.'),
    forSeconds: positive.describe('Duration of the overload in seconds.'),
    requests: count.describe('Requests that were due in the overload.'),
    answered: count.describe('Requests that were answered, those after the overload included.'),
    turnedAway: count.describe('Requests refused because the queue was full.'),
    failed: count.describe('Requests that failed in any other way.'),
    backlogAtEnd: count.describe('Requests in the system when the overload ended.'),
    backlogPerSecond: z.number().describe('Growth of the backlog in requests per second.'),
    recoverySeconds: seconds.describe(
      'Seconds from the end of the overload until the objective is met again; null where it was not in the measured time. ' +
        'It is met when a request meets it, and of the next twenty no more miss it than are allowed.',
    ),
    tooFewAfterwards: z
      .strictObject({
        requests: count.describe('Requests that were due after the overload.'),
        misses: count.describe('Of these, those that miss the objective.'),
      })
      .nullable()
      .describe('Present where too few requests followed to show a recovery; else null.'),
    isAlive: z.boolean().describe('Whether the last request, long after the overload, was answered.'),
    differing: count.describe('Texts that differ from those of the same recording alone.'),
    crossed: count.describe('Of these, texts of another recording.'),
    emptied: count.describe('Of these, texts without a word.'),
    compared: count.describe('Texts that were compared.'),
  })
  .meta({ id: 'Overload', description: 'A stretch above the capacity, and the recovery from it.' })
export type Overload = DeepReadonly<z.infer<typeof overload>>

export const interference = z
  .strictObject({
    perSecond: positive.describe('Short requests per second.'),
    longAudioSeconds: positive.describe('Mean length of the long recordings in seconds.'),
    longRequests: count.describe('Long recordings that were sent, one after the other.'),
    aloneP95Ms: milliseconds.describe(
      '95th percentile of the response time of short requests alone, in milliseconds; null without answers.',
    ),
    withLongP95Ms: milliseconds.describe(
      'The same next to long recordings, in milliseconds; null without answers.',
    ),
    requests: count.describe('Short requests of both parts.'),
  })
  .meta({ id: 'FoundInterference', description: 'Dictation alone, and next to long recordings.' })
export type FoundInterference = DeepReadonly<z.infer<typeof interference>>

export const cold = z
  .strictObject({
    startMs: milliseconds.describe(
      'Milliseconds from the start of the process until it answers; null where it was running already.',
    ),
    firstAnswerMs: milliseconds.describe('Milliseconds of the first answer; null where it was not measured.'),
    steadyAnswerMs: milliseconds.describe(
      'Milliseconds of the same request later; null where it was not measured.',
    ),
    twoWhileLoadingMs: z
      .tuple([z.number(), z.number()])
      .nullable()
      .describe(
        'Milliseconds of two simultaneous first requests to a model that is not loaded; null where not measured.',
      ),
    untilSteadyMs: milliseconds.describe(
      'Milliseconds until the throughput is 95 % of the steady one; null where that was not seen.',
    ),
    untilSteadyReason: z.string().nullable().describe('Why `untilSteadyMs` is null; null where it is not.'),
    afterIdleMs: milliseconds.describe(
      'Milliseconds of the first request after an idle time; null where not measured.',
    ),
    idleSeconds: seconds.describe('That idle time in seconds; null where not measured.'),
  })
  .meta({ id: 'FoundCold', description: 'The cold start of the service and its model.' })
export type FoundCold = DeepReadonly<z.infer<typeof cold>>
