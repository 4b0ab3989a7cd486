import type { ComparisonFinding } from '../comparison-facts.ts'
import { hostBusy, hostBusyText } from '../run/host-busy.ts'
import { named } from '../wording.ts'

/** HOST_BUSY of a comparison: runs that are excluded from speeds, because other programs kept the machine busy. */
export const hostBusyOfSides = {
  ...hostBusy,
  detect: ({ base, run }) => {
    const all = [...base, ...run].map(({ rated }) => rated)
    const busyIds = all
      .filter(
        ({ run: { cpuCount }, instrument }) => hostBusyText(cpuCount, instrument.foreignProcessors) !== null,
      )
      .map(({ run: { id } }) => id)
    if (busyIds.length === 0) return []
    return [
      {
        message: `other programs kept the machine busy in ${busyIds.length} of ${all.length} runs, which are excluded from speeds: ${named(busyIds)}`,
        advice: 'close other work and measure again',
      },
    ]
  },
} satisfies ComparisonFinding
