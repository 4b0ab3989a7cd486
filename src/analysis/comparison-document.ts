import { type Comparison, type ContenderComparison, comparisonFormatVersion } from './comparison.ts'
import { conditionsOf } from './conditions.ts'
import type { ScoredContender } from './contender-evaluation.ts'
import type { ScoredRun } from './evaluate-run.ts'
import { type Finding, finding } from './findings.ts'
import { idsOf, type UtteranceMatch } from './match-utterances.ts'
import { named } from './run-findings.ts'
import type { TranscriptScorer } from './transcript-scorer.ts'

export interface ComparisonParts {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly match: UtteranceMatch
  readonly comparisons: readonly ContenderComparison[]
  readonly pairs: readonly { readonly base: ScoredContender; readonly run: ScoredContender }[]
}

/** Puts a comparison together from its parts. */
export function comparisonDocument(base: ScoredRun, run: ScoredRun, parts: ComparisonParts): Comparison {
  const { scorer, seed, match, comparisons, pairs } = parts
  const conditions = conditionsOf(base.record, run.record, {
    base: pairs.map((pair) => pair.base.judged.contender),
    run: pairs.map((pair) => pair.run.judged.contender),
  })
  const pairedIds = {
    base: new Set(comparisons.map((comparison) => comparison.baseContenderId)),
    run: new Set(comparisons.map((comparison) => comparison.runContenderId)),
  }
  const unpairedOf = (side: 'base' | 'run', { rated }: ScoredRun): Comparison['unpairedContenders'] =>
    rated.contenders
      .filter(({ contender }) => !pairedIds[side].has(contender.id))
      .map(({ contender }) => ({ side, id: contender.id }))
  return {
    formatVersion: comparisonFormatVersion,
    base: comparedRun(base),
    run: comparedRun(run),
    profile: scorer.profile,
    seed,
    conditions,
    findings: comparisonFindings(base, run, match, conditions),
    contenders: comparisons,
    unpairedContenders: [...unpairedOf('base', base), ...unpairedOf('run', run)],
  }
}

function comparedRun({ rated }: ScoredRun): Comparison['base'] {
  const { id, startedAt } = rated.run
  return { id, startedAt, validity: rated.validity }
}

function comparisonFindings(
  base: ScoredRun,
  run: ScoredRun,
  match: UtteranceMatch,
  conditions: Comparison['conditions'],
): readonly Finding[] {
  const findings: Finding[] = []
  for (const [name, { rated }] of [
    ['base', base],
    ['run', run],
  ] as const) {
    const reasons = rated.findings.filter(({ severity }) => severity === 'invalid')
    if (reasons.length === 0) continue
    const what = reasons.map(({ message }) => message).join('; ')
    findings.push(finding('SIDE_NOT_VALID', `the ${name} run is not valid by itself: ${what}`))
  }
  const leftOut = idsOf([...match.differentAudio, ...match.differentReference])
  if (leftOut.length > 0) {
    const what = `${leftOut.length} with different audio or references left out: ${named(leftOut)}`
    findings.push(finding('UTTERANCES_LEFT_OUT', what, 'asrbench corpus verify'))
  }
  const differing = conditions.filter(
    (condition) => condition.base !== condition.run && ['load', 'machine', 'target'].includes(condition.key),
  )
  if (differing.length > 0) {
    const what = differing.map((one) => `${one.key} ${one.base} → ${one.run}`).join('; ')
    findings.push(finding('CONDITIONS_DIFFER', `speed figures also compare conditions: ${what}`))
  }
  findings.push(
    finding(
      'ONE_RUN_A_SIDE',
      'speed is descriptive only: one run a side says nothing about the spread between runs',
    ),
  )
  return findings
}
