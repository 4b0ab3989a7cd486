import type { RunFinding } from '../run-facts.ts'

/** Above this, arrivals that should coincide on all hosts no longer do. */
const tolerableMs = 5

export const startNotCommon = {
  code: 'START_NOT_COMMON',
  severity: 'invalid',
  meaning:
    'Under an open load all hosts of a fleet start each block at the same moment by the clock of the queue. A host began more ' +
    'than 5 ms away from it, its uncertainty included: its clock could not be read well enough, or the host came late, such as with ' +
    'a block that was measured again.',
  detect: ({ material: { record } }) =>
    (record.hosts ?? []).flatMap(({ name, clock }) => {
      if (clock?.startErrorMs == null) return []
      const distanceMs = clock.startErrorMs + clock.uncertaintyMs
      if (distanceMs <= tolerableMs) return []
      return [
        {
          message: `${name} did not start with the other hosts: up to ${distanceMs.toFixed(1)} ms away, of which ${clock.uncertaintyMs.toFixed(1)} ms are the uncertainty of its clock`,
          advice: 'measure again, with a queue that is nearer to the hosts',
        },
      ]
    }),
} satisfies RunFinding
