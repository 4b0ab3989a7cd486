import type { ComparisonFinding } from '../comparison-facts.ts'

export const hostSpeedDiffers = {
  code: 'HOST_SPEED_DIFFERS',
  severity: 'warning',
  meaning:
    'Before each run the machine does the same short work, and its speed is in run.json (`host.speed`). By ' +
    'both its integer and its float figure, of the middle run of either side, one side had a machine that was ' +
    'more than 15% slower: throttled, on battery, shared with other work, or another one of the same name. A difference of ' +
    'speeds would be the machine’s, so there is no verdict on them. Error rates are compared all the same.',
  detect: ({ hostSpeed }) => {
    if (hostSpeed === null) return []
    const { ratio, base, run } = hostSpeed
    const pace =
      ratio < 1
        ? `${Math.round((1 - ratio) * 100)}% slower in the run than in the base`
        : `${Math.round((1 - 1 / ratio) * 100)}% slower in the base than in the run`
    const integers = `${Math.round(base.integerMillionsPerSecond)} → ${Math.round(run.integerMillionsPerSecond)}`
    const floats = `${base.floatBillionsPerSecond.toFixed(2)} → ${run.floatBillionsPerSecond.toFixed(2)}`
    return [
      {
        message: `speeds get no verdict: the machine itself was ${pace} (million integer steps a second ${integers}, billion float operations ${floats})`,
        advice: 'measure both sides interleaved: transcribench experiment',
      },
    ]
  },
} satisfies ComparisonFinding
