import { readFile } from 'node:fs/promises'

/**
 * The most memory that this process ever held. Linux carries the peak of the parent over into `maxRSS` of a child; the
 * high-water mark of the address space begins anew with the program. Elsewhere `maxRSS` is what there is, in kilobytes as
 * Node documents it.
 */
export async function peakBytes(): Promise<number> {
  const status = process.platform === 'linux' ? await readFile('/proc/self/status', 'utf8') : ''
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return Number(kilobytes) * 1024
}
