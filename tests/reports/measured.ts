import { compareSides } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { Terminal } from '#reports/layout/terminal'
import { type DetailName, detailTable } from '#reports/run/details/details'
import { renderSummary } from '#reports/run/render-summary'
import { measuredRun, type SpokenUtterance, timedOut } from '../analysis/measured-run.ts'

const references = [
  'we moved the staging cluster to Frankfurt last Tuesday',
  'the quick brown fox jumps over the lazy dog',
  'get all pods in the default namespace',
  'please send me the report by Friday',
  'one two three four five six',
  'it was a bright cold day in April',
  'call me Ishmael some years ago',
  'the answer is forty two',
  'to be or not to be that is the question',
  'all happy families are alike',
]

const utterances: readonly SpokenUtterance[] = references.map((reference, index) => ({
  id: `clip-${index + 1}`,
  reference,
  seconds: 3 + (index % 3),
}))

export interface FrozenOptions {
  readonly contenders?: readonly string[]
  readonly rounds?: number
  /** The tiny one gets a word wrong in so many of the clips, from the first on. */
  readonly wrongClips?: number
  /** The first clip falls apart, and the fourth one times out. */
  readonly isWorse?: boolean
}

/** A run of ten clips that always gives the same figures: 150 ms and more for tiny, 300 ms and more for base. */
function frozenRun(options: FrozenOptions = {}): RunMaterial {
  const { contenders = ['tiny', 'base'], rounds = 1, wrongClips = 8, isWorse = false } = options
  return measuredRun({
    utterances,
    contenders,
    rounds,
    fate: ({ contenderId, utterance }) => {
      const index = utterances.indexOf(utterance)
      if (isWorse && index === 3 && contenderId === contenders.at(-1)) return timedOut
      if (isWorse && index === 0) return 'We moved the stage in cluster to Frank fort last Tuesday.'
      if (contenderId !== 'tiny' || index >= wrongClips) return `${utterance.reference}.`
      return utterance.reference.replace(/^\S+ \S+/, 'Now what')
    },
    durationMs: ({ contenderId, utterance }) =>
      (contenderId === 'tiny' ? 150 : 300) + (utterance.seconds ?? 0) * 10,
  })
}

export function frozenEvaluation(options: FrozenOptions = {}): Evaluation {
  return evaluateRun(frozenRun(options))
}

export function frozenComparison(base: FrozenOptions, run: FrozenOptions): Comparison {
  const outcome = compareSides([frozenRun(base)], [frozenRun(run)])
  if (!outcome.ok) throw outcome.failure
  return outcome.value
}

export const wide = { width: 100, color: false, unicode: true }
export const narrow = { width: 60, color: false, unicode: true }
export const ascii = { width: 100, color: false, unicode: false }
export const coloured = { width: 100, color: true, unicode: true }

/** A summary as it is without a folder. */
export function summaryOf(evaluation: Evaluation, terminal: Terminal = wide): string {
  return renderSummary(evaluation, { terminal, folder: null })
}

/** A detailed table on a screen; empty where there is none. */
export function tableOf(evaluation: Evaluation, name: DetailName, terminal: Terminal = wide): string {
  return detailTable(evaluation, name)?.toTerminal(terminal) ?? ''
}
