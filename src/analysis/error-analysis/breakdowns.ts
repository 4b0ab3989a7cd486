import type { PlannedUtterance } from '#journal/plan-line'
import { seededRandom } from '#prelude'
import type { ErrorRate } from '#rates/documents'
import { type Clustering, countSpeakers, listClusterings, pooledErrorRate } from '#rates/error-rate'
import { errorCount, referenceLength } from '#scoring/counts'
import { durationBucket } from '#scoring/error-analysis/confusions'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import type { ErrorLevel, Profile } from '#scoring/profiles/profile'
import type { RatioTerm } from '#statistics/bootstrap'
import { type Crossing, limitCrossing } from '#statistics/intervals'
import type { Robustness, RobustnessCrossing, RobustnessRung } from '../documents/error-analysis.ts'
import type { Breakdown, BreakdownGroup } from '../documents/error-rates.ts'
import { sentenceErrorRate } from '../figures/contender-evaluation.ts'
import { errorTerms, hasOutcome, type ScoredRequest } from '../requests/request-times.ts'
import { type IntervalOptions, secondaryReplicates } from './counted-rate.ts'

/** Number of utterances below which a group's rate says little. */
const smallGroup = 20
const listedGroups = 100

const groupings: Readonly<
  Record<Breakdown['by'], (utterance: PlannedUtterance) => readonly (string | null)[]>
> = {
  speaker: ({ speaker }) => [speaker],
  tag: ({ tags }) => (tags.length === 0 ? [null] : tags),
  language: ({ language }) => [language],
  source: ({ source }) => [source],
  duration: ({ durationSeconds }) => [durationBucket(durationSeconds)],
}

/**
 * Breaks error rates down by the fields of the corpus. A field with the same value everywhere gives a single group;
 * one without any value gives no breakdown.
 */
export function breakDownRates(
  scored: readonly ScoredRequest[],
  seed: number,
  rules: Profile,
): readonly Breakdown[] {
  return (Object.keys(groupings) as Breakdown['by'][]).flatMap((by) => {
    const groups = groupRequests(scored, groupings[by])
    if (groups.size === 0 || (groups.size === 1 && groups.has(null))) return []
    const largest = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, listedGroups)
    const isScoredEach = by === 'language' && rules.ofLanguage !== undefined
    const rated = largest.map(([name, members]) => ({
      ...rateGroup(name, members, seed),
      ...(isScoredEach ? { profile: pickProfile(profileOfUtterance(rules, name)) } : {}),
    }))
    return [{ by, groupCount: groups.size, groups: rated.sort(by === 'duration' ? byLength : byWords) }]
  })
}

function pickProfile({ id, leads }: Profile): NonNullable<BreakdownGroup['profile']> {
  return { id, leads }
}

function groupRequests(
  requests: readonly ScoredRequest[],
  namesOf: (utterance: PlannedUtterance) => readonly (string | null)[],
): ReadonlyMap<string | null, readonly ScoredRequest[]> {
  const named = requests.flatMap((request) =>
    [...new Set(namesOf(request.resolved.utterance))].map((name) => ({ name, request })),
  )
  return new Map(
    [...Map.groupBy(named, ({ name }) => name)].map(([name, entries]) => [
      name,
      entries.map(({ request }) => request),
    ]),
  )
}

function rateGroup(name: string | null, members: readonly ScoredRequest[], seed: number): BreakdownGroup {
  const utterances = [...new Set(members.map(({ resolved }) => resolved.utterance))]
  const rateOf = (level: ErrorLevel, replicates: number): ErrorRate =>
    pooledErrorRate(errorTerms(members, level), listClusterings(utterances), seed, replicates)
  const characters = rateOf('characters', 0)
  return {
    name,
    utteranceCount: utterances.length,
    speakerCount: countSpeakers(utterances),
    askedCount: members.filter(({ resolved }) => hasOutcome(resolved)).length,
    scoredCount: members.filter(({ score }) => score !== null).length,
    words: rateOf('words', secondaryReplicates),
    characters: characters.counts,
    characterErrorRate: characters.rate,
    sentenceErrorRate: sentenceErrorRate(members),
    isSmall: utterances.length < smallGroup,
  }
}

