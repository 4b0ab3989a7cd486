import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedHost } from '#journal/run-record'
import { sumOf } from '#prelude'
import { readSystemFile } from './system-files.ts'

/**
 * The machine that a run was made on, so that two runs can be recognised as coming from the same one.
 *
 * `cpuCount` is the number of processors this process may use, which in a container is less than there are.
 */
export function describeHost(programVersion: string): Omit<RecordedHost, 'speed' | 'power'> {
  return {
    platform: platform(),
    release: release(),
    architecture: arch(),
    // Empty on machines that do not report it, as some ARM boards.
    cpuModel: cpus()[0]?.model.trim() || 'unknown',
    cpuCount: availableParallelism(),
    memoryBytes: totalmem(),
    nodeVersion: process.version,
    programVersion,
  }
}

/** Mean length of the run queue over the last minute; null on Windows, which has none and reports 0. */
export function readLoad1(): number | null {
  return platform() === 'win32' ? null : (loadavg()[0] ?? null)
}

/** Above this share of the processors, other programs are in the way. */
const quietShare = 0.1
/** Long enough for the 10 ms ticks that processor times are counted in. */
const windowMs = 500

/**
 * Looks for half a second at what other processes do. The service under test counts as another one.
 *
 * @returns whether a measurement made now would measure its target, or also what else runs here
 */
export async function isQuiet() {
  const before = readTimes()
  await sleep(windowMs)
  const after = readTimes()
  const totalMs = Math.max(1, after.totalMs - before.totalMs)
  const foreignMs = after.busyMs - before.busyMs - (after.ownMs - before.ownMs)
  const foreignCpuShare = Math.min(1, Math.max(0, foreignMs / totalMs))
  const load1 = readLoad1()
  const cpuCount = availableParallelism()
  const quiet = foreignCpuShare <= quietShare
  return {
    quiet,
    /** Mean run queue over the last minute; null on Windows. It lags: work that has just ended is still in it. */
    load1,
    cpuCount,
    /** Share of all processors' time that other processes took while we looked, 0..1. */
    foreignCpuShare,
    /** One sentence for a person. */
    message: describe(quiet, foreignCpuShare, load1, cpuCount),
  }
}

function describe(quiet: boolean, share: number, load1: number | null, cpuCount: number): string {
  const load = load1 === null ? '' : `, load ${load1.toFixed(1)}`
  const percent = `${(share * 100).toFixed(0)}%`
  const use = `other programs use ${percent} of ${cpuCount} processors${load}`
  return quiet ? use : `${use}: a measurement now would show lower speeds than on a quiet machine`
}

/** What the processors of this machine have done since it started, all of them together, and for this process, in milliseconds. */
export function readTimes() {
  const own = process.cpuUsage()
  const times = cpus().map((cpu) => cpu.times)
  const busyMs = sumOf(times, ({ user, nice, sys, irq }) => user + nice + sys + irq)
  const idleMs = sumOf(times, ({ idle }) => idle)
  return { busyMs, totalMs: busyMs + idleMs, ownMs: (own.user + own.system) / 1000 }
}

/**
 * How much this machine has waited since it started; each null where the system does not count it. Linux counts it, from 4.20 on and where the kernel was built with it.
 *
 * @see https://docs.kernel.org/accounting/psi.html; proc_vmstat(5)
 */
export function readPressure() {
  return {
    /** Time in which at least one task waited for a processor, for memory, for a disk; in seconds. */
    cpuStalledSeconds: stalledSeconds(readSystemFile('/proc/pressure/cpu')),
    memoryStalledSeconds: stalledSeconds(readSystemFile('/proc/pressure/memory')),
    ioStalledSeconds: stalledSeconds(readSystemFile('/proc/pressure/io')),
    /** Pages written to or read back from swap. */
    swappedPages: swappedPages(readSystemFile('/proc/vmstat')),
  }
}

/** `some avg10=0.00 avg60=0.00 avg300=0.00 total=61434`, in microseconds. */
function stalledSeconds(text: string | null): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text ?? '')?.[1]
  return total === undefined ? null : Number(total) / 1e6
}

function swappedPages(vmstat: string | null): number | null {
  const counts = [...(vmstat ?? '').matchAll(/^pswp(?:in|out) (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.length === 2 ? counts.reduce((sum, count) => sum + count, 0) : null
}

/**
 * Where Linux shows its devices: `/sys`, or the folder that `HOST_SYS` names, where a container has that of its host mounted
 * elsewhere.
 *
 * @see https://github.com/shirou/gopsutil, whose name of the variable it is
 */
export function sysFolderIn(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOST_SYS'] || '/sys'
}
