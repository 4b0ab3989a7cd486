import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { boundsSchema } from '#statistics/documents'

export const positive = z.number().min(0)
export const count = z.int().min(0)
export const share = z.number().min(0).max(1)

export const interval = boundsSchema.describe('95 % confidence interval.')

export const estimate = z
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

const milliseconds = z.number().nullable()

export const level = load
  .extend({
    achievedPerSecond: positive.describe('Answers per second in the measured time.'),
    requests: count.describe('Requests that were due in the measured time.'),
    failureRate: share.describe('Share of the requests that failed, 0..1.'),
    p50Ms: milliseconds.describe('Median response time in milliseconds; null without answers.'),
    p95Ms: milliseconds.describe(
      '95th percentile of the response time in milliseconds; null without answers.',
    ),
    p99Ms: milliseconds.describe(
      '99th percentile of the response time in milliseconds; null without answers.',
    ),
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
