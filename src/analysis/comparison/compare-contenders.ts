import { leadingFirst, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { ContenderComparison, RateComparison } from '../documents/contender-comparison.ts'
import {
  canDecide,
  type PairedUtterance,
  pairedRates,
  pairUtterances,
} from '../figures/ranking/paired-rates.ts'
import type { PooledScore, PooledScores } from '../figures/ranking/pooled-scores.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { draftFailures, type OutcomesOfRun } from './compare-failures.ts'
import {
  compareDurations,
  crossoverOfRuns,
  draftSpeeds,
  latencyDistribution,
  type SpeedContext,
} from './compare-speeds.ts'
import { type ContenderRun, sharedSamples, usableRuns } from './run-speeds.ts'
import { testDifference } from './significance.ts'
import { type ContenderDraft, type Draft, unjudged } from './verdicts.ts'
import { failureChanges, type UnscoredOutcomes, unscoredOutcome, whatChanged } from './what-changed.ts'

/** One contender on one side: the transcripts of all its runs pooled, and its figures per run. */
export interface ContenderSide {
  readonly id: string
  readonly scores: PooledScores
  readonly unscored: UnscoredOutcomes
  /** Runs in order of time, as are the outcomes. */
  readonly runs: readonly ContenderRun[]
  readonly outcomes: readonly OutcomesOfRun[]
}

export interface ContenderContext extends Omit<SpeedContext, 'unusable'> {
  readonly scorer: TranscriptScorer
  readonly seed: number
  /** Ids with the same audio and reference on both sides. */
  readonly matching: ReadonlySet<string>
  readonly unmatched: ContenderComparison['unpaired']
}

/** Compares a contender of the base with one of the other side. */
export function draftContenders(
  base: ContenderSide,
  run: ContenderSide,
  context: ContenderContext,
): ContenderDraft {
  const { matching, scorer, seed } = context
  const pairs = pairUtterances(matchingScores(base, matching), matchingScores(run, matching))
  const usable = usableRuns(base.runs, run.runs)
  const withheld = usable.reason ?? context.withheld
  const [baseRuns, runs] = sharedSamples(usable.sides, matching)
  return {
    rates: leadingFirst(scorer.profile.leads).map((level) => draftRate(level, pairs, context)),
    speed: draftSpeeds(baseRuns, runs, { ...context, unusable: usable.reason }),
    failures: draftFailures(base.outcomes, run.outcomes, matching),
    rest: {
      baseContenderId: base.id,
      runContenderId: run.id,
      pairedUtteranceCount: pairs.length,
      significance: testDifference(pairs, scorer.profile.leads, seed),
      unpaired: [...context.unmatched, ...withoutPartner(base, run, matching, pairs)],
      ...whatChanged(pairs, scorer),
      speedsWithheld: withheld,
      byDuration: compareDurations(baseRuns, runs),
      latencies: { base: latencyDistribution(baseRuns), run: latencyDistribution(runs) },
      crossover: crossoverOfRuns(baseRuns, runs, { seed, withheld }),
      failureChanges: failureChanges(base, run, matching),
    },
  }
}

function matchingScores({ scores }: ContenderSide, matching: ReadonlySet<string>): PooledScores {
  return new Map([...scores].filter(([id]) => matching.has(id)))
}

function draftRate(
  level: ErrorLevel,
  pairs: readonly PairedUtterance[],
  { seed, margins }: ContenderContext,
): Draft<RateComparison> {
  const rates = pairedRates(pairs, level, seed)
  const { base, run, difference, interval, differingCount } = rates
  const metric = rateMetrics[level]
  const margin = margins[metric]
  const isExact = pairs.length > 0 && pairs.every((pair) => isRepeatable(pair.base) && isRepeatable(pair.run))
  const row = {
    metric,
    base,
    run,
    difference,
    interval,
    differingCount,
    margin,
    isExact,
    isOfCorpusAlone: saysNothingOfOtherSpeech(pairs),
    ...unjudged,
  }
  if (difference === null) return { row, claim: null }
  const canDecideAt = (confidence: number): boolean => canDecide(rates, confidence)
  /** A bootstrap with few differing utterances is too narrow, so its interval is extended to 0. */
  const intervalAt = (confidence: number): ReturnType<typeof rates.intervalAt> => {
    const found = rates.intervalAt(confidence)
    if (found === null || canDecideAt(confidence)) return found
    return { low: Math.min(0, found.low), high: Math.max(0, found.high) }
  }
  const measured = { estimate: difference, count: pairs.length }
  return { row, claim: { better: 'lower', margin, intervalAt, canDecideAt, ...measured } }
}

/** Min number of recordings with which a result also holds for other speech. */
const fewestUtterances = 20
const fewestSpeakers = 5

function saysNothingOfOtherSpeech(pairs: readonly PairedUtterance[]): boolean {
  const speakers = new Set(
    pairs.map(({ base }) => base.utterance.speaker).filter((speaker) => speaker !== null),
  )
  // A corpus of one voice is explicitly about that voice; one of a few voices seems to be about more.
  const areFew = speakers.size > 1 && speakers.size < fewestSpeakers
  return pairs.length < fewestUtterances || areFew
}

/** Whether an utterance was sent more than once and always had the same answer. */
function isRepeatable({ hypotheses }: PooledScore): boolean {
  return hypotheses.length > 1 && hypotheses.every((text) => text === hypotheses[0])
}

/** Lists utterances that match but were not scored on both sides, each with its outcome. */
function withoutPartner(
  base: ContenderSide,
  run: ContenderSide,
  matching: ReadonlySet<string>,
  pairs: readonly PairedUtterance[],
): ContenderComparison['unpaired'] {
  const paired = new Set(pairs.map((pair) => pair.base.utterance.id))
  return [...matching]
    .filter((id) => !paired.has(id))
    .sort()
    .map((utteranceId) => {
      const sides = [
        ['base', unscoredOutcome(base, utteranceId)],
        ['run', unscoredOutcome(run, utteranceId)],
      ] as const
      const reasons = sides
        .filter(([, outcome]) => outcome !== null)
        .map(([side, outcome]) => `${outcome ?? 'not asked'} in ${side}`)
      return { utteranceId, reason: reasons.join(', ') }
    })
}
