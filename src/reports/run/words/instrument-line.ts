import type { Evaluation } from '#analysis'
import { fixed, formatMilliseconds, formatPercent } from '../../layout/units.ts'

/**
 * The measurement error in a line: send lag, event-loop stall, processors of other programs, and how much of a
 * closed load was not kept. What was not recorded is omitted.
 *
 * @returns null where nothing was recorded
 */
export function instrumentLine({ instrument, contenders, load, run }: Evaluation): string | null {
  const { sendLagMs, loopDelayMaxMs, foreignProcessors } = instrument
  const freeShares = contenders.flatMap(({ systemSpeed: speed }) =>
    speed.value === null || load.concurrency === null
      ? []
      : [Math.max(0, 1 - speed.meanInFlight / speed.predictedInFlight)],
  )
  const parts = [
    sendLagMs === null ? [] : [`send lag p99 ${formatMilliseconds(Math.max(0, sendLagMs.p99))}`],
    loopDelayMaxMs === null ? [] : [`event-loop stall max ${formatMilliseconds(loopDelayMaxMs)}`],
    foreignProcessors === null
      ? []
      : [`other programs used ${fixed(foreignProcessors, 1)} of ${run.cpuCount} processors`],
    freeShares.length === 0 ? [] : [`load kept within ${formatPercent(Math.max(...freeShares))}`],
  ].flat()
  return parts.length === 0 ? null : parts.join(' · ')
}
