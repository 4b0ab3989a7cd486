import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedHost } from '#journal/run-record'
import { counted, sumOf } from '#prelude'
import { readSystemFile } from './system-files.ts'

/**
 * Describes the machine of a run, so that runs on the same machine can be recognised.
 */
export function describeHost(programVersion: string): Omit<RecordedHost, 'speed' | 'power'> {
  const { usable, all } = countProcessors()
  return {
    platform: platform(),
    release: release(),
    architecture: arch(),
    // Some ARM boards report an empty model.
    cpuModel: cpus()[0]?.model.trim() || 'unknown',
    cpuCount: usable,
    machineCpuCount: all,
    memoryBytes: totalmem(),
    nodeVersion: process.version,
    programVersion,
  }
}

/**
 * Counts the processors that this process may use, which a container or an affinity can limit, and all of the machine,
 * over which processor time is counted.
 */
export function countProcessors(): { readonly usable: number; readonly all: number } {
  return { usable: availableParallelism(), all: cpus().length }
}

/** Mean length of the run queue over the last minute; null on Windows, which has none and reports 0. */
export function readLoad1(): number | null {
  return platform() === 'win32' ? null : (loadavg()[0] ?? null)
}

/** Share of the processors above which other programs disturb a measurement. */
const quietShare = 0.1
/** Long enough for processor times, which are counted in ticks of 10 ms. */
const windowMs = 500

/**
 * Measures for half a second what other processes do. The service under test counts as another process.
 *
 * @returns whether a measurement made now would measure its target alone
 */
export async function isQuiet() {
  const before = readTimes()
  await sleep(windowMs)
  const after = readTimes()
  const totalMs = Math.max(1, after.totalMs - before.totalMs)
  const foreignMs = after.busyMs - before.busyMs - (after.ownMs - before.ownMs)
  const foreignCpuShare = Math.min(1, Math.max(0, foreignMs / totalMs))
  const quiet = foreignCpuShare <= quietShare
  const load1 = readLoad1()
  const load = load1 === null ? '' : `, load ${load1.toFixed(1)}`
  const percent = `${(foreignCpuShare * 100).toFixed(0)}%`
  const use = `other programs use ${percent} of ${counted(countProcessors().all, 'processor')}${load}`
  return {
    quiet,
    /** Share of all processors' time that other processes used in the window, 0..1. */
    foreignCpuShare,
    message: quiet ? use : `${use}: a measurement now would show lower speeds than on a quiet machine`,
  }
}

/** Reads the processor time since the machine started, of all its processors and of this process, in milliseconds. */
export function readTimes() {
  const own = process.cpuUsage()
  const times = cpus().map((cpu) => cpu.times)
  const busyMs = sumOf(times, ({ user, nice, sys, irq }) => user + nice + sys + irq)
  const idleMs = sumOf(times, ({ idle }) => idle)
  return { busyMs, totalMs: busyMs + idleMs, ownMs: (own.user + own.system) / 1000 }
}

/**
 * Reads the stall times of this machine since it started. A value is null where the system does not count it. Linux
 * counts stalls since 4.20, if its kernel was built for that.
 *
 * @see https://docs.kernel.org/accounting/psi.html; proc_vmstat(5)
 */
export function readPressure() {
  return {
    /** Seconds in which at least one task waited for a processor, for memory or for a disk. */
    cpuStalledSeconds: stalledSeconds(readSystemFile('/proc/pressure/cpu')),
    memoryStalledSeconds: stalledSeconds(readSystemFile('/proc/pressure/memory')),
    ioStalledSeconds: stalledSeconds(readSystemFile('/proc/pressure/io')),
    /** Pages written to or read back from swap. */
    swappedPages: swappedPages(readSystemFile('/proc/vmstat')),
  }
}

/** Parses the microseconds of a line such as `some avg10=0.00 avg60=0.00 avg300=0.00 total=61434`. */
function stalledSeconds(text: string | null): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text ?? '')?.[1]
  return total === undefined ? null : Number(total) / 1e6
}

function swappedPages(vmstat: string | null): number | null {
  const counts = [...(vmstat ?? '').matchAll(/^pswp(?:in|out) (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.length === 2 ? counts.reduce((sum, count) => sum + count, 0) : null
}

/**
 * Returns the folder in which Linux shows its devices: `/sys`, or the folder that `HOST_SYS` names. A container may
 * mount its host's folder elsewhere.
 *
 * @see https://github.com/shirou/gopsutil, which uses the same variable
 */
export function sysFolderIn(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOST_SYS'] || '/sys'
}
