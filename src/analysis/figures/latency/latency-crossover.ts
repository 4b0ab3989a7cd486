import { estimateMean } from '#statistics/distributions'
import { median } from '#statistics/quantiles'
import type { Crossover } from '../../documents/latency.ts'
import type { LatencySample } from '../../requests/request-times.ts'
import {
  type CostFit,
  costDifferenceAt,
  findRange,
  fitCost,
  gatherPoints,
  unfitReason,
} from './latency-line.ts'

/** Number of lengths at which two lines are compared, from the shortest to the longest measured one. */
const comparedLengths = 100

/**
 * Finds where the lines of two contenders cross. They do if one is certainly faster at the shortest measured length
 * and the other one at the longest. The interval contains the lengths at which neither is. Both lines are over the
 * same utterances, so that a common slowness cancels.
 *
 *   difference  ╲╲╲╲
 *            0 ──┄┄╲╲╲╲┄┄┄──   doubtful where the band around the difference holds 0
 *                   ╲╲╲╲╲╲╲
 *
 * @see Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x
 */
export function findCrossover(first: readonly LatencySample[], second: readonly LatencySample[]): Crossover {
  const shared = sharedUtterances(first, second)
  const [firstPoints, secondPoints] = [gatherPoints(shared.first), gatherPoints(shared.second)]
  const problem = unfitReason(firstPoints) ?? unfitReason(secondPoints)
  const [firstFit, secondFit] = [fitCost(firstPoints), fitCost(secondPoints)]
  if (problem !== null || firstFit === null || secondFit === null) {
    return { kind: 'unresolved', reason: problem ?? 'every utterance is as long as the others' }
  }
  const [shortest, longest] = findRange(firstPoints)
  const faster = (length: number): 'first' | 'second' | null => fasterAt(firstFit, secondFit, length)
  const lengths = Array.from(
    { length: comparedLengths + 1 },
    (_, step) => shortest * (longest / shortest) ** (step / comparedLengths),
  )
  const [atShortest, atLongest] = [faster(shortest), faster(longest)]
  if (atShortest === null || atLongest === null) return tooClose
  if (atShortest === atLongest) {
    const isDoubtful = lengths.some((length) => faster(length) === null)
    return isDoubtful ? tooClose : { kind: 'none', faster: atShortest }
  }
  const sign = atShortest === 'first' ? 1 : -1
  const isCrossed = (length: number): boolean =>
    sign * costDifferenceAt(firstFit, secondFit, length).value <= 0
  return {
    kind: 'at',
    audioSeconds: firstLength(lengths, isCrossed),
    interval: {
      low: firstLength(lengths, (length) => faster(length) !== atShortest),
      high: firstLength(lengths, (length) => faster(length) === atLongest),
    },
    fasterBelow: atShortest,
  }
}

const tooClose: Crossover = {
  kind: 'unresolved',
  reason: 'the lines lie too close to each other to say whether they cross',
}

/** The same request to both contenders. */
export interface PairedLatency {
  /** Unit of the measurement: a pair of turns, or a pair of runs. */
  readonly unit: number
  readonly audioSeconds: number
  /** ln(latency of the second / latency of the first). */
  readonly logRatio: number
}

/**
 * Checks a crossing against the spread between units of measurement. The lines treat utterances as independent, but
 * those measured together are not. Short and long audio must each be faster on the side that the lines show, by a
 * t-interval over the units; both together hold at 95 %.
 *
 * @param fewest min number of units for an interval
 * @param unitName plural: "turns"
 */
export function confirmedCrossover(
  found: Crossover,
  pairs: readonly PairedLatency[],
  { fewest, unitName }: { readonly fewest: number; readonly unitName: string },
): Crossover {
  if (found.kind === 'unresolved') return found
  const isFirst = (found.kind === 'none' ? found.faster : found.fasterBelow) === 'first'
  const sign = isFirst ? 1 : -1
  const middle = median(pairs.map(({ audioSeconds }) => audioSeconds)) ?? 0
  const [low, high] =
    found.kind === 'none'
      ? [middle, middle]
      : [found.interval?.low ?? found.audioSeconds, found.interval?.high ?? found.audioSeconds]
  const isSure = (group: readonly PairedLatency[], wanted: number): boolean => {
    const means = [...Map.groupBy(group, ({ unit }) => unit).values()].map(
      (unitPairs) => unitPairs.reduce((sum, { logRatio }) => sum + wanted * logRatio, 0) / unitPairs.length,
    )
    return means.length >= fewest && (estimateMean(means)?.intervalAt(0.975).low ?? 0) > 0
  }
  const short = pairs.filter(({ audioSeconds }) => audioSeconds <= low)
  const long = pairs.filter(({ audioSeconds }) => audioSeconds >= high)
  if (isSure(short, sign) && isSure(long, found.kind === 'none' ? sign : -sign)) return found
  return { kind: 'unresolved', reason: `${unitName} differ too much from each other, or are too few, to say` }
}

/** Returns null where the interval of the difference contains 0, or there is none. */
function fasterAt(first: CostFit, second: CostFit, length: number): 'first' | 'second' | null {
  const { interval } = costDifferenceAt(first, second, length)
  if (interval === null) return null
  if (interval.low > 0) return 'first'
  return interval.high < 0 ? 'second' : null
}

/** Returns the min length from which a condition holds, to a thousandth of the step between two lengths. */
function firstLength(lengths: readonly number[], holds: (length: number) => boolean): number {
  const index = lengths.findIndex(holds)
  let high = lengths[index] ?? lengths.at(-1) ?? 0
  let low = lengths[index - 1] ?? high
  for (let halving = 0; halving < 10; halving += 1) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

function sharedUtterances(
  first: readonly LatencySample[],
  second: readonly LatencySample[],
): { readonly first: readonly LatencySample[]; readonly second: readonly LatencySample[] } {
  const idsOf = (samples: readonly LatencySample[]): ReadonlySet<string> =>
    new Set(samples.map(({ utteranceId }) => utteranceId))
  const [firstIds, secondIds] = [idsOf(first), idsOf(second)]
  const byId = (a: LatencySample, b: LatencySample): number => (a.utteranceId < b.utteranceId ? -1 : 1)
  return {
    first: [...first.filter(({ utteranceId }) => secondIds.has(utteranceId))].sort(byId),
    second: [...second.filter(({ utteranceId }) => firstIds.has(utteranceId))].sort(byId),
  }
}
