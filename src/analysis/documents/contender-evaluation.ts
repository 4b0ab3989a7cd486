import type { z } from 'zod'
import { recordedContenderSchema } from '#journal/run-record'
import type { DeepReadonly } from '#prelude'
import { count, group, list, nullableNumber, number, orNull, part, text } from '#prelude/document-fields'
import { accuracyFields } from './accuracy.ts'
import { moneySpentSchema } from './costs.ts'
import { latencyFields } from './latency.ts'
import { resourceFields } from './resources.ts'
import { speedFields } from './speed.ts'

const rateLimitWaitsSchema = group({
  refusedCount: count.describe('Refusals after which the request was sent again.'),
  waitedSeconds: number.describe(
    'Seconds in which nothing was sent because of it; in no latency and no speed.',
  ),
})
export type RateLimitWaits = DeepReadonly<z.infer<typeof rateLimitWaitsSchema>>

const reusedAnswersSchema = part('ReusedAnswers', 'Answers of earlier runs that are scored again.', {
  count: count.describe('Answers; they are in the error rates, and in no time, speed or cost.'),
  runs: list(text).describe('Ids of the runs that received them.'),
  oldestAt: text.describe('When the oldest of them was received, ISO 8601, UTC.'),
})
export type ReusedAnswers = DeepReadonly<z.infer<typeof reusedAnswersSchema>>

const requestsInTime = part('RequestsInTime', 'How many requests, in which time.', {
  requestCount: count.describe('Requests.'),
  seconds: nullableNumber.describe('In how many seconds; null where nothing fixes that.'),
  requestsPerSecond: nullableNumber.describe('Requests a second; null where there is no time to divide by.'),
})

const loadPhaseSchema = part('LoadPhase', 'A part of a load that is meant to be alike, as it was sent.', {
  description: text.describe('What the load is meant to be: `18/s for 12 s`.'),
  offered: requestsInTime.describe(
    'Planned, over all rounds. A closed load and users offer no rate: they wait for answers.',
  ),
  sent: requestsInTime.describe(
    'Requests that left in this phase, by the moment at which they did, repeats included.',
  ),
})
export type LoadPhase = DeepReadonly<z.infer<typeof loadPhaseSchema>>

/** The figures of one contender. Those of a subject stand in its file, with their meanings as metrics. */
export const contenderEvaluationSchema = part('ContenderEvaluation', 'The figures of one contender.', {
  contender: recordedContenderSchema.describe('What is under test, as in `run.json`.'),
  loadPhases: list(loadPhaseSchema).describe('The load as it was offered and sent, in order of time.'),
  reused: reusedAnswersSchema
    .optional()
    .describe('Answers of earlier runs among `answered`; absent where all were received in this run.'),
  ...accuracyFields,
  ...latencyFields,
  sentAgain: group({
    requestCount: count.describe(
      'Requests that were sent again, but not after a pause for a rate limit alone.',
    ),
    answeredCount: count.describe('Requests of them that were answered in the end.'),
  }).describe('Requests that were sent again.'),
  rateLimit: rateLimitWaitsSchema.describe(
    'Refusals for a rate limit that were waited out, warm-up not included.',
  ),
  ...speedFields,
  ...resourceFields,
  cost: orNull(moneySpentSchema).describe('What the audio cost; null without a price.'),
})
export type ContenderEvaluation = DeepReadonly<z.infer<typeof contenderEvaluationSchema>>
