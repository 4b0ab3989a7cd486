import type { ProcessUsage } from './linux-processes.ts'

/** What was read of some processes at one moment. */
export interface ProcessReading {
  /** Each with its living children; a process that was not found is absent. */
  readonly usages: ReadonlyMap<number, ProcessUsage>
  /** Processor seconds of the program that is kept running to read this; null where there is none. */
  readonly toolCpuSeconds: number | null
  /** Why a process is absent; null where all were found. */
  readonly reason: string | null
}

/** Reads processor time and memory of processes of this machine. Disposing ends the program behind it, where there is one. */
export interface ProcessSampler extends Disposable {
  /**
   * A reading that was taken after the call. Where a program prints readings at an interval, it is the next one, so that the
   * moment at which it was taken is known.
   */
  read(pids: readonly number[]): Promise<ProcessReading>
}
