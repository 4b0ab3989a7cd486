import { type Comparison, comparisonFormatVersion } from '../documents/comparison.ts'
import type { ComparisonFacts } from '../findings/comparison-facts.ts'
import { detectFindings } from '../findings/finding-definition.ts'
import { comparisonFindings } from '../findings/registry.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { type AdjustedComparisons, familyConfidence } from './adjust-verdicts.ts'
import type { ComparableRun } from './comparable-run.ts'
import { conditionsOf } from './conditions.ts'
import { hiddenSettings } from './hidden-settings.ts'
import { idsOf, type UtteranceMatch } from './match-utterances.ts'

export interface ComparisonParts extends Pick<ComparisonFacts, 'withheld' | 'hostSpeed' | 'corrections'> {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly match: UtteranceMatch
  readonly settled: AdjustedComparisons
  readonly ranking: Comparison['ranking']
}

/** Puts a comparison together from its parts. */
export function comparisonDocument(
  base: readonly ComparableRun[],
  run: readonly ComparableRun[],
  parts: ComparisonParts,
): Comparison {
  const { scorer, seed, match, settled, withheld, hostSpeed, corrections, ranking } = parts
  const { contenders, comparisonCount } = settled
  const [left, right] = [latestOf(base), latestOf(run)]
  const pairedIds = {
    base: new Set(contenders.map(({ baseContenderId }) => baseContenderId)),
    run: new Set(contenders.map(({ runContenderId }) => runContenderId)),
  }
  const conditions = conditionsOf(recordsOf(base), recordsOf(run), {
    base: left.record.contenders.filter(({ id }) => pairedIds.base.has(id)),
    run: right.record.contenders.filter(({ id }) => pairedIds.run.has(id)),
  })
  const unpairedOf = (side: 'base' | 'run', { record }: ComparableRun): Comparison['unpairedContenders'] =>
    record.contenders.filter(({ id }) => !pairedIds[side].has(id)).map(({ id }) => ({ side, id }))
  return {
    formatVersion: comparisonFormatVersion,
    base: comparedSide(base),
    run: comparedSide(run),
    profile: scorer.profile,
    seed,
    conditions,
    findings: detectFindings(comparisonFindings, {
      base,
      run,
      contenders,
      comparisonCount,
      conditions,
      hiddenSettings: hiddenSettings(recordsOf(base), recordsOf(run)),
      withheld,
      hostSpeed,
      leftOutIds: idsOf([...match.differentAudio, ...match.differentReference]),
      corrections,
    }),
    family: { confidence: familyConfidence, comparisonCount },
    contenders,
    ranking,
    unpairedContenders: [...unpairedOf('base', left), ...unpairedOf('run', right)],
  }
}

function recordsOf(side: readonly ComparableRun[]): ComparableRun['record'][] {
  return side.map(({ record }) => record)
}

/** The run whose contenders represent the side. */
function latestOf(side: readonly ComparableRun[]): ComparableRun {
  const latest = side.at(-1)
  if (latest === undefined) throw new RangeError('a side of a comparison needs a run')
  return latest
}

function comparedSide(side: readonly ComparableRun[]): Comparison['base'] {
  const runs = side.map(({ rated: { run, validity } }) => ({
    id: run.id,
    startedAt: run.startedAt,
    validity,
  }))
  const [first] = runs
  if (first === undefined) throw new RangeError('a side of a comparison needs a run')
  const gravest = (['invalid', 'short'] as const).find((one) => runs.some(({ validity }) => validity === one))
  return { ...first, validity: gravest ?? 'valid', runs }
}
