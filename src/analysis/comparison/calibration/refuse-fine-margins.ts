import { detectableDifference } from '#statistics'
import { analysisErrors } from '../../errors.ts'
import type { Calibration } from './calibration.ts'
import type { Margins } from './margins.ts'

/**
 * Refuses a margin that the calibration of this host says cannot be seen with so many runs, with the figure that can.
 *
 * @param margins only those that the user set
 * @param runCount runs a side
 * @throws BenchError MARGIN_TOO_FINE
 */
export function refuseFineMargins(
  calibration: Calibration | null,
  margins: Partial<Margins>,
  runCount: number,
): void {
  if (calibration === null || runCount < 2) return
  const problems = (['latency', 'rtfx'] as const).flatMap((name) => {
    const [margin, spread] = [margins.speed, calibration.spreads[name]]
    if (margin === undefined || spread === undefined) return []
    const detectable = Math.expm1(detectableDifference(spread.standardDeviation, runCount))
    if (margin >= detectable) return []
    const what = `${percent(margin)} cannot be seen with ${runCount} runs a side; ${percent(detectable)} can`
    return [{ where: name, what }]
  })
  const [first] = problems
  if (first === undefined) return
  throw analysisErrors.make('MARGIN_TOO_FINE', {
    message: `the margin of ${first.where} is finer than this host can see: ${first.what}`,
    hint: 'ask for a wider margin or more runs, or calibrate again on a quieter machine: transcribench calibrate',
    problems: problems.slice(1),
  })
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
