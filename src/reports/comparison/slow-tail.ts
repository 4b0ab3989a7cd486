import { type ContenderComparison, slowTail } from '#analysis'
import { formatChange } from '../layout/units.ts'

/** A tail that became slow while the middle did not, in words; null where there is none. */
export function tailText(contender: ContenderComparison): string | null {
  const tail = slowTail(contender)
  if (tail === null) return null
  const basis = tail.isJudged ? '' : ', in too few runs for a verdict'
  return `p95 ${formatChange(tail.p95Change)} while p50 is ${formatChange(tail.p50Change)}${basis}`
}
