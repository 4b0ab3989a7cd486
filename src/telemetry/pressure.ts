import { readFileSync } from 'node:fs'

/** How much this machine has waited since it started; each null where the system does not count it. */
export interface HostPressure {
  /** Time in which at least one task waited for a processor, for memory, for a disk; in seconds. */
  readonly cpuStalledSeconds: number | null
  readonly memoryStalledSeconds: number | null
  readonly ioStalledSeconds: number | null
  /** Pages written to or read back from swap. */
  readonly swappedPages: number | null
}

/**
 * Linux counts it, from 4.20 on and where the kernel was built with it; elsewhere all of it is null.
 *
 * @see https://docs.kernel.org/accounting/psi.html; proc_vmstat(5)
 */
export function readPressure(): HostPressure {
  return {
    cpuStalledSeconds: stalledSeconds(read('/proc/pressure/cpu')),
    memoryStalledSeconds: stalledSeconds(read('/proc/pressure/memory')),
    ioStalledSeconds: stalledSeconds(read('/proc/pressure/io')),
    swappedPages: swappedPages(read('/proc/vmstat')),
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

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system, an older kernel, or a container that hides it.
    return null
  }
}
