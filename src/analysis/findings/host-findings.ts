import type { RecordedHost } from '#journal'
import { type Finding, finding } from '../documents/finding.ts'

/** Above this share of the processors, other programs are in the way. */
const quietShare = 0.2

/**
 * Whether other programs were in the way, in words: then no speed is held against another one.
 *
 * @param foreign see `foreignProcessors`
 * @returns null where they were not, or that is not known
 */
export function hostBusyText(cpuCount: number, foreign: number | null): string | null {
  if (foreign === null || foreign <= cpuCount * quietShare) return null
  return `other programs kept ${foreign.toFixed(1)} of ${cpuCount} processors busy`
}

/**
 * Whether other programs used the machine while it measured.
 *
 * @param foreign see `foreignProcessors`
 */
export function hostFindings(cpuCount: number, foreign: number | null): readonly Finding[] {
  const busy = hostBusyText(cpuCount, foreign)
  if (busy === null) return []
  const what = `${busy}: latency and speed are pessimistic, and not compared`
  return [finding('HOST_BUSY', what, 'close other work and measure again')]
}

export function batteryFinding({ power }: Pick<RecordedHost, 'power'>): readonly Finding[] {
  if (power !== 'battery') return []
  const message = 'the machine ran on its battery: processors may have been slowed down'
  return [finding('ON_BATTERY', message, 'plug it in and measure again')]
}
