import type { Evaluation } from '../../documents/evaluation.ts'
import type { RunFinding } from '../run-facts.ts'
import { latenessText } from './generator-late.ts'
import { isHostOverloaded } from './host-overloaded.ts'

/** Above this share of the processors, other programs are in the way. */
const quietShare = 0.2
/** Above this share of the time, work waited for a processor. */
const shortOfProcessorsShare = 0.2

/** Where HOST_OVERLOADED is found, it says so already. */
export const hostBusy = {
  code: 'HOST_BUSY',
  severity: 'warning',
  meaning:
    'Other programs kept more than a fifth of the processors busy, on average over the run: the busy time of the machine ' +
    'less that of the server and of transcribench. Or transcribench itself had to wait for a processor: one ' +
    'request in a hundred of a closed load left later than it could by more than 20 ms and more than a tenth of the median latency. ' +
    'Latency and speed are pessimistic, and which contender or run is faster is not said. Error rates are compared all the same.',
  detect: (facts) => {
    const { host } = facts.material.record
    const busy = hostBusyText({ ...facts, run: host })
    if (busy === null || isHostOverloaded(facts)) return []
    const message = `${busy}: latency and speed are pessimistic, and not compared`
    return [{ message, advice: 'close other work and measure again, or measure from another machine' }]
  },
} satisfies RunFinding

/** What decides whether the machine was busy. */
type HostFacts = Pick<Evaluation, 'instrument' | 'load' | 'resources' | 'contenders'> & {
  readonly run: Pick<Evaluation['run'], 'cpuCount'>
}

/**
 * Whether a run had too few processors, in words: then its speeds are not compared, and are marked wherever they are shown.
 * Whose work it was, the lateness of the client does not say: it may be that of a server which cannot be watched.
 *
 * @returns null where it had enough, or that is not known
 */
export function hostBusyText(facts: HostFacts): string | null {
  const { instrument, run, load, resources } = facts
  const foreign = instrument.foreignProcessors
  if (foreign !== null && foreign > run.cpuCount * quietShare) {
    return `other programs kept ${foreign.toFixed(1)} of ${run.cpuCount} processors busy`
  }
  // Under an open load a late generator is a fault of the run: GENERATOR_LATE.
  const late = load.latencyCountsFrom === 'due' ? null : latenessText(facts)
  const waitingShare = resources.host.cpuStalledRate
  if (late === null || (waitingShare !== null && waitingShare < shortOfProcessorsShare)) return null
  const shortage =
    waitingShare === null
      ? ''
      : `, and work waited for a processor for ${Math.round(100 * waitingShare)}% of the time`
  return `${late}${shortage}`
}
