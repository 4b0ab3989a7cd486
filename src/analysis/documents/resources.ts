import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { boundsSchema } from '#statistics'
import { absentSchema } from './figure.ts'
import { count, nullableNumber, number } from './scalars.ts'

/** Processor seconds that the server took for a second of audio, over all blocks of one contender. */
export const cpuCostSchema = z
  .union([
    z.strictObject({
      value: number.describe('Sum of processor seconds / sum of audio seconds answered.'),
      cpuSeconds: number.describe('Sum of processor seconds of the server.'),
      audioSeconds: number.describe('Sum of audio seconds answered.'),
    }),
    absentSchema,
  ])
  .meta({ id: 'CpuCost', description: 'Processor seconds of the server for each second of audio.' })
export type CpuCost = DeepReadonly<z.infer<typeof cpuCostSchema>>

const memoryGrowthSchema = z.union([
  z.strictObject({
    value: number.describe("Megabytes (10⁶ bytes) for each hour of audio: Theil and Sen's slope."),
    interval: boundsSchema.nullable().describe('Its 95 % interval; null where the samples allow none.'),
    sampleCount: count.describe('Samples it was computed from.'),
    audioHours: number.describe('Hours of audio in that time.'),
  }),
  absentSchema,
])
export type MemoryGrowth = DeepReadonly<z.infer<typeof memoryGrowthSchema>>

/** What the server and its machine used while requests were measured. Absent is null, never 0. */
export const resourcesSchema = z
  .strictObject({
    server: z
      .strictObject({
        cpuSecondsPerAudioSecond: cpuCostSchema.describe('Over all contenders.'),
        residentBytes: nullableNumber.describe('Median resident memory over the samples, in bytes.'),
        peakResidentBytes: nullableNumber.describe('Max that its processes had held, in bytes.'),
        threadCount: count.nullable().describe('Max threads.'),
        processCount: count.nullable().describe('Max processes: the server and its children.'),
        megabytesPerAudioHour: memoryGrowthSchema.describe('How memory grows with the audio transcribed.'),
      })
      .describe('Processes of the server; null where they could not be read.'),
    host: z
      .strictObject({
        foreignProcessors: nullableNumber.describe(
          'Processors that neither the server nor transcribench kept busy, on average over the run.',
        ),
        cpuStalledRate: nullableNumber.describe(
          'Share of the time in which a task waited for a processor, 0..1.',
        ),
        memoryStalledRate: nullableNumber.describe(
          'Share of the time in which a task waited for memory, 0..1.',
        ),
        ioStalledRate: nullableNumber.describe('Share of the time in which a task waited for a disk, 0..1.'),
        swappedPages: nullableNumber.describe('Pages swapped in and out during the run.'),
      })
      .describe('The machine; null where it could not be read.'),
    gpu: z
      .strictObject({
        busyRate: number.describe('Mean share of the time that it was busy, 0..1.'),
        memoryBytes: number.describe('Mean memory in use, in bytes.'),
      })
      .nullable()
      .describe('Graphics processors; null where none could be read.'),
  })
  .meta({
    id: 'Resources',
    description:
      'What the server and its machine used while requests were measured. Absent is null, never 0.',
  })
export type Resources = DeepReadonly<z.infer<typeof resourcesSchema>>
