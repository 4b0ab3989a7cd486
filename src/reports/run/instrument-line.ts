import type { Evaluation } from '#analysis'
import { fixed, formatMilliseconds, formatPercent } from '../layout/units.ts'

/**
 * The instrument's own error in a line: how late the requests left, how long the measuring process was held up, what
 * other programs took, and how far completions and times are apart (Little's law). What was not recorded is left out.
 *
 * @returns null where nothing was recorded
 */
export function instrumentLine({ instrument, load, contenders, run }: Evaluation): string | null {
  const { sendLagMs, loopDelayMaxMs, foreignProcessors } = instrument
  const moment = load.latencyCountsFrom === 'due' ? 'of their moment' : 'of a free place'
  const littleErrors = contenders.flatMap(({ systemSpeed: speed }) =>
    speed.value === null || speed.meanInFlight === 0
      ? []
      : [Math.abs(speed.predictedInFlight / speed.meanInFlight - 1)],
  )
  const parts = [
    sendLagMs === null
      ? []
      : [`99% of requests left within ${formatMilliseconds(Math.max(0, sendLagMs.p99))} ${moment}`],
    loopDelayMaxMs === null ? [] : [`held up ${formatMilliseconds(loopDelayMaxMs)} at most`],
    foreignProcessors === null
      ? []
      : [`other programs used ${fixed(foreignProcessors, 1)} of ${run.cpuCount} processors`],
    littleErrors.length === 0 ? [] : [`Little's law within ${formatPercent(Math.max(...littleErrors))}`],
  ].flat()
  return parts.length === 0 ? null : parts.join(' · ')
}
