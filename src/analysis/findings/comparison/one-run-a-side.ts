import type { ComparisonFinding } from '../comparison-facts.ts'

export const oneRunASide = {
  code: 'ONE_RUN_A_SIDE',
  severity: 'note',
  meaning:
    'Speed varies from run to run more than from request to request, and one run a side says nothing about that ' +
    'spread. Speed figures are therefore shown without a verdict. Where a calibration of this host and target is ' +
    'stored (transcribench calibrate), the interval shown comes from the spread that it measured. With five runs a side ' +
    'and more, speeds get verdicts: transcribench experiment makes them in the right order.',
  detect: ({ base, run, contenders }) => {
    if (Math.max(base.length, run.length) > 1) return []
    const isCalibrated = contenders.some(({ speed }) => speed.some(({ basis }) => basis === 'calibration'))
    return [
      {
        message: isCalibrated
          ? 'speed is descriptive only: of one run a side, the intervals rest on the calibration of this host'
          : 'speed is descriptive only: one run a side says nothing about the spread between runs',
        advice: 'transcribench experiment',
      },
    ]
  },
} satisfies ComparisonFinding
