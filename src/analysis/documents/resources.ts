import type { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  group,
  groupOrNull,
  list,
  nullableCount,
  nullableNumber,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { boundsSchema } from '#statistics/bounds'
import { type FigureMetric, orAbsent, withoutInterval } from './figure.ts'

const cpuCostSchema = orAbsent({
  value: number.describe('Sum of processor seconds / sum of audio seconds answered.'),
  cpuSeconds: number.describe('Sum of processor seconds of the server.'),
  audioSeconds: number.describe('Sum of audio seconds answered.'),
}).meta({ id: 'CpuCost', description: 'Processor seconds of the server for each second of audio.' })
export type CpuCost = DeepReadonly<z.infer<typeof cpuCostSchema>>

const memoryGrowthSchema = orAbsent({
  value: number.describe("Megabytes (10⁶ bytes) for each hour of audio: Theil and Sen's slope."),
  interval: orNull(boundsSchema).describe('Its 95 % interval; null where the samples allow none.'),
  sampleCount: count.describe('Samples it was computed from.'),
  audioHours: number.describe('Hours of audio in that time.'),
})
export type MemoryGrowth = DeepReadonly<z.infer<typeof memoryGrowthSchema>>

/** Parts of a machine whose energy can be read. Battery and platform contain other parts, and are not added. */
export const energyPartNames = ['package', 'dram', 'gpu', 'battery', 'psys'] as const
export type EnergyPartName = (typeof energyPartNames)[number]

const energyPartName = oneOf(energyPartNames).describe(
  '`package`: the processors. `dram`: their memory. `gpu`: graphics processors. `battery`: the whole machine. `psys`: the platform, ' +
    'as its maker defines it.',
)

const energyPartSchema = group({
  part: energyPartName,
  joules: number.describe('Energy in the blocks of the contender, in joules.'),
  audioSeconds: number.describe('Seconds of audio answered in the blocks in which it was read.'),
  joulesPerAudioHour: number.describe('Joules / audio seconds × 3600.'),
})
export type EnergyPart = DeepReadonly<z.infer<typeof energyPartSchema>>

const energySchema = orAbsent({
  value: number.describe('Joules for an hour of audio, the sum of the parts that it covers.'),
  joules: number.describe('Joules of these parts.'),
  covers: list(energyPartName).describe(
    'Parts in the sum: processors, memory and graphics; else `battery` or `psys` alone.',
  ),
  parts: list(energyPartSchema).describe('All parts that were read.'),
}).meta({
  id: 'Energy',
  description:
    'Energy of the machine for the audio of a contender. The power of the idle machine is included.',
})
export type Energy = DeepReadonly<z.infer<typeof energySchema>>

export const resourceFields = {
  cpuSecondsPerAudioSecond: cpuCostSchema.describe('Processor time of the server for each second of audio.'),
  energy: energySchema
    .optional()
    .describe('Energy of the machine for each hour of audio; absent without any sample.'),
}

export const resourceMetrics: readonly FigureMetric<
  DeepReadonly<z.infer<z.ZodObject<typeof resourceFields>>>
>[] = [
  {
    id: 'cpu',
    aliases: ['cpu.audio'],
    name: 'processor time for a second of audio',
    unit: 'ratio',
    formula:
      'processor seconds of the server and its children / audio seconds answered, summed over all blocks',
    source:
      'ratio of sums; the counter of the operating system (/proc, ps, Win32_Process), read at both ends ' +
      'of every block',
    reading:
      'What a machine has to give for a second of speech: at 0.05, one processor carries twenty people ' +
      'who speak at once. Neighbours that slow a server down hardly change it, so it is the figure to ' +
      'compare on shared machines. Absent where the server runs elsewhere.',
    column: 'cpu_seconds_per_audio_second',
    measure: ({ cpuSecondsPerAudioSecond }) => withoutInterval(cpuSecondsPerAudioSecond),
  },
  {
    id: 'energy',
    aliases: ['joules'],
    name: 'energy for an hour of audio',
    unit: 'joulesPerHour',
    formula:
      'joules of the machine / audio hours answered, summed over all blocks; power is integrated by the ' +
      'trapezoidal rule',
    source:
      'ratio of sums; counters of the processor (RAPL, ' +
      'https://docs.kernel.org/power/powercap/powercap.html), power of graphics processors and of a ' +
      'battery',
    reading:
      'What the machine takes for an hour of audio: 3,600 J are one watt-hour. The idle power is part of ' +
      'it, and so is what other programs take. The report says what it covers: processors, their memory ' +
      'and graphics processors, as far as each can be read, or the whole machine on its battery. Compare ' +
      'figures of one machine with the same coverage only.',
    column: 'joules_per_audio_hour',
    measure: ({ energy = { value: null, reason: 'this run recorded no energy' } }) => withoutInterval(energy),
  },
]

const gpuFiguresSchema = part(
  'GpuFigures',
  'One graphics processor. Null where it does not report a value.',
  {
    id: text.describe('Maker and number, as its tool counts: `nvidia 0`.'),
    name: nullableText.describe('Model; null where the tool does not report it.'),
    sampleCount: count.describe('Readings.'),
    busyRate: nullableNumber.describe('Mean share of the time in which it computed anything, 0..1.'),
    memoryBytes: nullableNumber.describe('Mean memory in use, in bytes.'),
    powerWatts: nullableNumber.describe('Mean power in watts.'),
    coreClockMHz: nullableNumber.describe('Mean clock of its processors in MHz.'),
    memoryClockMHz: nullableNumber.describe('Mean clock of its memory in MHz.'),
    throttled: orNull(
      list(
        group({
          reason: text.describe('Why the clock was lower than it could be.'),
          rate: number.describe('Share of the readings, 0..1.'),
        }),
      ),
    ).describe(
      'The most frequent reason first; empty where nothing slowed it down, null where it does not say.',
    ),
  },
)
export type GpuFigures = DeepReadonly<z.infer<typeof gpuFiguresSchema>>

const unreadReason = nullableText
const unreadSchema = part('Unread', 'Why something was not read, the last reason; null where it was.', {
  server: unreadReason.describe("The server's processor time and memory."),
  gpu: unreadReason.describe('Graphics processors.'),
  rapl: unreadReason.describe("The processor's counters of energy (RAPL)."),
  battery: unreadReason.describe('Power from a battery.'),
})
export type Unread = DeepReadonly<z.infer<typeof unreadSchema>>

export const resourcesSchema = part(
  'Resources',
  'What the server and its machine used while requests were measured. Absent is null, never 0.',
  {
    server: group({
      cpuSecondsPerAudioSecond: cpuCostSchema.describe('Over all contenders.'),
      residentBytes: nullableNumber.describe('Median resident memory over the samples, in bytes.'),
      peakResidentBytes: nullableNumber.describe('Max that its processes had held, in bytes.'),
      threadCount: nullableCount.describe('Max threads.'),
      processCount: nullableCount.describe('Max processes: the server and its children.'),
      megabytesPerAudioHour: memoryGrowthSchema.describe('How memory grows with the audio transcribed.'),
    }).describe('Processes of the server; null where they could not be read.'),
    host: group({
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
    }).describe('The machine; null where it could not be read.'),
    gpu: groupOrNull({
      busyRate: nullableNumber.describe(
        'Mean share of the time that they were busy, 0..1; null where none says.',
      ),
      memoryBytes: nullableNumber.describe(
        'Mean memory in use on all of them, in bytes; null where none says.',
      ),
      devices: list(gpuFiguresSchema).describe('Each of them.'),
    }).describe('Graphics processors; null where none could be read.'),
    unread: unreadSchema.optional().describe('What could not be read; absent without any sample.'),
  },
)
export type Resources = DeepReadonly<z.infer<typeof resourcesSchema>>
