import type { ReusedLine } from '#journal'
import type { ReusedAnswers } from '../../documents/contender-evaluation.ts'

/** @param lines answers of earlier runs to one contender's requests */
export function reusedAnswers(lines: readonly ReusedLine[]): ReusedAnswers {
  const moments = lines.map(({ answeredAt }) => answeredAt).sort()
  return {
    count: lines.length,
    runs: [...new Set(lines.map(({ run }) => run))].sort(),
    oldestAt: moments[0] ?? '',
  }
}