function byWords(a: BreakdownGroup, b: BreakdownGroup): number {
  return b.words.referenceLength - a.words.referenceLength || ((a.name ?? '') < (b.name ?? '') ? -1 : 1)
}

/** Sorts `0-2 s` before `10-30 s`. */
function byLength(a: BreakdownGroup, b: BreakdownGroup): number {
  return Number.parseInt(a.name ?? '', 10) - Number.parseInt(b.name ?? '', 10) || byWords(b, a)
}

const limitRates = [0.05, 0.1, 0.2, 0.3, 0.5]

interface RobustnessOptions extends IntervalOptions {
  readonly leads: ErrorLevel
}

/** Measures error rates along every degradation ladder of the corpus; empty for a corpus without one. */
export function measureRobustness(
  scored: readonly ScoredRequest[],
  options: RobustnessOptions,
): readonly Robustness[] {
  const requests = scored.flatMap((request) => (findLadder(request) === null ? [] : [request]))
  const ladders = Map.groupBy(requests, (request) => {
    const { parameter, unit, harder } = findLadder(request) as Ladder
    return JSON.stringify([parameter, unit, harder])
  })
  return [...ladders.values()].flatMap((ladderRequests) => ladderAnalysis(ladderRequests, options) ?? [])
}

type Ladder = NonNullable<NonNullable<PlannedUtterance['derived']>['ladder']>

function findLadder({ resolved }: ScoredRequest): Ladder | null {
  return resolved.utterance.derived?.ladder ?? null
}

function ladderAnalysis(requests: readonly ScoredRequest[], options: RobustnessOptions): Robustness | null {
  const [first] = requests
  const ladder = first === undefined ? null : findLadder(first)
  if (ladder === null) return null
  const { parameter, unit, harder } = ladder
  const byValue = Map.groupBy(requests, (request) => findLadder(request)?.value ?? null)
  if (byValue.size < 2) return null
  const sign = harder === 'lower' ? -1 : 1
  const easiness = (value: number | null): number => (value === null ? -Infinity : sign * value)
  const ordered = [...byValue].sort(([left], [right]) => easiness(left) - easiness(right))
  return {
    parameter,
    unit,
    harder,
    rungs: ordered.map(([value, rungRequests]) => rateRung(value, rungRequests, options)),
    crossings: harder === null ? [] : findCrossings(ordered, options),
  }
}

function rateRung(
  value: number | null,
  requests: readonly ScoredRequest[],
  { leads, clusterings, seed }: RobustnessOptions,
): RobustnessRung {
  const terms = errorTerms(requests, leads)
  return {
    value,
    utteranceCount: new Set(requests.map(({ resolved }) => resolved.utterance.id)).size,
    askedCount: requests.filter(({ resolved }) => hasOutcome(resolved)).length,
    scoredCount: terms.length,
    errors: pooledErrorRate(terms, clusterings, seed, secondaryReplicates),
  }
}

function findCrossings(
  ordered: readonly (readonly [number | null, readonly ScoredRequest[]])[],
  { leads, clusterings, seed }: RobustnessOptions,
): readonly RobustnessCrossing[] {
  const steps = ordered.flatMap(([value, requests]) => (value === null ? [] : [{ value, requests }]))
  const values = steps.map(({ value }) => value)
  const requestsByStep = steps.map(({ requests }) => requests)
  const unitsByClustering = clusterings.map((clustering) => gatherUnits(requestsByStep, clustering, leads))
  return limitRates.flatMap((limitRate) => {
    const found = unitsByClustering.flatMap(
      (units) => limitCrossing(units, limitRate, seededRandom(seed), secondaryReplicates) ?? [],
    )
    const widest = found.toSorted((left, right) => measureWidth(right) - measureWidth(left))[0]
    return widest === undefined ? [] : [inValues(limitRate, widest, values)]
  })
}

/** Returns errors and words of each cluster at each value. */
function gatherUnits(
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

function measureWidth({ interval }: Crossing): number {
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
