import { type Comparison, comparisonFormatVersion } from './comparison.ts'
import { conditionsOf } from './conditions.ts'
import type { ScoredRun } from './evaluate-run.ts'
import type { AppliedCorrections } from './evaluation.ts'
import { type Finding, type FindingCode, finding } from './findings.ts'
import { hiddenSettings } from './hidden-settings.ts'
import { idsOf, type UtteranceMatch } from './match-utterances.ts'
import { named } from './run-findings.ts'
import { familyConfidence, type SettledComparisons } from './settle-verdicts.ts'
import { correctionFindings } from './text-findings.ts'
import type { TranscriptScorer } from './transcript-scorer.ts'

export interface ComparisonParts {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly match: UtteranceMatch
  readonly settled: SettledComparisons
  readonly withheld: string | null
  readonly ranking: Comparison['ranking']
  /** What was corrected in the references of the other side's last run; null where nothing was asked for. */
  readonly corrected: AppliedCorrections | null
}

/** Puts a comparison together from its parts. */
export function comparisonDocument(
  base: readonly ScoredRun[],
  run: readonly ScoredRun[],
  parts: ComparisonParts,
): Comparison {
  const { scorer, seed, settled, ranking } = parts
  const { contenders, comparisonCount } = settled
  const [left, right] = [latestOf(base), latestOf(run)]
  const pairedIds = {
    base: new Set(contenders.map(({ baseContenderId }) => baseContenderId)),
    run: new Set(contenders.map(({ runContenderId }) => runContenderId)),
  }
  const conditions = conditionsOf(left.record, right.record, {
    base: left.record.contenders.filter(({ id }) => pairedIds.base.has(id)),
    run: right.record.contenders.filter(({ id }) => pairedIds.run.has(id)),
  })
  const unpairedOf = (side: 'base' | 'run', { record }: ScoredRun): Comparison['unpairedContenders'] =>
    record.contenders.filter(({ id }) => !pairedIds[side].has(id)).map(({ id }) => ({ side, id }))
  return {
    formatVersion: comparisonFormatVersion,
    base: comparedSide(base),
    run: comparedSide(run),
    profile: scorer.profile,
    seed,
    conditions,
    findings: comparisonFindings(base, run, conditions, parts),
    family: { confidence: familyConfidence, comparisonCount },
    contenders,
    ranking,
    unpairedContenders: [...unpairedOf('base', left), ...unpairedOf('run', right)],
  }
}

/** Whose conditions stand for the side. */
function latestOf(side: readonly ScoredRun[]): ScoredRun {
  const latest = side.at(-1)
  if (latest === undefined) throw new RangeError('a side of a comparison needs a run')
  return latest
}

function comparedSide(side: readonly ScoredRun[]): Comparison['base'] {
  const runs = side.map(({ rated: { run, validity } }) => ({
    id: run.id,
    startedAt: run.startedAt,
    validity,
  }))
  const [first] = runs
  if (first === undefined) throw new RangeError('a side of a comparison needs a run')
  const isValid = runs.every(({ validity }) => validity === 'valid')
  return { ...first, validity: isValid ? 'valid' : 'invalid', runs }
}

function comparisonFindings(
  base: readonly ScoredRun[],
  run: readonly ScoredRun[],
  conditions: Comparison['conditions'],
  { match, withheld, settled, corrected }: ComparisonParts,
): readonly Finding[] {
  const leftOut = idsOf([...match.differentAudio, ...match.differentReference])
  const differing = conditions.filter(
    (condition) => condition.base !== condition.run && ['load', 'machine', 'target'].includes(condition.key),
  )
  const hidden = hiddenSettings(latestOf(base).record, latestOf(run).record)
  const runCount = Math.min(base.length, run.length)
  return [
    ...invalidSides('base', base),
    ...invalidSides('run', run),
    ...correctionFindings(corrected),
    ...found(leftOut.length > 0, 'UTTERANCES_LEFT_OUT', {
      what: `${leftOut.length} with different audio or references left out: ${named(leftOut)}`,
      advice: 'asrbench corpus verify',
    }),
    ...found(differing.length > 0, 'CONDITIONS_DIFFER', {
      what:
        (withheld === null ? 'speed figures also compare conditions' : 'speeds are not judged') +
        `: ${differing.map((one) => `${one.key} ${one.base} → ${one.run}`).join('; ')}`,
    }),
    ...found(hidden.length > 0, 'SETTINGS_DIFFER', {
      what: `also different: ${named(hidden.map((one) => `${one.key} ${one.base} → ${one.run}`))}`,
    }),
    ...found(runCount === 1, 'ONE_RUN_A_SIDE', {
      what: 'speed is descriptive only: one run a side says nothing about the spread between runs',
      advice: 'asrbench experiment',
    }),
    ...found(settled.comparisonCount > 1 && runCount > 1, 'VERDICTS_SHARE_CONFIDENCE', {
      what: `the verdicts of ${settled.comparisonCount} differences hold together at 95 %: single intervals look surer`,
    }),
  ]
}

function invalidSides(name: 'base' | 'run', side: readonly ScoredRun[]): readonly Finding[] {
  return side.flatMap(({ rated }) => {
    const reasons = rated.findings.filter(({ severity }) => severity === 'invalid')
    const which = side.length === 1 ? `the ${name} run` : `${rated.run.id}, a ${name} run,`
    const what = reasons.map(({ message }) => message).join('; ')
    return found(reasons.length > 0, 'SIDE_NOT_VALID', { what: `${which} is not valid by itself: ${what}` })
  })
}

function found(
  isSo: boolean,
  code: FindingCode,
  { what, advice }: { readonly what: string; readonly advice?: string },
): readonly Finding[] {
  return isSo ? [finding(code, what, advice)] : []
}
