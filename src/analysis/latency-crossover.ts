import { quantile, sortSamples } from '#statistics'
import {
  type CostLine,
  costAt,
  fitCost,
  type LatencySample,
  middleOf,
  pointsOf,
  rangeOf,
  resampledLines,
  unfitReason,
} from './latency-line.ts'

/** At which length two contenders take as long, and which one is faster on either side of it. */
export type Crossover =
  | {
      readonly kind: 'at'
      readonly audioSeconds: number
      readonly interval: { readonly low: number; readonly high: number } | null
      /** Which of the two is faster below: the other one is faster above. */
      readonly fasterBelow: 'first' | 'second'
    }
  /** One of the two is faster at every measured length. */
  | { readonly kind: 'none'; readonly faster: 'first' | 'second' }
  | { readonly kind: 'unresolved'; readonly reason: string }

/**
 * Where the lines of two contenders cross, d = (a₂ - a₁) / (b₁ - b₂), with the interval of resampling the utterances
 * that both answered: the same ones for both. A crossing outside the measured lengths is none.
 *
 * @param seed of the resampling
 */
export function findCrossover(
  first: readonly LatencySample[],
  second: readonly LatencySample[],
  seed: number,
): Crossover {
  const shared = sharedUtterances(first, second)
  const [left, right] = [pointsOf(shared.first), pointsOf(shared.second)]
  const problem = unfitReason(left) ?? unfitReason(right)
  const [a, b] = [fitCost(left), fitCost(right)]
  if (problem !== null || a === null || b === null) {
    return { kind: 'unresolved', reason: problem ?? 'every utterance is as long as the others' }
  }
  const range = rangeOf(left)
  const others = resampledLines(right, b, seed)
  const pairs = resampledLines(left, a, seed).flatMap((line, index) => {
    const other = others[index]
    return other === undefined ? [] : [{ line, other }]
  })
  const crossings = pairs.map(({ line, other }) => crossing(line, other, range)).filter((at) => at !== null)
  if (crossings.length >= sureShare * pairs.length) {
    const at = crossing(a, b, range) ?? quantile(sortSamples(crossings), 0.5) ?? range[0]
    const fasterBelow = costAt(a, range[0]) < costAt(b, range[0]) ? 'first' : 'second'
    return { kind: 'at', audioSeconds: at, interval: middleOf(crossings, left.length), fasterBelow }
  }
  const isFirstFaster = ({ line, other }: (typeof pairs)[number]): boolean =>
    range.every((length) => costAt(line, length) < costAt(other, length))
  const isSecondFaster = ({ line, other }: (typeof pairs)[number]): boolean =>
    range.every((length) => costAt(line, length) > costAt(other, length))
  if (pairs.filter(isFirstFaster).length >= sureShare * pairs.length) return { kind: 'none', faster: 'first' }
  if (pairs.filter(isSecondFaster).length >= sureShare * pairs.length)
    return { kind: 'none', faster: 'second' }
  return { kind: 'unresolved', reason: 'the lines lie too close to each other to say whether they cross' }
}

/** So many of the resampled pairs of lines have to agree on what happens. */
const sureShare = 0.975

function sharedUtterances(
  first: readonly LatencySample[],
  second: readonly LatencySample[],
): { readonly first: readonly LatencySample[]; readonly second: readonly LatencySample[] } {
  const idsOf = (samples: readonly LatencySample[]): ReadonlySet<string> =>
    new Set(samples.map(({ utteranceId }) => utteranceId))
  const [left, right] = [idsOf(first), idsOf(second)]
  const byId = (a: LatencySample, b: LatencySample): number => (a.utteranceId < b.utteranceId ? -1 : 1)
  return {
    first: first.filter(({ utteranceId }) => right.has(utteranceId)).sort(byId),
    second: second.filter(({ utteranceId }) => left.has(utteranceId)).sort(byId),
  }
}

/** The length at which two lines meet, null where that is not among the measured ones. */
function crossing(a: CostLine, b: CostLine, [shortest, longest]: readonly [number, number]): number | null {
  const at = (b.intercept - a.intercept) / (a.slope - b.slope)
  return Number.isFinite(at) && at >= shortest && at <= longest ? at : null
}
