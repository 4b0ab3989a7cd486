import { sumOf } from '#prelude'
import { namesIn, readSystemFile } from './system-files.ts'

/** Resources of a process and its living descendants: time since they started, and memory now. */
export interface ProcessUsage {
  /** Processor seconds in user and system mode, of all threads and of children that have ended. */
  readonly cpuSeconds: number
  /** Bytes of memory in RAM. Pages that processes share count once per process. */
  readonly residentBytes: number
  /** Sum of the peak memory of each process, in bytes; null on systems that do not record it. */
  readonly peakResidentBytes: number | null
  /** Null where the system does not report it. */
  readonly threadCount: number | null
  /** Number of processes: the process and all its living descendants. */
  readonly processCount: number
}

/** Ticks per second of the times in `/proc`: USER_HZ, 100 on every architecture that Node runs on. */
const ticksPerSecond = 100

/**
 * Reads `/proc` synchronously, which takes microseconds. Through Node's thread pool the same reading took ten times
 * the processor time (4 ms), taken from a service on the same machine. Other systems have no such files; there,
 * `processSampler` runs a program that reads the same values.
 *
 * @returns null for a process that does not exist, and on systems other than Linux
 * @see proc_pid_stat(5), proc_pid_status(5), proc_tid_children(5)
 */
export function readProcess(pid: number): ProcessUsage | null {
  if (process.platform !== 'linux') return null
  const own = readOne(pid)
  if (own === null || own.processCount === 0) return null
  const usages = [own]
  const seen = new Set([pid])
  const waiting = listChildren(pid)
  for (let child = waiting.pop(); child !== undefined; child = waiting.pop()) {
    // A server may have started this program, whose work is not the server's.
    if (seen.has(child) || child === process.pid) continue
    seen.add(child)
    const usage = readOne(child)
    // Its parent has waited for the child, so its time is counted in the parent's now.
    if (usage === null) continue
    usages.push(usage)
    waiting.push(...listChildren(child))
  }
  return sumUsages(usages)
}

/** Adds usages; null for an empty list. A value is null where it is null in any usage. */
export function sumUsages(usages: readonly ProcessUsage[]): ProcessUsage | null {
  if (usages.length === 0) return null
  const sum = (figure: (usage: ProcessUsage) => number | null): number | null =>
    usages.reduce<number | null>((total, usage) => {
      const value = figure(usage)
      return total === null || value === null ? null : total + value
    }, 0)
  return {
    cpuSeconds: sumOf(usages, ({ cpuSeconds }) => cpuSeconds),
    residentBytes: sumOf(usages, ({ residentBytes }) => residentBytes),
    peakResidentBytes: sum(({ peakResidentBytes }) => peakResidentBytes),
    threadCount: sum(({ threadCount }) => threadCount),
    processCount: sumOf(usages, ({ processCount }) => processCount),
  }
}

function readOne(pid: number): ProcessUsage | null {
  const stat = readSystemFile(`/proc/${pid}/stat`)
  const status = readSystemFile(`/proc/${pid}/status`)
  if (stat === null || status === null) return null
  const residentBytes = kilobytes(status, 'VmRSS')
  const cpuSeconds = cpuTicks(stat) / ticksPerSecond
  // A zombie has ended and has no memory. Its time is in no other process until its parent waits for it.
  if (residentBytes === null)
    return { cpuSeconds, residentBytes: 0, peakResidentBytes: 0, threadCount: 0, processCount: 0 }
  const threads = /^Threads:\s*(\d+)$/m.exec(status)?.[1]
  return {
    cpuSeconds,
    residentBytes,
    peakResidentBytes: kilobytes(status, 'VmHWM'),
    threadCount: Number(threads ?? 1),
    processCount: 1,
  }
}

/** Returns the children that each thread of a process has started; empty on kernels without these lists. */
function listChildren(pid: number): number[] {
  const lists = namesIn(`/proc/${pid}/task`).map(
    (thread) => readSystemFile(`/proc/${pid}/task/${thread}/children`) ?? '',
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

function kilobytes(status: string, field: string): number | null {
  const amount = new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]
  return amount === undefined ? null : Number(amount) * 1024
}

/** Sums utime, stime, cutime and cstime, the fields 14 to 17. The name before them may contain any character. */
function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** A reading of several processes at one time. */
export interface ProcessReading {
  /** Usage of each process with its living descendants; a process that was not found is absent. */
  readonly usages: ReadonlyMap<number, ProcessUsage>
  /** Processor seconds of the program that runs to read this; null where there is none. */
  readonly toolCpuSeconds: number | null
  /** Why a process is absent; null where all were found. */
  readonly reason: string | null
}

/** Reads processor time and memory of processes of this machine. Disposing it ends its program, if any. */
export interface ProcessSampler extends Disposable {
  /** Takes a reading after the call: the next one of a program that prints at an interval, so its time is known. */
  read(pids: readonly number[]): Promise<ProcessReading>
}

/** Reads `/proc` at once, which needs no program. */
export function linuxSampler(): ProcessSampler {
  return {
    read: (pids) => Promise.resolve(makeReading(pids, readProcess, null)),
    [Symbol.dispose]() {},
  }
}

/** @param usageOf returns null for a process that does not exist */
export function makeReading(
  pids: readonly number[],
  usageOf: (pid: number) => ProcessUsage | null,
  toolCpuSeconds: number | null,
): ProcessReading {
  const usages = new Map<number, ProcessUsage>()
  for (const pid of pids) {
    const usage = usageOf(pid)
    if (usage !== null) usages.set(pid, usage)
  }
  const absent = pids.filter((pid) => !usages.has(pid)).join(', ')
  const reason = absent === '' ? null : `process ${absent} is not there, or belongs to another user`
  return { usages, toolCpuSeconds, reason }
}
