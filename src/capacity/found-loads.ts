import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, nonNegative, nullableNumber, nullableText, part, share } from '#prelude/document-fields'
import { boundsSchema } from '#statistics/bounds'

const interval = boundsSchema.describe('95 % confidence interval.')

const estimate = part('Estimate', 'An estimate with its interval.', {
  estimate: z.number().describe('Point estimate.'),
  interval,
})

export const load = part('LoadFigure', 'A load in three units.', {
  requestsPerSecond: nonNegative.describe('Requests per second.'),
  audioSecondsPerSecond: nonNegative.describe('Seconds of audio per second, or hours of audio per hour.'),
  concurrentUsers: nonNegative.describe(
    'Users who dictate at the same time, by the `habit` of the document.',
  ),
})
export type LoadFigure = DeepReadonly<z.infer<typeof load>>

export const verdict = z
  .enum(['met', 'violated', 'undecided'])
  .meta({ id: 'LevelVerdict', description: 'Three-way verdict at 95 % confidence.' })
export type LevelVerdict = z.infer<typeof verdict>

const objective = part('ObjectiveVerdict', 'An objective and its verdict at one load.', {
  objective: z.string().describe('The objective as the user wrote it.'),
  verdict: verdict.describe('Verdict on the objective at this load.'),
  misses: count.describe('Requests that miss the objective.'),
  requests: count.describe('Requests that were judged.'),
  missRate: z
    .strictObject({ estimate: share.describe('misses / requests, 0..1.'), interval })
    .nullable()
    .describe(
      'Share of the requests that miss, 0..1; its interval has the lower and the upper 95 % bound that the verdict uses, of independent requests only. Null without requests.',
    ),
  designEffect: z
    .number()
    .min(1)
    .describe('Requests per independent request, at least 1: requests that wait together miss together.'),
  moreNeeded: z
    .int()
    .nullable()
    .describe(
      'Further requests, all in time, after which the objective is met; null where it is decided, or more miss than are allowed.',
    ),
})
export type ObjectiveVerdict = DeepReadonly<z.infer<typeof objective>>

export const level = load
  .extend({
    achievedPerSecond: nonNegative.describe('Answers per second in the measured time.'),
    requests: count.describe('Requests that were due in the measured time.'),
    failureRate: share.describe('Share of the requests that failed, 0..1.'),
    p50Ms: nullableNumber.describe('Median response time in milliseconds; null without answers.'),
    p95Ms: nullableNumber.describe(
      '95th percentile of the response time in milliseconds; null without answers.',
    ),
    p99Ms: nullableNumber.describe(
      '99th percentile of the response time in milliseconds; null without answers.',
    ),
    meanInSystem: nonNegative.describe('Mean number of requests that wait or are worked on.'),
    backlogGrowth: z.number().describe('Growth of the backlog as a share of the arrivals.'),
    stability: verdict.describe('Met where the backlog is known not to grow.'),
    objectives: z.array(objective).describe('Every objective with its verdict.'),
    verdict: verdict.describe('Verdict on all objectives and the stability together.'),
    measuredSeconds: nonNegative.describe('Measured time in seconds, without warm-ups.'),
    differingTexts: count.describe('Texts that differ from those of the same recording alone.'),
    comparedTexts: count.describe('Texts that were compared with those of the same recording alone.'),
  })
  .meta({
    id: 'FoundLevel',
    description: 'One load. Response times count from the moment at which a request was due.',
  })
export type FoundLevel = DeepReadonly<z.infer<typeof level>>

export const capacity = part('FoundCapacity', 'The highest load at which the objectives are met.', {
  basis: z
    .enum(['measured', 'simulated'])
    .describe(
      '`measured` by open loads, or `simulated` from the sweep where open loads did not narrow it further.',
    ),
  estimate: load.describe('The highest load that meets the objectives.'),
  low: load.describe('Lower end of the 95 % interval.'),
  high: load.describe('Upper end of the 95 % interval.'),
  limitedBy: z
    .string()
    .nullable()
    .describe('The objective that is violated first; null where none is, up to the max of the server.'),
})
export type FoundCapacity = DeepReadonly<z.infer<typeof capacity>>

export const bounds = part('FoundBounds', 'The capacity by the verdicts on single loads alone.', {
  met: load
    .nullable()
    .describe('The highest load that meets the objectives, below all that violate them; null without one.'),
  violated: load.nullable().describe('The lowest load that violates them; null without one.'),
})
export type FoundBounds = DeepReadonly<z.infer<typeof bounds>>

