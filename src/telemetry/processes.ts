import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

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
  const sum = (of: (usage: ProcessUsage) => number | null): number =>
    usages.reduce((total, usage) => total + (of(usage) ?? 0), 0)
  return {
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    residentBytes: sum(({ residentBytes }) => residentBytes),
    peakResidentBytes: own.peakResidentBytes === null ? null : sum((usage) => usage.peakResidentBytes),
    threadCount: sum(({ threadCount }) => threadCount),
    processCount: usages.length,
  }
}

function readOne(pid: number): ProcessUsage | null {
  const stat = readProc(`${pid}/stat`)
  const status = readProc(`${pid}/status`)
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
  const lists = listThreads(pid).map((thread) => readProc(`${pid}/task/${thread}/children`) ?? '')
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function kilobytes(status: string, field: string): number | null {
  const amount = new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]
  return amount === undefined ? null : Number(amount) * 1024
}

function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    // ENOENT before and ESRCH during the reading: the process has ended.
    return null
  }
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
    const [stat, bootId] = await Promise.all([
      readOrNull(`/proc/${pid}/stat`),
      readOrNull('/proc/sys/kernel/random/boot_id'),
    ])
    const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? null : `${bootId?.trim() ?? ''}+${ticks}`
  }
  if (process.platform === 'win32') return null
  // The same words in every shell: a date follows its language and its time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const asked = promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env })
  return asked.then(({ stdout }) => stdout.trim() || null).catch(() => null)
}

function readOrNull(path: string): Promise<string | null> {
  // The process has ended, or is hidden from this user.
  return readFile(path, 'utf8').catch(() => null)
}
