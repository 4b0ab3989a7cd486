import type { HostSpeed, RunRecord } from '#journal'
import { quantile, sortSamples } from '#statistics'

/** How far the machine of one side may be behind the other's: several times what the same machine differs by from run to run. */
const tolerance = 0.15

/** The same short work before the runs of both sides, as the machine did it. */
export interface HostSpeedDifference {
  /** Run's over base's, of the figure that differs less; under 1 where the run's machine was slower. */
  readonly ratio: number
  readonly base: ComputingSpeed
  readonly run: ComputingSpeed
}

/** The part of a host speed index that engines lean on. */
type ComputingSpeed = Pick<HostSpeed, 'integerMillionsPerSecond' | 'floatBillionsPerSecond'>

/**
 * Whether the machines of two sides were equally fast, by their host speed indexes. A throttled or another machine is
 * slower in integers and in floats, and so both have to differ, the same way. Of several runs the middle one speaks for its
 * side, so that a single bad moment does not.
 *
 * @returns null where they were, and where a side has no index
 */
export function hostSpeedDifference(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): HostSpeedDifference | null {
  const [left, right] = [middleOf(base), middleOf(run)]
  if (left === null || right === null) return null
  const ratios = [
    right.integerMillionsPerSecond / left.integerMillionsPerSecond,
    right.floatBillionsPerSecond / left.floatBillionsPerSecond,
  ]
  const [lower, higher] = [Math.min(...ratios), Math.max(...ratios)]
  if (higher < 1 - tolerance) return { ratio: higher, base: left, run: right }
  return lower > 1 / (1 - tolerance) ? { ratio: lower, base: left, run: right } : null
}

function middleOf(side: readonly RunRecord[]): ComputingSpeed | null {
  const speeds = side.flatMap(({ host }) => (host.speed === undefined ? [] : [host.speed]))
  const middle = (figure: keyof ComputingSpeed): number =>
    quantile(sortSamples(speeds.map((speed) => speed[figure])), 0.5) ?? 0
  const [integerMillionsPerSecond, floatBillionsPerSecond] = [
    middle('integerMillionsPerSecond'),
    middle('floatBillionsPerSecond'),
  ]
  return integerMillionsPerSecond > 0 && floatBillionsPerSecond > 0
    ? { integerMillionsPerSecond, floatBillionsPerSecond }
    : null
}
