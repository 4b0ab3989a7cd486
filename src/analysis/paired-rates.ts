import type { PlannedUtterance } from '#journal'
import { seededRandom } from '#prelude'
import { errorCount, referenceLength } from '#scoring'
import { pairedBootstrap, type RatioTerm, ratioOfSums, sumByCluster } from '#statistics'
import { clusteringsOf } from './clustering.ts'
import type { PairedRate } from './comparison.ts'
import type { ScoredContender } from './contender-evaluation.ts'
import type { Interval } from './evaluation.ts'

export type ErrorLevel = 'words' | 'characters'

/** One utterance with everything that one contender answered to it. */
export interface UtteranceScore {
  readonly utterance: PlannedUtterance
  /** One per scored round, in the order of the plan. */
  readonly hypotheses: readonly string[]
  /** Mean over the scored rounds. */
  readonly errors: Readonly<Record<ErrorLevel, number>>
  /** Of the normalised reference; the same in every round. */
  readonly lengths: Readonly<Record<ErrorLevel, number>>
}

/** What one contender answered to an utterance in one run, added up. */
interface UtteranceTally {
  readonly utterance: PlannedUtterance
  readonly hypotheses: string[]
  /** Over all of them. */
  wordErrors: number
  characterErrors: number
  readonly words: number
  readonly characters: number
}

/** A contender's utterances by id; those without a scored round are not in it. */
export type UtteranceTallies = ReadonlyMap<string, UtteranceTally>

export function tallyUtterances(scored: ScoredContender): UtteranceTallies {
  const tallies = new Map<string, UtteranceTally>()
  for (const { judged, score } of scored.requests) {
    if (score === null) continue
    const { utterance } = judged
    const [hypothesis, wordErrors] = [judged.hypothesis ?? '', errorCount(score.words)]
    const characterErrors = errorCount(score.characters)
    const known = tallies.get(utterance.id)
    if (known === undefined) {
      const lengths = { words: referenceLength(score.words), characters: referenceLength(score.characters) }
      const counted = { wordErrors, characterErrors, ...lengths }
      tallies.set(utterance.id, { utterance, hypotheses: [hypothesis], ...counted })
    } else {
      known.hypotheses.push(hypothesis)
      known.wordErrors += wordErrors
      known.characterErrors += characterErrors
    }
  }
  return tallies
}

/** The same contender's utterances in one or several runs. */
export function utteranceScores(runs: readonly UtteranceTallies[]): ReadonlyMap<string, UtteranceScore> {
  const ids = runs.length === 1 ? runs[0]?.keys() : new Set(runs.flatMap((run) => [...run.keys()]))
  const scores = new Map<string, UtteranceScore>()
  for (const id of ids ?? []) {
    const score = utteranceScore(runs.flatMap((run) => run.get(id) ?? []))
    if (score !== null) scores.set(id, score)
  }
  return scores
}

function utteranceScore(tallies: readonly UtteranceTally[]): UtteranceScore | null {
  const [first] = tallies
  if (first === undefined) return null
  const hypotheses = tallies.length === 1 ? first.hypotheses : tallies.flatMap((tally) => tally.hypotheses)
  const mean = (errors: (tally: UtteranceTally) => number): number =>
    tallies.reduce((sum, tally) => sum + errors(tally), 0) / hypotheses.length
  return {
    utterance: first.utterance,
    hypotheses,
    errors: {
      words: mean(({ wordErrors }) => wordErrors),
      characters: mean(({ characterErrors }) => characterErrors),
    },
    lengths: { words: first.words, characters: first.characters },
  }
}

/** The same utterance on both sides. */
export interface PairedUtterance {
  readonly base: UtteranceScore
  readonly run: UtteranceScore
}

/** Pairs by id, in the order of the ids, so that the draw of an interval does not hang on who asked first. */
export function pairUtterances(
  base: ReadonlyMap<string, UtteranceScore>,
  run: ReadonlyMap<string, UtteranceScore>,
): readonly PairedUtterance[] {
  const pairs: PairedUtterance[] = []
  for (const id of [...base.keys()].sort()) {
    const [left, right] = [base.get(id), run.get(id)]
    if (left !== undefined && right !== undefined) pairs.push({ base: left, run: right })
  }
  return pairs
}

/** Two rates over the same utterances, and their difference. */
export interface PairedRates {
  readonly base: PairedRate
  readonly run: PairedRate
  /** run - base. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** Utterances whose errors differ at all. */
  readonly differingCount: number
  /** Of the difference; the widest of the ways to resample. Without width where no utterance differs. */
  intervalAt(confidence: number): { readonly low: number; readonly high: number } | null
}

/**
 * The rates of both sides with a paired cluster bootstrap of their difference: what makes an utterance hard
 * for both sides cancels.
 *
 * @see Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009
 */
export function pairedRates(pairs: readonly PairedUtterance[], level: ErrorLevel, seed: number): PairedRates {
  const utterances = pairs.map((pair) => pair.base.utterance)
  const terms = pairs.map(({ base, run }) => ({
    base: { numerator: base.errors[level], denominator: base.lengths[level] },
    run: { numerator: run.errors[level], denominator: run.lengths[level] },
  }))
  const base = pairedRate(terms.map((term) => term.base))
  const run = pairedRate(terms.map((term) => term.run))
  const differingCount = terms.filter((term) => term.base.numerator !== term.run.numerator).length
  const bootstraps = clusteringsOf(utterances).map(({ clusterOf, method }) => ({
    method,
    ...pairedBootstrap(sumByCluster(terms, utterances.map(clusterOf)), { random: seededRandom(seed) }),
  }))
  const isSame = differingCount === 0 && base.rate !== null
  return {
    base,
    run,
    difference: base.rate === null || run.rate === null ? null : run.rate - base.rate,
    interval: widestOf(
      bootstraps.map(({ result: { interval, confidence }, method }) =>
        interval === null ? null : { ...interval, confidence, method },
      ),
    ),
    differingCount,
    intervalAt: (confidence) =>
      widestOf(bootstraps.map(({ intervalAt }) => intervalAt(confidence))) ??
      (isSame ? { low: 0, high: 0 } : null),
  }
}

function widestOf<Bounds extends { readonly low: number; readonly high: number }>(
  intervals: readonly (Bounds | null)[],
): Bounds | null {
  return intervals.reduce<Bounds | null>(
    (widest, one) =>
      one !== null && (widest === null || one.high - one.low > widest.high - widest.low) ? one : widest,
    null,
  )
}

function pairedRate(terms: readonly RatioTerm[]): PairedRate {
  return {
    rate: ratioOfSums(terms),
    errors: terms.reduce((sum, term) => sum + term.numerator, 0),
    referenceLength: terms.reduce((sum, term) => sum + term.denominator, 0),
  }
}

/**
 * Whether so many utterances differ that chance is excluded at this confidence: were both sides alike, each difference
 * would fall either way with the same probability, and k of them all fall one way with 2 / 2ᵏ, which is below 0.05 from
 * k = 6. A bootstrap of fewer is sure of itself without reason.
 *
 * @see Dror et al. 2018, doi:10.18653/v1/P18-1128 (sign-flip tests for small samples)
 */
export function canDecide(
  { differingCount }: Pick<PairedRates, 'differingCount'>,
  confidence = 0.95,
): boolean {
  return 2 / 2 ** differingCount <= 1 - confidence + 1e-12
}
