import type { RunFinding } from '../run-facts.ts'

/** The two clocks drift apart by a fraction of this between samples; a step or a sleep of the machine is more. */
const tolerableStepMs = 250

export const clockStepped = {
  code: 'CLOCK_STEPPED',
  severity: 'invalid',
  meaning:
    'The wall clock and the monotonic clock of this machine moved apart by more than 250 ms between two samples: ' +
    'the clock was set, or the machine slept. Figures come from the monotonic clock, which does not count sleep on ' +
    'every system, so that a request that slept through may look quick or endless.',
  detect: ({ instrument: { clockStepMaxMs } }) => {
    if (clockStepMaxMs === null || clockStepMaxMs <= tolerableStepMs) return []
    return [
      {
        message: `the clock of this machine jumped by ${(clockStepMaxMs / 1000).toFixed(1)} s during the run: it was set, or the machine slept`,
        advice: 'measure again, and keep the machine awake',
      },
    ]
  },
} satisfies RunFinding
