import type { ComparisonFinding } from '../comparison-facts.ts'
import { hostBusy } from '../run/host-busy.ts'
import { named } from '../wording.ts'

/** HOST_BUSY of a comparison: runs that are excluded from speeds, because the machine was busy. */
export const hostBusyOfSides = {
  ...hostBusy,
  detect: ({ base, run }) => {
    const all = [...base, ...run].map(({ rated }) => rated)
    const busyIds = all.filter(({ busy }) => busy !== null).map(({ run: { id } }) => id)
    if (busyIds.length === 0) return []
    return [
      {
        message: `the machine was busy in ${busyIds.length} of ${all.length} runs, which are excluded from speeds: ${named(busyIds)}`,
        advice: 'close other work and measure again',
      },
    ]
  },
} satisfies ComparisonFinding
