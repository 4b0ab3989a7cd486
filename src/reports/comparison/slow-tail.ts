import type { ContenderComparison } from '#analysis'
import { formatChange } from '../layout/units.ts'

/** The slowest change by so much more than the middle, where there is a tail. */
const clearlyMore = 0.25

/**
 * A tail that became slow while the middle did not: p50 within its margin, p95 a quarter slower or more, beyond what so few
 * requests differ by. Described where one run a side gives no verdict; not said where speeds are not compared, or where
 * the p95 has a verdict that denies it.
 *
 * @returns null where there is none
 */
export function tailText({ speed, speedsWithheld, latencies }: ContenderComparison): string | null {
  const [middle, tail] = ['latency.p50', 'latency.p95'].map((wanted) =>
    speed.find(({ metric }) => metric === wanted),
  )
  const [p50, p95] = [middle?.relativeChange ?? null, tail?.relativeChange ?? null]
  if (speedsWithheld !== null || tail === undefined || p50 === null || p95 === null) return null
  const isDenied = tail.verdict !== null && tail.verdict !== 'worse' && tail.direction !== 'worse'
  if (isDenied || Math.abs(p50) > (middle?.margin ?? 0) || p95 < clearlyMore || !isApart(latencies)) {
    return null
  }
  const basis = tail.verdict === 'worse' ? '' : ', in too few runs for a verdict'
  return `p95 ${formatChange(p95)} while p50 is ${formatChange(p50)}${basis}`
}

/** Whether the p95 of the run lies above that of the base by more than the ranks of so many requests leave open (95 %). */
function isApart({ base, run }: ContenderComparison['latencies']): boolean {
  const at = ({ count, quantilesMs }: typeof base, sign: number): number => {
    const share = 0.95 + sign * 1.96 * Math.sqrt((0.95 * 0.05) / count)
    return quantilesMs[Math.round(Math.min(1, share) * 100)] ?? Number.NaN
  }
  return at(run, -1) > at(base, 1)
}
