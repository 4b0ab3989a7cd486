import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sumOf } from '#prelude'
import { namesIn, readSystemFile } from './system-files.ts'

/** What a process and its living children have used since they began, and what they hold now. */
export interface ProcessUsage {
  /** Processor time in user and system mode, of all threads and of children that have ended, in seconds. */
  readonly cpuSeconds: number
  /** Memory in RAM, in bytes. Pages that processes share count once for each. */
  readonly residentBytes: number
  /** Sum of what each process held at its own most, in bytes; null on systems that do not keep it. */
  readonly peakResidentBytes: number | null
  /** Null where the system does not report it. */
  readonly threadCount: number | null
  /** The process and its children, and theirs. */
  readonly processCount: number
}

/** Ticks per second of the times in `/proc`: USER_HZ, 100 on every architecture that Node runs on. */
const ticksPerSecond = 100

/**
 * Reads `/proc`, which costs microseconds as long as no other thread is asked to: through Node's pool the same reading
 * took ten times the processor time (4 ms), which a service on the same machine went without. Other systems have no such
 * files: there the answer is null, and `processSampler` keeps a program running that reads the same.
 *
 * @returns null as well when there is no such process, or not any more
 * @see proc_pid_stat(5), proc_pid_status(5), proc_tid_children(5)
 */
export function readProcess(pid: number): ProcessUsage | null {
  if (process.platform !== 'linux') return null
  const own = readOne(pid)
  if (own === null) return null
  const usages = [own]
  const seen = new Set([pid])
  const waiting = listChildren(pid)
  for (let child = waiting.pop(); child !== undefined; child = waiting.pop()) {
    // A server that started this program does not work for itself in it.
    if (seen.has(child) || child === process.pid) continue
    seen.add(child)
    const usage = readOne(child)
    // Ended since: its time is among those of its parent now.
    if (usage === null) continue
    usages.push(usage)
    waiting.push(...listChildren(child))
  }
  return sumUsages(usages)
}

/** Null without any. A figure is null where that of one is. */
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
  // A process that has ended and was not waited for has no memory any more.
  if (residentBytes === null) return null
  const threads = /^Threads:\s*(\d+)$/m.exec(status)?.[1]
  return {
    cpuSeconds: cpuTicks(stat) / ticksPerSecond,
    residentBytes,
    peakResidentBytes: kilobytes(status, 'VmHWM'),
    threadCount: Number(threads ?? 1),
    processCount: 1,
  }
}

/** Every thread lists the children that it started. Kernels without the list have processes without children. */
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

/** Sum of utime, stime, cutime and cstime, the fields 14 to 17. The name before them may hold anything. */
function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

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

/** Reads `/proc` at once, which needs no program. */
export function linuxSampler(): ProcessSampler {
  return {
    read: (pids) => Promise.resolve(makeReading(pids, readProcess, null)),
    [Symbol.dispose]() {},
  }
}

/** @param usageOf null for a process that is not there */
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

/**
 * When a process began, as a mark that no later process with the same number has. To be compared for equality
 * only.
 *
 * Linux reports ticks since the machine started, to which the start's own id is added; macOS a second of the
 * calendar. On Windows the answer would take a shell that starts for a second, so there is none.
 *
 * @returns null where there is no such process, or it belongs to another user, or the system does not report it
 * @see proc_pid_stat(5), field 22; ps(1), lstart
 */
export async function processStart(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = readSystemFile(`/proc/${pid}/stat`)
    const bootId = readSystemFile('/proc/sys/kernel/random/boot_id')
    const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? null : `${bootId?.trim() ?? ''}+${ticks}`
  }
  if (process.platform === 'win32') return null
  // The same words in every shell: a date follows its language and its time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const asked = promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env })
  return asked.then(({ stdout }) => stdout.trim() || null).catch(() => null)
}
