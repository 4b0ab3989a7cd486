import type { ChangedUtterance, ContenderComparison, RateComparison, SpeedComparison } from './comparison.ts'
import type { ScoredContender } from './contender-evaluation.ts'
import type { ContenderEvaluation } from './evaluation.ts'
import {
  type ErrorLevel,
  type PairedUtterance,
  pairedRates,
  pairUtterances,
  type UtteranceScore,
  utteranceScores,
  verdictOf,
} from './paired-rates.ts'
import type { TranscriptScorer } from './transcript-scorer.ts'

/** Differences inside ± margin count as none; in rate, so 0.002 is 0.2 percentage points. */
export interface Margins {
  readonly wer: number
  readonly cer: number
}

export interface ContenderSide {
  readonly scored: ScoredContender
  readonly evaluation: ContenderEvaluation
}

export interface ContenderContext {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly margins: Margins
  /** Ids that stand for the same audio and reference on both sides; others are unpaired by now. */
  readonly matching: ReadonlySet<string>
  readonly unmatched: ContenderComparison['unpaired']
}

const mostChangedShown = 20

/** Holds one contender of the base run against one of the other. */
export function compareContenders(
  base: ContenderSide,
  run: ContenderSide,
  context: ContenderContext,
): ContenderComparison {
  const baseScores = matchingScores(base.scored, context.matching)
  const runScores = matchingScores(run.scored, context.matching)
  const pairs = pairUtterances(baseScores, runScores)
  const changes = pairs.map((pair) => ({ pair, difference: pair.run.errors.words - pair.base.errors.words }))
  const changed = changes.filter(({ difference }) => difference !== 0)
  const betterCount = changed.filter(({ difference }) => difference < 0).length
  return {
    baseContenderId: base.evaluation.contender.id,
    runContenderId: run.evaluation.contender.id,
    pairedUtteranceCount: pairs.length,
    unpaired: [...context.unmatched, ...withoutPartner(base.scored, run.scored, context.matching, pairs)],
    identicalTextCount: pairs.filter(hasIdenticalTexts).length,
    rates: [compareRate('wer', 'words', pairs, context), compareRate('cer', 'characters', pairs, context)],
    speed: compareSpeed(base.evaluation, run.evaluation),
    failures: { base: base.evaluation.counts.failed, run: run.evaluation.counts.failed },
    betterCount,
    worseCount: changed.length - betterCount,
    sameCount: pairs.length - changed.length,
    changed: mostChanged(changed).map(({ pair, difference }) =>
      changedUtterance(pair, difference, context.scorer),
    ),
  }
}

/** The most changed first, and among those shown as many of each kind as there is room for. */
function mostChanged<Change extends { readonly difference: number }>(
  changed: readonly Change[],
): readonly Change[] {
  const bySize = (a: Change, b: Change): number =>
    Math.abs(b.difference) - Math.abs(a.difference) || b.difference - a.difference
  const worse = changed.filter(({ difference }) => difference > 0).sort(bySize)
  const better = changed.filter(({ difference }) => difference < 0).sort(bySize)
  const half = mostChangedShown / 2
  const worseShown = worse.slice(0, Math.max(half, mostChangedShown - better.length))
  return [...worseShown, ...better.slice(0, mostChangedShown - worseShown.length)].sort(bySize)
}

function matchingScores(
  scored: ScoredContender,
  matching: ReadonlySet<string>,
): ReadonlyMap<string, UtteranceScore> {
  return new Map([...utteranceScores(scored)].filter(([id]) => matching.has(id)))
}

function compareRate(
  metric: RateComparison['metric'],
  level: ErrorLevel,
  pairs: readonly PairedUtterance[],
  { seed, margins }: ContenderContext,
): RateComparison {
  const rates = pairedRates(pairs, level, seed)
  const { base, run, difference, interval, differingCount } = rates
  const margin = margins[metric]
  return {
    metric,
    base,
    run,
    difference,
    interval,
    differingCount,
    margin,
    verdict: verdictOf(rates, margin),
  }
}

function compareSpeed(base: ContenderEvaluation, run: ContenderEvaluation): readonly SpeedComparison[] {
  const rows = [
    { metric: 'latency.p50', unit: 'ms', figures: [base.latencyMs.p50, run.latencyMs.p50] },
    { metric: 'latency.p95', unit: 'ms', figures: [base.latencyMs.p95, run.latencyMs.p95] },
    { metric: 'rtfx', unit: 'x', figures: [base.systemSpeed, run.systemSpeed] },
  ] as const
  return rows.map(({ metric, unit, figures: [left, right] }) => ({
    metric,
    unit,
    base: left.value,
    run: right.value,
    relativeChange:
      left.value === null || right.value === null || left.value === 0 ? null : right.value / left.value - 1,
    reason: reasonOf('base', left) ?? reasonOf('run', right),
    verdict: null,
    note: 'descriptive only',
  }))
}

function reasonOf(
  side: 'base' | 'run',
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
): string | null {
  return figure.value === null ? `${side} ${figure.reason}` : null
}

/** Utterances that match but were not scored on both sides, each with what became of it. */
function withoutPartner(
  base: ScoredContender,
  run: ScoredContender,
  matching: ReadonlySet<string>,
  pairs: readonly PairedUtterance[],
): ContenderComparison['unpaired'] {
  const paired = new Set(pairs.map((pair) => pair.base.utterance.id))
  const [baseFates, runFates] = [fatesById(base), fatesById(run)]
  return [...matching]
    .filter((id) => !paired.has(id))
    .sort()
    .map((utteranceId) => {
      const sides = [
        ['base', baseFates.get(utteranceId)],
        ['run', runFates.get(utteranceId)],
      ] as const
      const reasons = sides
        .filter(([, fate]) => fate !== null)
        .map(([side, fate]) => `${fate ?? 'was not asked'} in ${side}`)
      return { utteranceId, reason: reasons.join(', ') }
    })
}

/** Null for an utterance that was scored at least once, otherwise what happened instead. */
function fatesById(scored: ScoredContender): ReadonlyMap<string, string | null> {
  const fates = new Map<string, string | null>()
  for (const { judged } of scored.requests) {
    const { id } = judged.utterance
    if (fates.get(id) === null) continue
    if (judged.status === 'scored') fates.set(id, null)
    else if (judged.status === 'failed') fates.set(id, `failed (${judged.failure ?? 'unknown'})`)
    else fates.set(id, judged.status === 'dropped' ? 'was dropped' : 'was not sent')
  }
  return fates
}

function hasIdenticalTexts({ base, run }: PairedUtterance): boolean {
  return new Set([...base.hypotheses, ...run.hypotheses]).size === 1
}

function changedUtterance(
  { base, run }: PairedUtterance,
  errorDifference: number,
  scorer: TranscriptScorer,
): ChangedUtterance {
  const { reference, durationSeconds, id } = base.utterance
  const [baseHypothesis = '', runHypothesis = ''] = [base.hypotheses[0], run.hypotheses[0]]
  return {
    utteranceId: id,
    audioSeconds: durationSeconds,
    reference,
    referenceLength: base.lengths.words,
    baseHypothesis,
    runHypothesis,
    errorDifference,
    baseWords: scorer.align(base.utterance, baseHypothesis),
    runWords: scorer.align(base.utterance, runHypothesis),
  }
}
