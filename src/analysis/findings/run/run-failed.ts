import { onlyGivenUp } from '../given-up.ts'
import type { RunFinding } from '../run-facts.ts'

export const runFailed = {
  code: 'RUN_FAILED',
  severity: 'invalid',
  meaning:
    'The run ended before its plan was through, because the target was lost or something on this machine failed. ' +
    'What was measured is kept and shown, but it is not the measurement that was asked for.',
  detect: (facts) => {
    const { status, ending } = facts.material.record
    if (status !== 'failed' || onlyGivenUp(facts)) return []
    const { code, message, hint } = ending ?? {
      code: 'unknown',
      message: 'no reason was recorded',
      hint: null,
    }
    return [{ message: `the run failed: ${message} (${code})`, advice: hint }]
  },
} satisfies RunFinding
