import type { HostSpeedIndex } from './finding.ts'
import type { Interval } from './scalability.ts'

/** A machine that is not the measured one, as far as what was measured on it tells. */
export interface OtherMachine {
  readonly name: string
  readonly processors: number
  readonly speed: HostSpeedIndex
}

/**
 * How many times as fast another machine is, by what both did in the same three kinds of work. Models are matrix
 * products for the most part, so that these give the figure; what the kinds disagree in is its range.
 */
export function relativeSpeed(
  own: HostSpeedIndex,
  other: HostSpeedIndex,
): { readonly estimate: number; readonly range: Interval } {
  const estimate = other.floatBillionsPerSecond / own.floatBillionsPerSecond
  const ratios = [
    estimate,
    other.integerMillionsPerSecond / own.integerMillionsPerSecond,
    other.memoryBillionsPerSecond / own.memoryBillionsPerSecond,
  ]
  return { estimate, range: { low: Math.min(...ratios), high: Math.max(...ratios) } }
}
