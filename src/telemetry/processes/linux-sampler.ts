import { type ProcessUsage, readProcess } from './linux-processes.ts'
import type { ProcessSampler } from './process-sampler.ts'

/** Reads `/proc` at once, which needs no program. */
export function linuxSampler(): ProcessSampler {
  return {
    read(pids) {
      const usages = new Map<number, ProcessUsage>()
      for (const pid of pids) {
        const usage = readProcess(pid)
        if (usage !== null) usages.set(pid, usage)
      }
      const absent = pids.filter((pid) => !usages.has(pid))
      const reason = absent.length === 0 ? null : notFound(absent)
      return Promise.resolve({ usages, toolCpuSeconds: null, reason })
    },
    [Symbol.dispose]() {},
  }
}

/** In words, for a reading. */
export function notFound(pids: readonly number[]): string {
  return `process ${pids.join(', ')} is not there, or belongs to another user`
}
