import type { AttemptLine } from '#journal'
import type { Point } from '#statistics'

/** A stretch of time in which one contender was sent requests. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** The requests that one contender got in one go. */
export interface BlockSpan extends Span {
  readonly segment: number
  /** Of the requests that were answered. */
  readonly audioSeconds: number
}

/** The blocks of these sendings, in any order. */
export function blockSpans(sendings: readonly AttemptLine[]): readonly BlockSpan[] {
  const blocks = [
    ...Map.groupBy(
      sendings,
      ({ block, contenderId, segment = 0 }) => `${block} ${contenderId} ${segment}`,
    ).values(),
  ]
  return blocks.flatMap((block) => {
    const span = spanOf(block)
    if (span === null) return []
    const segment = block.reduce((first, { segment: own = 0 }) => Math.max(first, own), 0)
    const audioSeconds = block.reduce(
      (sum, { outcome, audioSeconds: seconds }) => sum + (outcome.ok ? seconds : 0),
      0,
    )
    return [{ ...span, segment, audioSeconds }]
  })
}

/** From the first sending to the last answer; null without any. */
export function spanOf(sendings: readonly AttemptLine[]): Span | null {
  if (sendings.length === 0) return null
  return sendings.reduce<Span>(
    ({ fromMs, untilMs }, { sentAtMs, endedAtMs }) => ({
      fromMs: Math.min(fromMs, sentAtMs),
      untilMs: Math.max(untilMs, endedAtMs),
    }),
    { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY },
  )
}

/** The value of a counter at a moment, on the line between the samples around it; null outside of them. */
export function valueAt(counter: readonly Point[], atMs: number): number | null {
  let low = 0
  let high = counter.length - 1
  const [first, last] = [counter[low], counter[high]]
  if (first === undefined || last === undefined || atMs < first.x || atMs > last.x) return null
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((counter[middle] as Point).x <= atMs) low = middle
    else high = middle
  }
  const before = counter[low] as Point
  const after = counter[high] as Point
  if (after.x === before.x) return after.y
  return before.y + ((after.y - before.y) * (atMs - before.x)) / (after.x - before.x)
}