const scaling = z
  .enum(['serialised', 'thrashing', 'scaling', 'levelling'])
  .meta({ id: 'Scaling', description: 'How the throughput changes with the number of requests in flight.' })
export type Scaling = z.infer<typeof scaling>

const countedUnit = z.enum(['words', 'characters'])
export type CountedUnit = z.infer<typeof countedUnit>

const sweepLevel = part('FoundSweepLevel', 'One number of requests in flight.', {
  inFlight: count.describe('Requests kept in flight.'),
  requestsPerSecond: nullableNumber.describe('Throughput in answers per second; null without a steady part.'),
  speed: nullableNumber.describe('Seconds of audio transcribed per second; null without a steady part.'),
  p50Ms: nullableNumber.describe('Median service time in milliseconds; null without a steady part.'),
  p95Ms: nullableNumber.describe(
    '95th percentile of the service time in milliseconds; null without a steady part.',
  ),
  comparedTexts: count.describe('Texts that were compared with those of the same recording alone.'),
  differingTexts: count.describe('Texts that differ from those of the same recording alone.'),
  failed: count.describe('Requests that failed.'),
  errorRate: nullableNumber.describe(
    'Error rate of the texts, in the unit of `leads`; null without references.',
  ),
  errorRateDifference: z
    .strictObject({
      estimate: z.number().describe('Point estimate.'),
      interval: interval.nullable().describe('95 % interval; null where resampling gives none.'),
    })
    .nullable()
    .describe('Error rate less that of the recordings alone; null without references.'),
  cpuSecondsPerAudioSecond: nullableNumber.describe(
    'Processor seconds of the server per second of audio; null where its process is not visible.',
  ),
  peakResidentBytes: nullableNumber.describe(
    'Peak resident memory of the server in bytes; null where its process is not visible.',
  ),
})
export type FoundSweepLevel = DeepReadonly<z.infer<typeof sweepLevel>>

export const sweep = part('FoundSweep', 'Closed loads with a growing number of requests in flight.', {
  leads: countedUnit.describe('Unit of the error rates.'),
  levels: z.array(sweepLevel).describe('In order of the number in flight.'),
  scaling: scaling.nullable().describe('Null where it is not classified: `scalingReason` says why.'),
  scalingReason: nullableText.describe('Why `scaling` is null; null where it is not.'),
  effectiveServers: nullableNumber.describe(
    'Requests that the server works on at once: max throughput times service time alone; null where not measured.',
  ),
  serialShare: estimate
    .nullable()
    .describe(
      'Share of the work that only one request can do at a time, by the scalability law; null without a fit.',
    ),
  crosstalk: estimate
    .nullable()
    .describe('What requests in flight cost each other, by the scalability law; null without a fit.'),
  peak: z
    .strictObject({ inFlight: z.number().describe('Requests in flight.'), interval })
    .nullable()
    .describe('Number in flight with the highest throughput; null where none is claimed: see `peakReason`.'),
  peakReason: nullableText.describe('Why `peak` is null; null where it is not.'),
})
export type FoundSweep = DeepReadonly<z.infer<typeof sweep>>

