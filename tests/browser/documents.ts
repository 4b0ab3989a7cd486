import { compareSides } from '#analysis/comparison/compare-runs'
import { findTrends, type HistoryFigure } from '#analysis/comparison/trends'
import type { Comparison } from '#analysis/documents/comparison'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { seededRandom } from '#prelude'
import type { StoredDocument } from '#results/stored-document'
import { measuredRun, timedOut } from '../analysis/measured-run.ts'
import { aFinding } from '../capacity/a-finding.ts'
import { normalDraws } from '../statistics/normal-draws.ts'
import { hostileText } from './pages.ts'

const sentence =
  'we moved the staging cluster to frankfurt last tuesday and nobody noticed before the report on friday'

/** Runs of one side: each with separate random noise, and a share of the utterances heard wrong. */
function side(count: number, { factor, wrongBelow }: { factor: number; wrongBelow: number }): RunMaterial[] {
  const normal = normalDraws(seededRandom(Math.round(factor * 100)))
  const words = sentence.split(' ')
  const utterances = Array.from({ length: 60 }, (_, index) => ({
    id: `clip-${String(index).padStart(3, '0')}`,
    reference: words.slice(index % 7, (index % 7) + 5 + (index % 6)).join(' '),
    seconds: 1 + (index % 20),
    speaker: `speaker-${index % 3}`,
  }))
  return Array.from({ length: count }, (_, index) => {
    const luck = factor * Math.exp(0.01 * normal())
    return measuredRun({
      utterances,
      fate: ({ utterance }) => {
        const place = Number(utterance.id.slice(5))
        if (place === 17 && factor > 1) return timedOut
        return (place * 37) % 100 < wrongBelow
          ? utterance.reference.replace('the', 'a').replace('staging cluster', 'stage in cluster')
          : utterance.reference
      },
      durationMs: ({ utterance }) => luck * (100 + 20 * (utterance.seconds ?? 1)) * Math.exp(0.04 * normal()),
      record: {
        id: `2026-11-${20 + (factor > 1 ? 1 : 0)}T0${index}-00-00Z-nightly`,
        startedAt: `2026-11-${20 + (factor > 1 ? 1 : 0)}T0${index}:00:00.000Z`,
      },
    })
  })
}

function compared(runCount: number): Comparison {
  const outcome = compareSides(
    side(runCount, { factor: 1, wrongBelow: 20 }),
    side(runCount, { factor: 1.2, wrongBelow: 60 }),
  )
  if (!outcome.ok) throw outcome.failure
  return outcome.value
}

const threshold = {
  metric: 'wer.regression',
  contenderId: 'tiny',
  group: null,
  interval: null,
  limit: 0.005,
  isResolved: true,
} as const

/** Two runs, held to two limits of which one is broken. */
export function comparisonDocument(runCount = 1): StoredDocument {
  const comparison = compared(runCount)
  return {
    kind: 'comparison',
    comparison,
    thresholds: [
      {
        ...threshold,
        threshold: 'wer.regression <= 0.5pp',
        measured: comparison.contenders[0]?.rates.find(({ metric }) => metric === 'wer')?.difference ?? null,
        outcome: 'failed',
        reason: null,
      },
      {
        ...threshold,
        threshold: 'latency.p95 <= 2s',
        metric: 'latency.p95',
        measured: 580,
        limit: 2000,
        outcome: 'passed',
        reason: null,
      },
    ],
  }
}

/** Two runs whose contenders, words and utterances would like to be code. */
export function hostileComparison(): StoredDocument {
  const run = (heard: string): RunMaterial =>
    measuredRun({
      utterances: [{ id: hostileText, reference: `say ${hostileText} now`, speaker: hostileText }],
      contenders: [hostileText],
      fate: () => heard,
      record: { id: hostileText, name: hostileText },
    })
  const outcome = compareSides([run('say now')], [run(`no ${hostileText}`)])
  if (!outcome.ok) throw outcome.failure
  return { kind: 'comparison', comparison: outcome.value, thresholds: [] }
}

/** Two runs with the same texts and times. */
export function sameComparison(): StoredDocument {
  const outcome = compareSides(side(1, { factor: 1, wrongBelow: 20 }), side(1, { factor: 1, wrongBelow: 20 }))
  if (!outcome.ok) throw outcome.failure
  return { kind: 'comparison', comparison: outcome.value, thresholds: [] }
}

/** An experiment that was stopped after eight passes. */
export function experimentDocument(): StoredDocument {
  const comparison = compared(8)
  const foldersOf = ({ runs }: Comparison['base']): string[] => runs.map(({ id }) => `/results/${id}`)
  return {
    kind: 'experiment',
    experiment: {
      stopped: 'runs',
      sides: [
        { name: 'main', folders: foldersOf(comparison.base) },
        { name: 'branch', folders: foldersOf(comparison.run) },
      ],
      comparisons: [comparison],
      drift: { utteranceId: 'clip-007', relativeChange: 0.034, pValue: 0.004 },
    },
  }
}

/** Forty nightly runs, slower from the 26th on, and two runs of another corpus. */
export function historyDocument(): Extract<StoredDocument, { kind: 'history' }> {
  const normal = normalDraws(seededRandom(3))
  const figures = Array.from({ length: 40 }, (_, index): HistoryFigure[] => {
    const startedAt = new Date(Date.UTC(2026, 9, 1 + index, 3)).toISOString()
    const common = {
      runId: `${startedAt.slice(0, 10)}T03-00-00Z-nightly`,
      startedAt,
      interval: null,
      conditions: 'meetings (4f1c2a9b7d3e) · english · closed, 4 in flight · a processor, 8 processors',
      withheld: null,
    }
    return ['whisper-tiny', 'whisper-base'].flatMap((contenderId, at): HistoryFigure[] => [
      { ...common, contenderId, metric: 'wer', value: 0.081 - at * 0.022 + 0.001 * normal() },
      {
        ...common,
        contenderId,
        metric: 'latency.p50',
        value: (index < 25 || at === 1 ? 1 : 1.3) * (370 + at * 290) * (1 + 0.01 * normal()),
      },
      { ...common, contenderId, metric: 'rtfx', value: (20 - at * 9) * (1 + 0.02 * normal()) },
    ])
  }).flat()
  const other = ['01', '02'].map(
    (day): HistoryFigure => ({
      runId: `2026-11-${day}T09-00-00Z-quick`,
      withheld: null,
      startedAt: `2026-11-${day}T09:00:00.000Z`,
      contenderId: 'moonshine-tiny',
      metric: 'wer',
      value: 0.033,
      interval: null,
      conditions: 'quick (aaaaaaaaaaaa) · english · closed, 1 in flight · a processor, 2 processors',
    }),
  )
  return {
    kind: 'history',
    history: {
      trends: findTrends([...figures, ...other]),
      runCount: 42,
      leftOut: ['2026-10-17T12-00-00Z-broken'],
    },
  }
}

/** Two contenders whose loads run from kept to broken; nothing was found of the second. */
export function capacityDocument(): Extract<StoredDocument, { kind: 'capacity' }> {
  const finding = aFinding()
  const contenders = finding.contenders.flatMap((contender) => [
    contender,
    {
      ...contender,
      id: hostileText,
      capacity: null,
      ended: 'hopeless' as const,
      simulation: null,
      costs: null,
      overloads: [],
      interference: null,
    },
  ])
  return { kind: 'capacity', finding: { ...finding, contenders } }
}

/** A folder without a run that has a score. */
export const emptyHistory: StoredDocument = {
  kind: 'history',
  history: { trends: [], runCount: 0, leftOut: [] },
}
