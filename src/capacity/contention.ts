import type { CopiesAtWork } from './at-work.ts'
import { slowdownOf } from './queue-simulation.ts'

/** What is known of the processors that workers share. */
export interface SharedProcessors {
  readonly processors: number
  /** That are busy while one request is alone: of the server, and of whoever sends on the same machine. */
  readonly perWorker: number
  /** How fast each is while all are busy, as a share of what it does while the others rest; null: not measured. */
  readonly allAtOnce: number | null
}

/**
 * How many times as long as alone each of k takes, as far as processors tell: together they get no more than there are,
 * and each is slower the more of them are busy, down to what was measured with all of them.
 *
 *   slowdown(k) = max(1, b / P) · (1 + (1 / allAtOnce - 1) · (min(b, P) - 1) / (P - 1)),   b = k · perWorker
 */
export function processorSlowdown(
  { processors, perWorker, allAtOnce }: SharedProcessors,
  atWork: number,
): number {
  const busy = atWork * perWorker
  const others = processors > 1 ? Math.max(0, Math.min(busy, processors) - 1) / (processors - 1) : 0
  return Math.max(1, busy / processors) * (1 + (1 / (allAtOnce ?? 1) - 1) * others)
}

/** Measured slowdowns, and beyond them those that the processors would give, from the last measured one on. */
export function extendSlowdowns(
  measured: readonly number[],
  workers: number,
  shared: SharedProcessors,
): readonly number[] {
  const from = measured.length
  const known = measured.at(-1) ?? 1
  return Array.from(
    { length: workers },
    (_, index) =>
      measured[index] ??
      (known * processorSlowdown(shared, index + 1)) / processorSlowdown(shared, Math.max(1, from)),
  )
}

/**
 * Measured slowdowns, and beyond them those of as many copies of the server: they use what workers of one server
 * would use, from the last measured number on. Between the numbers of copies that were tried on straight lines.
 *
 * @param copies ascending; the most of them is not less than `workers`
 */
export function slowdownsFromCopies(
  measured: readonly number[],
  workers: number,
  copies: readonly CopiesAtWork[],
): readonly number[] {
  const points = [{ copies: 1, slowdown: 1 }, ...copies]
  const beside = (count: number): number => {
    const above = points.find((point) => point.copies >= count) ?? { copies: count, slowdown: 1 }
    const below = points.findLast((point) => point.copies <= count) ?? above
    if (above.copies === below.copies) return above.slowdown
    const part = (count - below.copies) / (above.copies - below.copies)
    return below.slowdown + part * (above.slowdown - below.slowdown)
  }
  const from = Math.max(1, measured.length)
  const known = measured.at(-1) ?? 1
  return Array.from(
    { length: workers },
    (_, index) => measured[index] ?? (known * beside(index + 1)) / beside(from),
  )
}

/** On a machine with so many times the processors, that many times as many are as much in each other's way. */
export function spreadSlowdowns(
  slowdowns: readonly number[],
  workers: number,
  processorRatio: number,
): readonly number[] {
  return Array.from({ length: workers }, (_, index) => {
    const here = Math.max(1, (index + 1) / processorRatio)
    const [below, above] = [Math.floor(here), Math.ceil(here)]
    const low = slowdownOf(slowdowns, below)
    return low + (here - below) * (slowdownOf(slowdowns, above) - low)
  })
}
