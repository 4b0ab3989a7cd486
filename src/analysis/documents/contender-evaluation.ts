import { z } from 'zod'
import { recordedContenderSchema, runCountsSchema } from '#journal/run-record'
import type { DeepReadonly } from '#prelude'
import {
  count,
  group,
  list,
  nullableCount,
  nullableNumber,
  nullableShare,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { errorRateSchema } from '#rates/documents'
import { cpuCostSchema, energySchema } from './resources.ts'
import {
  durationLatencySchema,
  latencyModelSchema,
  modelLoadingSchema,
  percentileSetSchema,
  phasesSchema,
  systemSpeedSchema,
  untilSteadySchema,
  warmUpSchema,
} from './speed.ts'

const source = text.describe('Where the price was read.')
const date = text.describe('When it was read there.')

/** Cost of a contender's audio in US dollars, by the price in the config. The contender has the source of the price. */
const moneySpentSchema = part('MoneySpent', 'What the audio of a contender cost.', {
  usdPerAudioHour: number.describe('US dollars for an hour of audio, as it is billed.'),
  audioSeconds: number.describe('Audio that was sent, warm-up and repeats included, in seconds.'),
  usd: number.describe('US dollars for it.'),
})
export type MoneySpent = DeepReadonly<z.infer<typeof moneySpentSchema>>

const localRunCostSchema = group({
  contenderId: text.describe('The contender.'),
  energyUsdPerAudioHour: number.describe(
    'US dollars for an hour of audio, in addition to the idle machine: estimated from processor seconds.',
  ),
  maxAudioHoursPerDay: number.describe('Hours of audio that it can do in a day at the speed of this run.'),
})

const contenderId = nullableText.describe(
  'Contender on this machine; null where none was measured, and the energy for the audio is not included.',
)
const localBreakEvenSchema = z
  .union([
    group({
      contenderId,
      kind: z.literal('never').describe('The provider is always cheaper.'),
    }),
    group({
      contenderId,
      kind: oneOf(['at', 'beyondOneMachine']).describe(
        'At so much audio, which one machine can or cannot do.',
      ),
      audioHoursPerDay: number.describe('Hours of audio per day.'),
    }),
  ])
  .meta({ id: 'LocalBreakEven', description: "From how much audio a day a machine of one's own is cheaper." })
export type LocalBreakEven = DeepReadonly<z.infer<typeof localBreakEvenSchema>>

const providerRunCostSchema = group({
  contenderId: text.describe('The contender.'),
  usdPerAudioHour: number.describe('US dollars for an hour of audio of these lengths, as they are billed.'),
  usd: number.describe('US dollars for the audio of this run.'),
  source,
  date,
  breakEven: list(localBreakEvenSchema).describe(
    "From how much audio a day a machine of one's own is cheaper, by each local contender.",
  ),
})
export type ProviderRunCost = DeepReadonly<z.infer<typeof providerRunCostSchema>>

export const runCostsSchema = part(
  'RunCosts',
  "What providers ask, next to a machine of one's own, in US dollars.",
  {
    machine: group({
      usdPerDay: number.describe('US dollars a day, whether it transcribes or not.'),
      idleEnergyUsdPerDay: number.describe('US dollars a day for the energy of the idle machine.'),
      source,
      date,
    }).describe("What a machine of one's own costs."),
    local: list(localRunCostSchema).describe('Contenders that transcribe on this machine.'),
    providers: list(providerRunCostSchema).describe('Contenders with a price.'),
  },
)
export type RunCosts = DeepReadonly<z.infer<typeof runCostsSchema>>

const failureReasonSchema = group({
  message: text.describe('Message of the server or the system.'),
  hint: nullableText.describe('Advice of the server; null where it gave none.'),
  count: count.describe('How often.'),
})

const failureGroupSchema = part('FailureGroup', 'Failures of one kind.', {
  label: text.describe('The code that they are counted by.'),
  count: count.describe('Failed requests.'),
  reasons: list(failureReasonSchema).describe('The most frequent messages first, 3 at most.'),
})
export type FailureGroup = DeepReadonly<z.infer<typeof failureGroupSchema>>

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

export const contenderEvaluationSchema = part('ContenderEvaluation', 'The figures of one contender.', {
  contender: recordedContenderSchema.describe('What is under test, as in `run.json`.'),
  counts: runCountsSchema.describe('Requests by what became of them.'),
  loadPhases: list(loadPhaseSchema).describe('The load as it was offered and sent, in order of time.'),
  reused: reusedAnswersSchema
    .optional()
    .describe('Answers of earlier runs among `answered`; absent where all were received in this run.'),
  failures: list(failureGroupSchema).describe('The most frequent first.'),
  failureRate: nullableShare.describe('failed / (answered + failed), 0..1; null when nothing was sent.'),
  scoredCount: count.describe('Answers that were compared with their reference.'),
  noSpeechCount: count.describe(
    'Refusals that mean "no speech": scored as an empty transcript, and among `answered`.',
  ),
  utteranceCount: count.describe('Utterances behind the rates.'),
  speakerCount: nullableCount.describe('Speakers behind the rates; null where one is unknown.'),
  coverage: nullableShare.describe('scored / planned, 0..1; null when nothing was planned.'),
  words: errorRateSchema.describe('Word error rate of scored requests.'),
  characters: errorRateSchema.describe('Character error rate of scored requests.'),
  sentenceErrorRate: nullableShare.describe(
    'Share of scored requests with at least one word error, 0..1; null where none was scored.',
  ),
  wordsWithFailuresAsEmpty: errorRateSchema.describe(
    'As `words`, with every failed request counted as an empty transcript; what was not sent is in no sum.',
  ),
  charactersWithFailuresAsEmpty: errorRateSchema.describe('As `characters`, in the same way.'),
  meanUtteranceWordErrorRate: nullableNumber.describe(
    "Mean of the utterances' own rates: shown second, never ranked by. Null where nothing was scored.",
  ),
  leftOut: group({
    rampCount: count.describe('Sent while the load built up.'),
    drainCount: count.describe('Sent while the load ran out.'),
  }).describe('Answered requests that are in no percentile.'),
  latencyMs: percentileSetSchema.describe(
    'Latency in milliseconds, answered requests of the steady part: response time from the due moment (open load, concurrent ' +
      'users), service time (closed load).',
  ),
  firstAttemptMs: percentileSetSchema.describe(
    'Of the first attempt alone, whatever its result, in milliseconds: latency without the cost of repeats.',
  ),
  sentAgain: group({
    requestCount: count.describe('Requests that were sent more than once.'),
    answeredCount: count.describe('Requests of them that were answered in the end.'),
  }).describe('Requests with several attempts.'),
  rateLimit: rateLimitWaitsSchema.describe(
    'Refusals for a rate limit that were waited out, warm-up not included.',
  ),
  serviceMs: percentileSetSchema.describe(
    'From the sending to the last byte of the answer, in milliseconds; equal to latency under a closed load.',
  ),
  latencyByDuration: list(durationLatencySchema).describe(
    'Latency by the length of the audio, the shortest first: a p95 over mixed lengths is that of the longest.',
  ),
  latencyModel: latencyModelSchema.describe(
    'What a request costs before its audio, and what each second of audio costs.',
  ),
  realTimeFactor: percentileSetSchema.describe('Service time / audio length of answered requests.'),
  systemSpeed: systemSpeedSchema.describe('Audio seconds transcribed per second under the load.'),
  serverDecodeMs: percentileSetSchema.describe('Decoding as the server reports it, in milliseconds.'),
  serverLatencyMs: percentileSetSchema.describe('Latency as the server reports it, in milliseconds.'),
  cpuSecondsPerAudioSecond: cpuCostSchema.describe('Processor time of the server for each second of audio.'),
  energy: energySchema
    .optional()
    .describe('Energy of the machine for each hour of audio; absent without any sample.'),
  postProcessedRate: nullableShare.describe(
    'Share of answered texts that a language model edited, 0..1; null for transcriptions.',
  ),
  firstRequestMs: nullableNumber.describe(
    "Service time of the warm-up's first request, which includes loading the model, in milliseconds; null without one.",
  ),
  modelLoadingMs: modelLoadingSchema.describe('Loading the model, in milliseconds; in no other figure.'),
  untilSteadyMs: untilSteadySchema.describe(
    'Time until the throughput was steady, in milliseconds; in no other figure.',
  ),
  warmUp: warmUpSchema.describe('The requests before anything was measured.'),
  phases: phasesSchema.describe('What answered requests spent their service time on.'),
  cost: orNull(moneySpentSchema).describe('What the audio cost; null without a price.'),
})
export type ContenderEvaluation = DeepReadonly<z.infer<typeof contenderEvaluationSchema>>
