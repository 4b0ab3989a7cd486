import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What all graphics processors of this machine are doing together. */
export interface GpuUsage {
  /** Mean over the processors of the share of time in which each computed anything, 0..1. */
  readonly busyRate: number
  /** Memory in use on all of them, in bytes. */
  readonly memoryBytes: number
}

/** Watches until it is disposed. */
export interface GpuWatch extends Disposable {
  /** The latest reading; null where there is none. */
  latest(): GpuUsage | null
}

const mebibyte = 1_048_576

/**
 * Starts `nvidia-smi` once, which then reports every second: to start it for each sample would disturb what is
 * measured. Where there is no such program, or it sees no processor, there is never a reading.
 *
 * @param command the program and what comes before its own arguments
 */
export function watchGpu(command: string = 'nvidia-smi'): GpuWatch {
  const query = [
    '--query-gpu=index,utilization.gpu,memory.used',
    '--format=csv,noheader,nounits',
    '-lms',
    '1000',
  ]
  const child = spawn(command, query, { stdio: ['ignore', 'pipe', 'ignore'] })
  const readings = new Map<string, GpuUsage>()
  // Not installed: the usual case.
  child.on('error', () => undefined)
  child.on('exit', () => readings.clear())
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [index = '', busy = '', memory = ''] = line.split(',').map((part) => part.trim())
    // "[N/A]" and "[Not Supported]" mean that a processor does not report the value.
    if (!/^\d+$/.test(busy) || !/^\d+$/.test(memory)) return
    readings.set(index, { busyRate: Number(busy) / 100, memoryBytes: Number(memory) * mebibyte })
  })
  return {
    latest() {
      const usages = [...readings.values()]
      if (usages.length === 0) return null
      const sum = (of: (usage: GpuUsage) => number): number =>
        usages.reduce((total, usage) => total + of(usage), 0)
      return {
        busyRate: sum(({ busyRate }) => busyRate) / usages.length,
        memoryBytes: sum(({ memoryBytes }) => memoryBytes),
      }
    },
    [Symbol.dispose]() {
      child.kill()
    },
  }
}
