import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import type { ContenderComparison } from '#analysis/documents/contender-comparison'
import type { Drift, Experiment, ExperimentStop } from '#analysis/documents/experiment'
import { shellList } from '#prelude'
import { foreign } from '../layout/terminal.ts'
import { counted, fixed, formatChange } from '../layout/units.ts'
import { describeScore } from '../run/provenance.ts'
import { changeFacts } from './change-facts.ts'
import { comparisonRows } from './comparison-rows.ts'
import { type ComparisonAnswer, comparisonAnswer } from './comparison-sentence.ts'

/** A comparison in words, made once: terminal, Markdown, JUnit and page each lay it out differently. */
export type ComparisonReport = ReturnType<typeof comparisonReport>
export type PairReport = ComparisonReport['pairs'][number]

export function comparisonReport(comparison: Comparison, thresholds: readonly ThresholdResult[] = []) {
  const { contenders, family, unpairedContenders } = comparison
  return {
    comparison,
    thresholds,
    answer: comparisonAnswer(comparison, thresholds),
    pairs: contenders.map((figures) => ({
      figures,
      title: pairTitle(figures),
      rows: comparisonRows(figures),
      facts: changeFacts(figures),
      lengths: figures.speedsWithheld === null ? figures.byDuration : [],
    })),
    scored: describeScore(comparison).join(' · '),
    confidence: `${fixed(family.confidence * 100, 0)}% for ${counted(family.comparisonCount, 'difference')} together (adjusted for multiple comparisons)`,
    unpaired: unpairedContenders.map(({ side, id }) => `${id} (only in ${side})`).join(', '),
  }
}

function pairTitle({ baseContenderId, runContenderId }: ContenderComparison): string {
  return baseContenderId === runContenderId ? baseContenderId : `${baseContenderId} → ${runContenderId}`
}

export function experimentReport({ stopped, sides, comparisons, drift }: Experiment) {
  const namedSides = sides.map(({ name, folders }) => ({
    name,
    runIds: folders.map((folder) => folder.replace(/^.*[\\/]/, '')),
  }))
  const [base, ...others] = namedSides
  const reports = comparisons.map(({ thresholds, ...comparison }) => comparisonReport(comparison, thresholds))
  const runCount = Math.min(...namedSides.map(({ runIds }) => runIds.length))
  return {
    state: gravestState(
      reports.map(({ answer }) => answer.state),
      stopped === 'resolved' || stopped === 'precision',
    ),
    /** A sentence for every further side against the first, which names everything that became worse. */
    answers: reports.map(({ answer: { sentence } }, index) => {
      const text = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1, -1)}`
      return `${others[index]?.name ?? ''} against ${base?.name ?? ''}: ${text}.`
    }),
    ending: `${endings[stopped]}; ${counted(runCount, 'run')} a side`,
    drift: drift === null ? null : driftText(drift),
    sides: namedSides,
    comparisons: reports,
    commands: others.map(
      ({ runIds }) => `transcribench compare ${shellList(base?.runIds ?? [])} ${shellList(runIds)}`,
    ),
  }
}

const endings: Readonly<Record<ExperimentStop, string>> = {
  resolved: 'resolved: errors, failures, latency and its p95 all have a verdict',
  corpus: 'corpus: the unresolved differences need more utterances, not more runs',
  precision: 'precision: the interval is as narrow as was asked for',
  budget: 'budget: the time is used up, with differences unresolved',
  runs: 'runs: --max-runs is reached, with differences unresolved',
  interrupted: 'interrupted',
}

/** State of an experiment: the worst of its comparisons; `unresolved` while its question is open. */
function gravestState(
  states: readonly ComparisonAnswer['state'][],
  isAnswered: boolean,
): ComparisonAnswer['state'] {
  const gravest = (['invalid', 'failed', 'worse'] as const).find((state) => states.includes(state))
  if (gravest !== undefined) return gravest
  if (!isAnswered || states.length === 0 || states.includes('unresolved')) return 'unresolved'
  return states.includes('better') ? 'better' : 'equivalent'
}

function driftText({ utteranceId, relativeChange, pValue }: Drift): string {
  return (
    `${foreign(utteranceId)} took ${formatChange(relativeChange)} from the first run to the last ` +
    `(p ${pValue < 0.001 ? 'below 0.001' : pValue.toFixed(3)}); ABBA order puts that on all sides alike`
  )
}
