import { readFile } from 'node:fs/promises'

/** What a process has used since it began, and what it holds now. */
export interface ProcessUsage {
  /** Processor time in user and system mode, of all threads and of children that have ended, in seconds. */
  readonly cpuSeconds: number
  /** Memory in RAM, shared pages included, in bytes. */
  readonly residentBytes: number
}

/** Ticks per second of the times in `/proc`: USER_HZ, 100 on every architecture that Node runs on. */
const ticksPerSecond = 100

/**
 * Reads `/proc`, which costs microseconds. On macOS and Windows the same question means starting a program for
 * each sample, which would disturb what is measured: there the answer is null.
 *
 * @returns null as well when there is no such process, or not any more
 * @see proc_pid_stat(5) and proc_pid_status(5)
 */
export async function readProcess(pid: number): Promise<ProcessUsage | null> {
  if (process.platform !== 'linux') return null
  const [stat, status] = await Promise.all([readProc(pid, 'stat'), readProc(pid, 'status')])
  if (stat === null || status === null) return null
  const residentKilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]
  // A process that has ended and was not waited for has no memory any more.
  if (residentKilobytes === undefined) return null
  return { cpuSeconds: cpuTicks(stat) / ticksPerSecond, residentBytes: Number(residentKilobytes) * 1024 }
}

async function readProc(pid: number, file: 'stat' | 'status'): Promise<string | null> {
  // ENOENT before and ESRCH during the reading: the process has ended.
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => null)
}

/** Sum of utime, stime, cutime and cstime, the fields 14 to 17. The name before them may hold anything. */
function cpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}
