import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { boundsSchema } from '#statistics/bounds'

export const positive = z.number().min(0)
export const count = z.int().min(0)
export const nullable = z.number().nullable()
export const share = z.number().min(0).max(1)

const interval = boundsSchema.describe('95 % confidence interval.')

const estimate = z
  .strictObject({ estimate: z.number().describe('Point estimate.'), interval })
  .meta({ id: 'Estimate', description: 'An estimate with its interval.' })

export const load = z
  .strictObject({
    requestsPerSecond: positive.describe('Requests per second.'),
    audioSecondsPerSecond: positive.describe('Seconds of audio per second, or hours of audio per hour.'),
    concurrentUsers: positive.describe('Users who dictate at the same time, by the `habit` of the document.'),
  })
  .meta({ id: 'LoadFigure', description: 'A load in three units.' })
export type LoadFigure = DeepReadonly<z.infer<typeof load>>

export const verdict = z
  .enum(['met', 'violated', 'undecided'])
  .meta({ id: 'LevelVerdict', description: 'Three-way verdict at 95 % confidence.' })
export type LevelVerdict = z.infer<typeof verdict>

const objective = z
  .strictObject({
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
  .meta({ id: 'ObjectiveVerdict', description: 'An objective and its verdict at one load.' })
export type ObjectiveVerdict = DeepReadonly<z.infer<typeof objective>>

export const level = load
  .extend({
    achievedPerSecond: positive.describe('Answers per second in the measured time.'),
    requests: count.describe('Requests that were due in the measured time.'),
    failureRate: share.describe('Share of the requests that failed, 0..1.'),
    p50Ms: nullable.describe('Median response time in milliseconds; null without answers.'),
    p95Ms: nullable.describe('95th percentile of the response time in milliseconds; null without answers.'),
    p99Ms: nullable.describe('99th percentile of the response time in milliseconds; null without answers.'),
    meanInSystem: positive.describe('Mean number of requests that wait or are worked on.'),
    backlogGrowth: z.number().describe('Growth of the backlog as a share of the arrivals.'),
    stability: verdict.describe('Met where the backlog is known not to grow.'),
    objectives: z.array(objective).describe('Every objective with its verdict.'),
    verdict: verdict.describe('Verdict on all objectives and the stability together.'),
    measuredSeconds: positive.describe('Measured time in seconds, without warm-ups.'),
    differingTexts: count.describe('Texts that differ from those of the same recording alone.'),
    comparedTexts: count.describe('Texts that were compared with those of the same recording alone.'),
  })
  .meta({
    id: 'FoundLevel',
    description: 'One load. Response times count from the moment at which a request was due.',
  })
export type FoundLevel = DeepReadonly<z.infer<typeof level>>

export const capacity = z
  .strictObject({
    basis: z
      .enum(['measured', 'simulated'])
      .describe(
        '`measured` by open loads, or `simulated` from the sweep where open loads did not narrow it further.',
      ),
    estimate: load.describe('The highest load that meets the objectives.'),
    low: load.nullable().describe('Lower end of the 95 % interval; null only in documents of format 1.'),
    high: load.nullable().describe('Upper end of the 95 % interval; null only in documents of format 1.'),
    limitedBy: z
      .string()
      .nullable()
      .describe('The objective that is violated first; null where none is, up to the max of the server.'),
  })
  .meta({ id: 'FoundCapacity', description: 'The highest load at which the objectives are met.' })
export type FoundCapacity = DeepReadonly<z.infer<typeof capacity>>

export const bounds = z
  .strictObject({
    met: load
      .nullable()
      .describe('The highest load that meets the objectives, below all that violate them; null without one.'),
    violated: load.nullable().describe('The lowest load that violates them; null without one.'),
  })
  .meta({ id: 'FoundBounds', description: 'The capacity by the verdicts on single loads alone.' })
export type FoundBounds = DeepReadonly<z.infer<typeof bounds>>

const nullableText = z.string().nullable()

const scaling = z
  .enum(['serialised', 'thrashing', 'scaling', 'levelling'])
  .meta({ id: 'Scaling', description: 'How the throughput changes with the number of requests in flight.' })
export type Scaling = z.infer<typeof scaling>

const countedUnit = z.enum(['words', 'characters'])
export type CountedUnit = z.infer<typeof countedUnit>

const sweepLevel = z
  .strictObject({
    inFlight: count.describe('Requests kept in flight.'),
    requestsPerSecond: nullable.describe('Throughput in answers per second; null without a steady part.'),
    speed: nullable.describe('Seconds of audio transcribed per second; null without a steady part.'),
    p50Ms: nullable.describe('Median service time in milliseconds; null without a steady part.'),
    p95Ms: nullable.describe(
      '95th percentile of the service time in milliseconds; null without a steady part.',
    ),
    comparedTexts: count.describe('Texts that were compared with those of the same recording alone.'),
    differingTexts: count.describe('Texts that differ from those of the same recording alone.'),
    failed: count.describe('Requests that failed.'),
    errorRate: nullable.describe('Error rate of the texts, in the unit of `leads`; null without references.'),
    errorRateDifference: z
      .strictObject({
        estimate: z.number().describe('Point estimate.'),
        interval: interval.nullable().describe('95 % interval; null where resampling gives none.'),
      })
      .nullable()
      .describe('Error rate less that of the recordings alone; null without references.'),
    cpuSecondsPerAudioSecond: nullable.describe(
      'Processor seconds of the server per second of audio; null where its process is not visible.',
    ),
    peakResidentBytes: nullable.describe(
      'Peak resident memory of the server in bytes; null where its process is not visible.',
    ),
  })
  .meta({ id: 'FoundSweepLevel', description: 'One number of requests in flight.' })
export type FoundSweepLevel = DeepReadonly<z.infer<typeof sweepLevel>>

export const sweep = z
  .strictObject({
    leads: countedUnit.describe('Unit of the error rates.'),
    levels: z.array(sweepLevel).describe('In order of the number in flight.'),
    scaling: scaling.nullable().describe('Null where it is not classified: `scalingReason` says why.'),
    scalingReason: nullableText.describe('Why `scaling` is null; null where it is not.'),
    effectiveServers: nullable.describe(
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
      .describe(
        'Number in flight with the highest throughput; null where none is claimed: see `peakReason`.',
      ),
    peakReason: nullableText.describe('Why `peak` is null; null where it is not.'),
  })
  .meta({ id: 'FoundSweep', description: 'Closed loads with a growing number of requests in flight.' })
export type FoundSweep = DeepReadonly<z.infer<typeof sweep>>

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
    recoverySeconds: nullable.describe(
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
    crossed: count.describe(
      'Of these, texts of another recording; see `transcribench explain ANSWERS_CROSSED`.',
    ),
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
    aloneP95Ms: nullable.describe(
      '95th percentile of the response time of short requests alone, in milliseconds; null without answers.',
    ),
    withLongP95Ms: nullable.describe(
      'The same next to long recordings, in milliseconds; null without answers.',
    ),
    requests: count.describe('Short requests of both parts.'),
  })
  .meta({ id: 'FoundInterference', description: 'Dictation alone, and next to long recordings.' })
export type FoundInterference = DeepReadonly<z.infer<typeof interference>>

export const cold = z
  .strictObject({
    startMs: nullable.describe(
      'Milliseconds from the start of the process until it answers; null where it was running already.',
    ),
    firstAnswerMs: nullable.describe('Milliseconds of the first answer; null where it was not measured.'),
    steadyAnswerMs: nullable.describe(
      'Milliseconds of the same request later; null where it was not measured.',
    ),
    twoWhileLoadingMs: z
      .tuple([z.number(), z.number()])
      .nullable()
      .describe(
        'Milliseconds of two simultaneous first requests to a model that is not loaded; null where not measured.',
      ),
    untilSteadyMs: nullable.describe(
      'Milliseconds until the throughput is 95 % of the steady one; null where that was not seen.',
    ),
    untilSteadyReason: z.string().nullable().describe('Why `untilSteadyMs` is null; null where it is not.'),
    afterIdleMs: nullable.describe(
      'Milliseconds of the first request after an idle time; null where not measured.',
    ),
    idleSeconds: nullable.describe('That idle time in seconds; null where not measured.'),
  })
  .meta({ id: 'FoundCold', description: 'The cold start of the service and its model.' })
export type FoundCold = DeepReadonly<z.infer<typeof cold>>

const reproduction = z
  .strictObject({
    perSecond: positive.describe('Requests per second.'),
    requests: count.describe('Requests that were measured.'),
    measuredP50Ms: z.number().describe('Measured median of the response time in milliseconds.'),
    simulatedP50Ms: z.number().describe('Simulated median in milliseconds.'),
    measuredP95Ms: z.number().describe('Measured 95th percentile of the response time in milliseconds.'),
    simulatedP95Ms: z.number().describe('Simulated 95th percentile in milliseconds.'),
    isReproduced: z.boolean().describe('Whether both are within a factor of 1.25.'),
  })
  .meta({ id: 'Reproduction', description: 'A measured load next to its simulation.' })
export type Reproduction = DeepReadonly<z.infer<typeof reproduction>>

const whatIf = z
  .strictObject({
    question: z.string().describe('In words: "only the shorter half of the recordings".'),
    meanAudioSeconds: positive.describe('Mean length of the recordings in seconds.'),
    capacity: load.nullable().describe('Null where even a request alone violates the objective.'),
    check: z.string().nullable().describe('The command that measures it; null where there is none.'),
  })
  .meta({ id: 'FoundWhatIf', description: 'The capacity in a use that was not measured, by simulation.' })
export type FoundWhatIf = DeepReadonly<z.infer<typeof whatIf>>

export const simulation = z
  .strictObject({
    fixedMs: z.number().describe('Fixed part of the service time of a request alone, in milliseconds.'),
    perAudioSecondMs: z
      .number()
      .describe('Service time per second of audio of a request alone, in milliseconds.'),
    ratios: z
      .array(positive)
      .describe('Service times of single requests over that line, ascending; a sample of at most a hundred.'),
    workers: count.describe('Requests that the server works on at once.'),
    atWorkShare: share.describe('Part of the service time alone in which a request holds a worker, 0..1.'),
    slowdowns: z
      .array(positive)
      .describe('Service time over that alone while k requests are at work, from k = 1 to `workers`.'),
    idleSlowdown: positive.describe(
      'Service time of a request to an idle server over that of one sent back to back.',
    ),
    queueBound: count
      .nullable()
      .optional()
      .describe(
        'Requests that may wait; further ones are refused. Null: no bound was seen; absent in older documents.',
      ),
    reproductions: z.array(reproduction).describe('Measured loads next to their simulations.'),
    silentBecause: z
      .string()
      .nullable()
      .describe(
        'Why no forecast is made: fewer than two measured loads were reproduced, or refusals go by no queue; null where one is.',
      ),
    whatIfs: z.array(whatIf).describe('Forecasts.'),
  })
  .meta({ id: 'FoundSimulation', description: 'A queue model of the server, fitted to what was measured.' })
export type FoundSimulation = DeepReadonly<z.infer<typeof simulation>>
