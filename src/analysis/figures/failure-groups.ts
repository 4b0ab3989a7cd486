import { failureLabel, type RequestFailure } from '#contract/failures'
import type { FailureGroup } from '../documents/accuracy.ts'
import { type FailureWords, nameFailure } from '../requests/request-times.ts'

/** Max reasons per label. Some servers name the request or the time, so that no two reasons are equal. */
const maxReasons = 3

/** Groups failures by label, and within each by message, the most frequent first. */
export function groupFailures(failures: Iterable<RequestFailure>): readonly FailureGroup[] {
  const groups = new Map<string, Map<string, FailureWords & { count: number }>>()
  for (const failure of failures) {
    const label = failureLabel(failure)
    const reasons = groups.get(label) ?? new Map<string, FailureWords & { count: number }>()
    groups.set(label, reasons)
    const words = nameFailure(failure)
    const key = `${words.message}\n${words.hint}`
    const reason = reasons.get(key) ?? { ...words, count: 0 }
    reason.count += 1
    reasons.set(key, reason)
  }
  return [...groups]
    .map(([label, reasons]) => ({
      label,
      count: [...reasons.values()].reduce((sum, { count }) => sum + count, 0),
      reasons: [...reasons.values()]
        .sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1))
        .slice(0, maxReasons),
    }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
}

/** Formats `12 × RATE_LIMITED: Too many requests.`; several reasons have their counts. */
export function failureText({ label, count, reasons }: FailureGroup): string {
  const listedCount = reasons.reduce((sum, reason) => sum + reason.count, 0)
  const [only, ...others] = reasons
  const head = `${count} × ${label}`
  if (only === undefined) return head
  if (others.length === 0 && listedCount === count) return `${head}: ${withoutPeriod(only.message)}`
  const listed = reasons.map((reason) => `${reason.count} × ${withoutPeriod(reason.message)}`)
  return `${head}: ${[...listed, ...(listedCount < count ? [`${count - listedCount} × others`] : [])].join(', ')}`
}

/** Returns the advice of servers without duplicates. */
export function failureHints(groups: readonly FailureGroup[]): readonly string[] {
  const hints = groups.flatMap(({ reasons }) => reasons.flatMap(({ hint }) => (hint === null ? [] : [hint])))
  return [...new Set(hints.map(withoutPeriod))]
}

/** Removes the final period, because another sentence follows. */
function withoutPeriod(sentence: string): string {
  return sentence.replace(/[.!]+$/, '')
}
