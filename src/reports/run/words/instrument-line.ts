import type { Evaluation } from '#analysis'
import { fixed, formatMilliseconds, formatPercent } from '../../layout/units.ts'

/**
 * The measurement error in a line: send lag, event-loop stall, processors of other programs, and the check by Little's
 * law. What was not recorded is omitted.
 *
 * @returns null where nothing was recorded
 */
export function instrumentLine({ instrument, contenders, run }: Evaluation): string | null {
  const { sendLagMs, loopDelayMaxMs, foreignProcessors } = instrument
  const littleErrors = contenders.flatMap(({ systemSpeed: speed }) =>
    speed.value === null || speed.meanInFlight === 0
      ? []
      : [Math.abs(speed.predictedInFlight / speed.meanInFlight - 1)],
  )
  const parts = [
    sendLagMs === null ? [] : [`send lag p99 ${formatMilliseconds(Math.max(0, sendLagMs.p99))}`],
    loopDelayMaxMs === null ? [] : [`event-loop stall max ${formatMilliseconds(loopDelayMaxMs)}`],
    foreignProcessors === null
      ? []
      : [`other programs used ${fixed(foreignProcessors, 1)} of ${run.cpuCount} processors`],
    littleErrors.length === 0
      ? []
      : [`Little's law holds within ${formatPercent(Math.max(...littleErrors))}`],
  ].flat()
  return parts.length === 0 ? null : parts.join(' · ')
}
