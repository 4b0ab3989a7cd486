import type { PlannedUtterance } from '#journal'
import { seededRandom } from '#prelude'
import { type Clustering, pooledErrorRate } from '#rates'
import { type ErrorLevel, errorCount, referenceLength } from '#scoring'
import { type Crossing, limitCrossing, type RatioTerm } from '#statistics'
import type {
  Robustness,
  RobustnessCrossing,
  RobustnessRung,
} from '../documents/error-analysis/robustness.ts'
import type { ScoredRequest } from '../requests/scored-request.ts'
import { type IntervalOptions, secondaryReplicates } from './counted-rate.ts'

const limitRates = [0.05, 0.1, 0.2, 0.3, 0.5]

export interface RobustnessOptions extends IntervalOptions {
  readonly leads: ErrorLevel
}

/** Error rates along every ladder of the corpus; empty for a corpus without one. */
export function robustnessOf(
  scored: readonly ScoredRequest[],
  options: RobustnessOptions,
): readonly Robustness[] {
  const requests = scored.flatMap((request) => (ladderOf(request) === null ? [] : [request]))
  const ladders = Map.groupBy(requests, (request) => {
    const { parameter, unit, harder } = ladderOf(request) as Ladder
    return JSON.stringify([parameter, unit, harder])
  })
  return [...ladders.values()].flatMap((own) => ladderAnalysis(own, options) ?? [])
}

type Ladder = NonNullable<NonNullable<PlannedUtterance['derived']>['ladder']>

function ladderOf({ resolved }: ScoredRequest): Ladder | null {
  return resolved.utterance.derived?.ladder ?? null
}

function ladderAnalysis(requests: readonly ScoredRequest[], options: RobustnessOptions): Robustness | null {
  const [first] = requests
  const ladder = first === undefined ? null : ladderOf(first)
  if (ladder === null) return null
  const { parameter, unit, harder } = ladder
  const byValue = Map.groupBy(requests, (request) => ladderOf(request)?.value ?? null)
  if (byValue.size < 2) return null
  const sign = harder === 'lower' ? -1 : 1
  const easiness = (value: number | null): number => (value === null ? -Infinity : sign * value)
  const ordered = [...byValue].sort(([left], [right]) => easiness(left) - easiness(right))
  return {
    parameter,
    unit,
    harder,
    rungs: ordered.map(([value, own]) => rungOf(value, own, options)),
    crossings: harder === null ? [] : crossingsOf(ordered, options),
  }
}

function rungOf(
  value: number | null,
  requests: readonly ScoredRequest[],
  { leads, clusterings, seed }: RobustnessOptions,
): RobustnessRung {
  const terms = requests.flatMap(({ resolved: { utterance }, score, weight }) =>
    score === null ? [] : [{ counts: score[leads], utterance, weight }],
  )
  return {
    value,
    utteranceCount: new Set(requests.map(({ resolved }) => resolved.utterance.id)).size,
    askedCount: requests.filter(({ resolved: { status } }) => status === 'scored' || status === 'failed')
      .length,
    scoredCount: terms.length,
    errors: pooledErrorRate(terms, clusterings, seed, secondaryReplicates),
  }
}

function crossingsOf(
  ordered: readonly (readonly [number | null, readonly ScoredRequest[]])[],
  { leads, clusterings, seed }: RobustnessOptions,
): readonly RobustnessCrossing[] {
  const steps = ordered.flatMap(([value, own]) => (value === null ? [] : [{ value, own }]))
  const values = steps.map(({ value }) => value)
  return limitRates.flatMap((limitRate) => {
    const found = clusterings.flatMap((clustering) => {
      const units = unitsOf(
        steps.map(({ own }) => own),
        clustering,
        leads,
      )
      return (
        limitCrossing(units, {
          limit: limitRate,
          random: seededRandom(seed),
          replicates: secondaryReplicates,
        }) ?? []
      )
    })
    const widest = found.toSorted((left, right) => widthOf(right) - widthOf(left))[0]
    return widest === undefined ? [] : [inValues(limitRate, widest, values)]
  })
}

/** Errors and words of each cluster at each value. */
function unitsOf(
  steps: readonly (readonly ScoredRequest[])[],
  { clusterOf }: Clustering,
  leads: ErrorLevel,
): readonly (readonly RatioTerm[])[] {
  const units = new Map<string, { numerator: number; denominator: number }[]>()
  for (const [at, requests] of steps.entries()) {
    for (const { resolved, score, weight } of requests) {
      if (score === null) continue
      const id = clusterOf(resolved.utterance)
      const terms = units.get(id) ?? steps.map(() => ({ numerator: 0, denominator: 0 }))
      units.set(id, terms)
      const term = terms[at] as { numerator: number; denominator: number }
      term.numerator += weight * errorCount(score[leads])
      term.denominator += weight * referenceLength(score[leads])
    }
  }
  return [...units.values()]
}

function widthOf({ interval }: Crossing): number {
  if (interval === null) return -1
  return interval.low === interval.high ? 0 : interval.high - interval.low
}

function inValues(
  limitRate: number,
  { position, interval }: Crossing,
  values: readonly number[],
): RobustnessCrossing {
  return {
    limitRate,
    position: position === Infinity ? 'beyond' : position === -Infinity ? 'before' : 'within',
    value: valueAt(position, values),
    easierEnd: interval === null ? null : valueAt(interval.low, values),
    harderEnd: interval === null ? null : valueAt(interval.high, values),
  }
}

function valueAt(position: number, values: readonly number[]): number | null {
  if (!Number.isFinite(position)) return null
  const before = Math.min(Math.floor(position), values.length - 1)
  const [from, to] = [values[before] as number, values[before + 1] ?? (values[before] as number)]
  return from + (position - before) * (to - from)
}
