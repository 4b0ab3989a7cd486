import type { HistoryDocument, Trend } from '#analysis/comparison/trends'
import { findMetric } from '#analysis/metrics/metrics'
import { rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Bounds } from '#statistics/bounds'
import { type FirstFigure, pageFormatVersion } from '../layout/page-document.ts'
import { columnsOf, makeTable, type ShownColumn, shownColumns } from '../layout/table.ts'
import {
  absent,
  counted,
  formatMilliseconds,
  formatPercent,
  formatTimes,
  incomparableMark,
  marked,
  orAbsent,
  rateWords,
} from '../layout/units.ts'
import { findHeader } from '../run/contender-tables.ts'
import {
  differenceText,
  driftText,
  historySentence,
  nameDirection,
  runFigureText,
  shortestSeries,
} from './render-history.ts'

export interface LibraryContender {
  readonly id: string
  /** The leading error rate. */
  readonly errorRate: {
    readonly value: number
    readonly interval: Bounds | null
  } | null
  readonly failureRate: number | null
  readonly speed: number | null
  readonly latencyP50Ms: number | null
  /** Why speed and latency are not comparable; null if they are. */
  readonly withheld: string | null
}

export interface LibraryRun {
  /** Name of its folder. */
  readonly id: string
  /** Null if the run has no readable score. */
  readonly summary: {
    readonly name: string
    /** ISO 8601, UTC. */
    readonly startedAt: string
    readonly validity: string
    readonly corpus: string
    readonly load: string
    /** The target with its address; null if the summary does not contain it. */
    readonly target: string | null
    readonly score: string
    readonly leads: ErrorLevel
    readonly contenders: readonly LibraryContender[]
  } | null
  /** Text shown instead of a score; null if there is a score. */
  readonly unscored: string | null
}

export type LibraryPage = ReturnType<typeof libraryPage>
export type ListedRun = LibraryPage['runs'][number]

/** Addresses of the pages of runs. */
export interface LibraryAddresses {
  addressOf(runId: string): string | null
  readonly canCompare: boolean
}

export function libraryPage(
  folder: string,
  runs: readonly LibraryRun[],
  history: HistoryDocument,
  { addressOf, canCompare }: LibraryAddresses,
) {
  const trends = historyPage(history)
  const leads = [...new Set(runs.flatMap(({ summary }) => summary?.leads ?? []))]
  return {
    kind: 'library' as const,
    formatVersion: pageFormatVersion,
    title: folder,
    answer: answerText(history, trends.answer, runs.length),
    runs: runs
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .map(({ id, summary, unscored }) => ({
        id,
        summary,
        unscored,
        figures: makeTable(
          figureColumns(leads, summary?.leads),
          summary === null || summary.contenders.length === 0 ? [noContender] : summary.contenders,
        ),
        /** Address of the run's page, relative to the list; null if it has none. */
        address: addressOf(id),
      })),
    columns: makeTable(figureColumns(leads), []).columns,
    history: trends,
    /** Whether the user can mark two runs and compare them, which needs a server. */
    canCompare,
  }
}

const noContender: LibraryContender = {
  id: absent,
  errorRate: null,
  failureRate: null,
  speed: null,
  latencyP50Ms: null,
  withheld: null,
}

/**
 * The figures of a contender in a list of runs, under the headings of the table of a run.
 *
 * @param leads of all runs: if some lead with words and others with characters, cells name the rate
 * @param level of the run
 */
function figureColumns(
  leads: readonly ErrorLevel[],
  level: ErrorLevel = 'words',
): readonly ShownColumn<LibraryContender>[] {
  const [first = 'words'] = leads
  const isMixed = leads.length > 1
  const heading = (name: string): string => findHeader(name, first)
  const metric = rateMetrics[first]
  const prefix = isMixed ? `${rateWords[level].short} ` : ''
  const rateCell = ({ errorRate }: LibraryContender): string =>
    orAbsent(errorRate, ({ value }) => `${prefix}${formatPercent(value)}`)
  const { column, milliseconds, rate, rateInterval, text } = columnsOf<LibraryContender>()
  return shownColumns([
    text('contender', 'id', heading('contender')),
    rate('rate', ({ errorRate }) => errorRate?.value, {
      header: isMixed ? 'WER or CER' : heading(`${metric}_rate`),
      cell: rateCell,
      tone: () => 'strong',
    }),
    ...rateInterval('rate', ({ errorRate }) => errorRate?.interval, {
      header: heading(`${metric}_low95_rate`),
      isOnlyWide: true,
    }),
    rate('failure_rate', 'failureRate', {
      header: heading('failed'),
      tone: ({ failureRate }) => (failureRate ? 'bad' : null),
    }),
    column('rtfx', 'speed', formatTimes, {
      header: heading('rtfx'),
      cell: (row) => timed(row, row.speed, formatTimes),
    }),
    milliseconds('p50', 'latencyP50Ms', {
      header: heading('latency_p50_ms'),
      cell: (row) => timed(row, row.latencyP50Ms, formatMilliseconds),
    }),
  ])
}

