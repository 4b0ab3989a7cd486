import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, estimate, interval } from './loads.ts'

const nullable = z.number().nullable()
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
