import type { ContenderComparison } from '#analysis'
import { bars } from '../layout/bars.ts'
import type { Terminal } from '../layout/terminal.ts'
import { formatMilliseconds } from '../layout/units.ts'

/** Columns that a distribution is drawn in. */
const binCount = 32

/** Less than this of the highest bar is a gap: what lies between two answers is spread over the columns between them. */
const leastShown = 0.01

/**
 * Both distributions of latency, one under the other on one logarithmic axis, so that a slow tail is seen: the higher a bar,
 * the more answers took so long.
 *
 * @returns two rows and their axis; none where a side has no latencies or speeds are not compared
 */
export function latencyBars(
  { latencies, speedsWithheld }: Pick<ContenderComparison, 'latencies' | 'speedsWithheld'>,
  terminal: Terminal,
): readonly string[] {
  const [base, run] = [latencies.base.quantilesMs, latencies.run.quantilesMs]
  const all = [...base, ...run].filter((value) => value > 0)
  if (speedsWithheld !== null || base.length === 0 || run.length === 0 || all.length === 0) return []
  const [low, high] = [Math.min(...all), Math.max(...all)]
  if (low === high) return []
  const rows = [base, run].map((quantiles) => binShares(quantiles, Math.log(low), Math.log(high)))
  const most = Math.max(...rows.flat())
  const drawn = rows.map((shares) =>
    bars(
      shares.map((share) => (share < leastShown * most ? null : share / most)),
      terminal,
    ),
  )
  const [left, right] = [formatMilliseconds(low), formatMilliseconds(high)]
  const gap = ' '.repeat(Math.max(1, binCount - left.length - right.length))
  return [`base  ${drawn[0]}`, `run   ${drawn[1]}`, `      ${left}${gap}${right}`]
}

/** The share of the answers in each bin: a hundredth lies between every two quantiles, spread evenly. */
function binShares(quantilesMs: readonly number[], low: number, high: number): readonly number[] {
  const shares = new Array<number>(binCount).fill(0)
  const placeOf = (ms: number): number =>
    ms <= 0 ? 0 : Math.min(binCount - 1e-9, Math.max(0, ((Math.log(ms) - low) / (high - low)) * binCount))
  for (let step = 1; step < quantilesMs.length; step += 1) {
    const [from, until] = [placeOf(quantilesMs[step - 1] ?? 0), placeOf(quantilesMs[step] ?? 0)]
    const width = Math.max(until - from, 1e-9)
    for (let bin = Math.floor(from); bin <= Math.floor(until) && bin < binCount; bin += 1) {
      const part = Math.min(until, bin + 1) - Math.max(from, bin)
      shares[bin] = (shares[bin] ?? 0) + (width <= 1e-9 ? 1 : Math.max(0, part) / width)
    }
  }
  return shares
}