function timed(
  { withheld }: Pick<LibraryContender, 'withheld'>,
  value: number | null,
  format: (value: number) => string,
): string {
  return marked(orAbsent(value, format), incomparableMark({ withheld }))
}

function answerText({ runCount }: HistoryDocument, sentence: string, listedCount: number): string {
  if (listedCount === 0) return 'There is no run here yet.'
  if (runCount === 0) return 'No run here has a valid score.'
  return runCount === 1 ? 'There is one run; trends need more.' : sentence
}

export type HistoryPage = ReturnType<typeof historyPage>
/** One metric of one contender over comparable runs. */
export type PageTrend = ReturnType<typeof pageTrend>[number]

export function historyPage({ trends, runCount, leftOut }: HistoryDocument) {
  const groups = [...Map.groupBy(trends, ({ conditions }) => conditions)]
    // The trends of a group have corpus, profile, load and machine in common.
    .map(([conditions, group]) => ({ conditions, trends: group.flatMap(pageTrend) }))
    // The longest series come first, because a single run has no history yet.
    .toSorted((a, b) => longest(b) - longest(a))
  return {
    kind: 'history' as const,
    formatVersion: pageFormatVersion,
    title: `History of ${counted(runCount, 'run')}`,
    answer: historySentence(trends, runCount),
    /** The latest figures of each contender in the longest series. */
    latest: groups[0] === undefined ? [] : latestFigures(groups[0]),
    groups,
    runCount,
    leftOut,
  }
}

const maxFigures = 4

function latestFigures({ trends }: { readonly trends: readonly PageTrend[] }) {
  return [...Map.groupBy(trends, ({ contenderId }) => contenderId)].map(([contenderId, series]) => ({
    contenderId,
    figures: series.slice(0, maxFigures).flatMap(latestFigure),
  }))
}

function latestFigure({ name, points, changes, drift }: PageTrend): readonly FirstFigure[] {
  const latest = points.at(-1)
  if (latest === undefined) return []
  const change = changes.at(-1)
  const detail =
    change === undefined
      ? (drift ?? quietDetail(points.length))
      : `${change.verdict} since run ${change.runNumber} of ${points.length}: ${change.difference}`
  return [{ label: name, value: latest.text, detail }]
}

/** The detail of a figure that did not change; too few runs cannot show that there is no change. */
function quietDetail(runCount: number): string {
  const runs = counted(runCount, 'run')
  return runCount < shortestSeries ? `${runs}, too few to find a change` : `no change in ${runs}`
}

function longest({ trends }: { readonly trends: readonly PageTrend[] }): number {
  return Math.max(0, ...trends.map(({ points }) => points.length))
}

function pageTrend({ contenderId, metric, figures, changes, drift }: Trend) {
  const definition = findMetric(metric)
  if (definition === null) return []
  return [
    {
      contenderId,
      metric,
      name: definition.name,
      unit: definition.unit,
      better: definition.better,
      points: figures.map((figure) => {
        const { runId, startedAt, value, interval } = figure
        // The text has a mark if the figure is not comparable.
        return { runId, startedAt, value, text: runFigureText(metric, figure), interval }
      }),
      drift:
        drift === null
          ? null
          : `${driftText(metric, drift, figures.length)}, ${differenceText(metric, drift.first, drift.last)}`,
      changes: changes.map((change) => ({
        runId: change.runId,
        /** Position of the run in the series, from 1. */
        runNumber: change.runNumber,
        before: change.before,
        after: change.after,
        difference: differenceText(metric, change.before, change.after),
        verdict: nameDirection(metric, change.before, change.after),
      })),
    },
  ]
}
