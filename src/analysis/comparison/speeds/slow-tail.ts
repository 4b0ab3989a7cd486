import type {
  ContenderComparison,
  LatencyDistribution,
  SpeedComparison,
} from '../../documents/contender-comparison.ts'

/** A tail that became slow while the middle did not. */
export interface SlowTail {
  /** Relative changes. */
  readonly p50Change: number
  readonly p95Change: number
  /** Whether a verdict says so; otherwise it is described. */
  readonly isJudged: boolean
}

/** The slowest change by so much more than the middle, where there is a tail. */
const clearlyMore = 0.25

/**
 * p50 within its margin, p95 a quarter slower or more, beyond what so few requests differ by.
 *
 * @returns null where there is none, where speeds are not compared, or where the p95 has a verdict that denies it
 */
export function slowTail({ speed, speedsWithheld, latencies }: ContenderComparison): SlowTail | null {
  const of = (wanted: SpeedComparison['metric']): SpeedComparison | undefined =>
    speed.find(({ metric }) => metric === wanted)
  const [middle, tail] = [of('latency.p50'), of('latency.p95')]
  const [p50Change, p95Change] = [middle?.relativeChange ?? null, tail?.relativeChange ?? null]
  if (speedsWithheld !== null || tail === undefined || p50Change === null || p95Change === null) return null
  const isDenied = tail.verdict !== null && tail.verdict !== 'worse' && tail.direction !== 'worse'
  if (isDenied || Math.abs(p50Change) > (middle?.margin ?? 0) || p95Change < clearlyMore) return null
  return isApart(latencies) ? { p50Change, p95Change, isJudged: tail.verdict === 'worse' } : null
}

/** Whether the p95 of the run lies above that of the base by more than the ranks of so many requests leave open (95 %). */
function isApart({ base, run }: ContenderComparison['latencies']): boolean {
  const at = ({ count, quantilesMs }: LatencyDistribution, sign: number): number => {
    const share = 0.95 + sign * 1.96 * Math.sqrt((0.95 * 0.05) / count)
    return quantilesMs[Math.round(Math.min(1, share) * 100)] ?? Number.NaN
  }
  return at(run, -1) > at(base, 1)
}
