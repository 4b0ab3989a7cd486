import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import type { RecordedHost } from '#journal'

/**
 * The machine that a run was made on, so that two runs can be recognised as coming from the same one.
 *
 * `cpuCount` is the number of processors this process may use, which in a container is less than there are.
 */
export function describeHost(programVersion: string): RecordedHost {
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
