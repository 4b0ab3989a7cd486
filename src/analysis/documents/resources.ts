import type { Figure } from './figure.ts'

/** Processor seconds that the server took for a second of audio, over all blocks of one contender. */
export type CpuCost = Figure<{
  /** Sum of processor seconds / sum of audio seconds answered. */
  readonly value: number
  readonly cpuSeconds: number
  readonly audioSeconds: number
}>

/** How the server's memory grows with what it has transcribed. */
export type MemoryGrowth = Figure<{
  /** Megabytes (10⁶ bytes) for an hour of audio: Theil and Sen's slope. */
  readonly value: number
  /** 95 %; null where the samples carry none. */
  readonly interval: { readonly low: number; readonly high: number } | null
  readonly sampleCount: number
  readonly audioHours: number
}>

/** What the server and its machine used while requests were measured. Absent is null, never 0. */
export interface Resources {
  readonly server: {
    readonly cpuSecondsPerAudioSecond: CpuCost
    /** Median over the samples, and the most that its processes had held, in bytes. */
    readonly residentBytes: number | null
    readonly peakResidentBytes: number | null
    /** The most that were seen. */
    readonly threadCount: number | null
    readonly processCount: number | null
    readonly megabytesPerAudioHour: MemoryGrowth
  }
  readonly host: {
    /** As in the instrument: on average over the run. */
    readonly foreignProcessors: number | null
    /** Share of the time in which some task waited for a processor, for memory, for a disk, 0..1. */
    readonly cpuStalledRate: number | null
    readonly memoryStalledRate: number | null
    readonly ioStalledRate: number | null
    readonly swappedPages: number | null
  }
  /** Mean over the samples; null where no graphics processor could be read. */
  readonly gpu: { readonly busyRate: number; readonly memoryBytes: number } | null
}
