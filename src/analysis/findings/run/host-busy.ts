import type { RunFinding } from '../run-facts.ts'
import { isHostOverloaded } from './host-overloaded.ts'

/** Above this share of the processors, other programs are in the way. */
const quietShare = 0.2

/** Where HOST_OVERLOADED is found, it says so already. */
export const hostBusy = {
  code: 'HOST_BUSY',
  severity: 'warning',
  meaning:
    'Other programs kept more than a fifth of the processors busy, on average over the run: the busy time of the machine ' +
    'less that of the server and of transcribench. Latency and speed are pessimistic, and which contender or run is faster is ' +
    'not said. Error rates are compared all the same.',
  detect: (facts) => {
    const busy = hostBusyText(facts.material.record.host.cpuCount, facts.instrument.foreignProcessors)
    if (busy === null || isHostOverloaded(facts)) return []
    const message = `${busy}: latency and speed are pessimistic, and not compared`
    return [{ message, advice: 'close other work and measure again' }]
  },
} satisfies RunFinding

/**
 * Whether other programs were busy, in words: then speeds are not compared.
 *
 * @param foreign see `foreignProcessors`
 * @returns null where they were not, or that is not known
 */
export function hostBusyText(cpuCount: number, foreign: number | null): string | null {
  if (foreign === null || foreign <= cpuCount * quietShare) return null
  return `other programs kept ${foreign.toFixed(1)} of ${cpuCount} processors busy`
}