export const overload = part('Overload', 'A stretch above the capacity, and the recovery from it.', {
  times: nonNegative.describe('Offered load over the capacity: 2 for twice as much.'),
  perSecond: nonNegative.describe('Offered requests per second.'),
  forSeconds: nonNegative.describe('Duration of the overload in seconds.'),
  requests: count.describe('Requests that were due in the overload.'),
  answered: count.describe('Requests that were answered, those after the overload included.'),
  turnedAway: count.describe('Requests refused because the queue was full.'),
  failed: count.describe('Requests that failed in any other way.'),
  backlogAtEnd: count.describe('Requests in the system when the overload ended.'),
  backlogPerSecond: z.number().describe('Growth of the backlog in requests per second.'),
  recoverySeconds: nullableNumber.describe(
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
  isAlive: z
    .boolean()
    .describe(
      'Whether the last request, long after the overload, was answered, or refused because the queue was full.',
    ),
  differing: count.describe('Texts that differ from those of the same recording alone.'),
  crossed: count.describe(
    'Of these, texts of another recording; see `transcribench explain ANSWERS_CROSSED`.',
  ),
  emptied: count.describe('Of these, texts without a word.'),
  compared: count.describe('Texts that were compared.'),
})
export type Overload = DeepReadonly<z.infer<typeof overload>>

export const interference = part('FoundInterference', 'Dictation alone, and next to long recordings.', {
  perSecond: nonNegative.describe('Short requests per second.'),
  longAudioSeconds: nonNegative.describe('Mean length of the long recordings in seconds.'),
  longRequests: count.describe('Long recordings that were sent, one after the other.'),
  aloneP95Ms: nullableNumber.describe(
    '95th percentile of the response time of short requests alone, in milliseconds; null without answers.',
  ),
  withLongP95Ms: nullableNumber.describe(
    'The same next to long recordings, in milliseconds; null without answers.',
  ),
  requests: count.describe('Short requests of both parts.'),
})
export type FoundInterference = DeepReadonly<z.infer<typeof interference>>

export const cold = part('FoundCold', 'The cold start of the service and its model.', {
  startMs: nullableNumber.describe(
    'Milliseconds from the start of the process until it answers; null where it was running already.',
  ),
  firstAnswerMs: nullableNumber.describe('Milliseconds of the first answer; null where it was not measured.'),
  steadyAnswerMs: nullableNumber.describe(
    'Milliseconds of the same request later; null where it was not measured.',
  ),
  twoWhileLoadingMs: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe(
      'Milliseconds of two simultaneous first requests to a model that is not loaded; null where not measured.',
    ),
  untilSteadyMs: nullableNumber.describe(
    'Milliseconds until the throughput is 95 % of the steady one; null where that was not seen.',
  ),
  untilSteadyReason: z.string().nullable().describe('Why `untilSteadyMs` is null; null where it is not.'),
  afterIdleMs: nullableNumber.describe(
    'Milliseconds of the first request after an idle time; null where not measured.',
  ),
  idleSeconds: nullableNumber.describe('That idle time in seconds; null where not measured.'),
})
export type FoundCold = DeepReadonly<z.infer<typeof cold>>

const reproduction = part('Reproduction', 'A measured load next to its simulation.', {
  perSecond: nonNegative.describe('Requests per second.'),
  requests: count.describe('Requests that were measured.'),
  measuredP50Ms: z.number().describe('Measured median of the response time in milliseconds.'),
  simulatedP50Ms: z.number().describe('Simulated median in milliseconds.'),
  measuredP95Ms: z.number().describe('Measured 95th percentile of the response time in milliseconds.'),
  simulatedP95Ms: z.number().describe('Simulated 95th percentile in milliseconds.'),
  isReproduced: z.boolean().describe('Whether both are within a factor of 1.25.'),
})
export type Reproduction = DeepReadonly<z.infer<typeof reproduction>>

const whatIf = part('FoundWhatIf', 'The capacity in a use that was not measured, by simulation.', {
  question: z.string().describe('In words: "only the shorter half of the recordings".'),
  meanAudioSeconds: nonNegative.describe('Mean length of the recordings in seconds.'),
  capacity: load.nullable().describe('Null where even a request alone violates the objective.'),
  check: z.string().nullable().describe('The command that measures it; null where there is none.'),
})
export type FoundWhatIf = DeepReadonly<z.infer<typeof whatIf>>

export const simulation = part(
  'FoundSimulation',
  'A queue model of the server, fitted to what was measured.',
  {
    fixedMs: z.number().describe('Fixed part of the service time of a request alone, in milliseconds.'),
    perAudioSecondMs: z
      .number()
      .describe('Service time per second of audio of a request alone, in milliseconds.'),
    ratios: z
      .array(nonNegative)
      .describe('Service times of single requests over that line, ascending; a sample of at most a hundred.'),
    workers: count.describe('Requests that the server works on at once.'),
    atWorkShare: share.describe('Part of the service time alone in which a request holds a worker, 0..1.'),
    slowdowns: z
      .array(nonNegative)
      .describe('Service time over that alone while k requests are at work, from k = 1 to `workers`.'),
    idleSlowdown: nonNegative.describe(
      'Service time of a request to an idle server over that of one sent back to back.',
    ),
    queueBound: count
      .nullable()
      .describe('Requests that may wait; further ones are refused. Null: no bound was seen.'),
    reproductions: z.array(reproduction).describe('Measured loads next to their simulations.'),
    silentBecause: z
      .string()
      .nullable()
      .describe(
        'Why no forecast is made: fewer than two measured loads were reproduced, or refusals go by no queue; null where one is.',
      ),
    whatIfs: z.array(whatIf).describe('Forecasts.'),
  },
)
export type FoundSimulation = DeepReadonly<z.infer<typeof simulation>>
