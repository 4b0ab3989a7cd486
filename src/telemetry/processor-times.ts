import { cpus } from 'node:os'

/** What the processors of this machine have done since it started, all of them together. */
export interface CpuTimes {
  readonly busyMs: number
  readonly totalMs: number
  readonly ownMs: number
}

/** Processor times of the whole machine, and of this process among them, in milliseconds. */
export function readTimes(): CpuTimes {
  const own = process.cpuUsage()
  const times = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({
    busy: user + nice + sys + irq,
    idle,
  }))
  const busyMs = times.reduce((sum, { busy }) => sum + busy, 0)
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0)
  return { busyMs, totalMs: busyMs + idleMs, ownMs: (own.user + own.system) / 1000 }
}
