import type { History, Trend } from '#analysis/comparison/trends'
import type { MetricUnit } from '#analysis/metrics/metric'
import { findMetric } from '#analysis/metrics/metrics'
import { rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { type FirstFigure, pageFormatVersion } from '../layout/page-document.ts'
import {
  column,
  intervalColumns,
  makeTable,
  millisecondsColumn,
  rateColumn,
  type ShownColumn,
  shownColumns,
  type Table,
  textColumn,
} from '../layout/table.ts'
import {
  absent,
  counted,
  formatMilliseconds,
  formatPercent,
  formatTimes,
  orAbsent,
  rateWords,
} from '../layout/units.ts'
import { incomparableMark, marked } from '../layout/words.ts'
import { findHeader } from '../run/contender-tables.ts'
import {
  differenceText,
  historySentence,
  nameDirection,
  runFigureText,
  shortestSeries,
} from './render-history.ts'

/** What a list of runs says of a contender. */
export interface LibraryContender {
  readonly id: string
  /** The leading one. */
  readonly errorRate: {
    readonly value: number
    readonly interval: { readonly low: number; readonly high: number } | null
  } | null
  readonly failureRate: number | null
  readonly speed: number | null
  readonly latencyP50Ms: number | null
  /** Why speed and latency are not comparable; null where they are. */
  readonly withheld: string | null
}

/** A run of a results folder, as its summary describes it. */
export interface LibraryRun {
  /** The name of its folder. */
  readonly id: string
  /** Null where the run has no score that can be read. */
  readonly summary: {
    readonly name: string
    /** ISO 8601, UTC. */
    readonly startedAt: string
    readonly validity: string
    readonly corpus: string
    readonly load: string
    /** What answered, with its address; null where its summary does not say. */
    readonly target: string | null
    /** Which score its figures are of. */
    readonly score: string
    readonly leads: ErrorLevel
    readonly contenders: readonly LibraryContender[]
  } | null
  /** What there is in the place of a score; null where there is one. */
  readonly unscored: string | null
}

/** A run as its page lists it. */
export interface ListedRun {
  readonly id: string
  /** Of its page, from the list; null where it has none. */
  readonly address: string | null
  readonly summary: Omit<NonNullable<LibraryRun['summary']>, 'contenders'> | null
  readonly unscored: string | null
  /** A row for each contender, and one where there is none. */
  readonly figures: Table
}

/** The page of a results folder. */
export interface LibraryPage {
  readonly kind: 'library'
  readonly formatVersion: number
  readonly title: string
  readonly answer: string
  /** The newest first. */
  readonly runs: readonly ListedRun[]
  /** The headings of the figures of all runs. */
  readonly columns: Table['columns']
  readonly history: HistoryPage
  /** Whether two runs can be marked and compared: not without a server. */
  readonly canCompare: boolean
}

/** Where the pages of runs are. */
export interface LibraryAddresses {
  addressOf(runId: string): string | null
  readonly canCompare: boolean
}

/** Everything that the page of a results folder shows. */
export function libraryPage(
  folder: string,
  runs: readonly LibraryRun[],
  history: History,
  { addressOf, canCompare }: LibraryAddresses,
): LibraryPage {
  const trends = historyPage(history)
  const leads = [...new Set(runs.flatMap(({ summary }) => summary?.leads ?? []))]
  return {
    kind: 'library',
    formatVersion: pageFormatVersion,
    title: folder,
    answer: answerText(history, trends.answer, runs.length),
    runs: runs
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .map((run) => ({ ...listedRun(run, leads), address: addressOf(run.id) })),
    columns: makeTable(figureColumns(leads), []).columns,
    history: trends,
    canCompare,
  }
}

function listedRun(
  { id, summary, unscored }: LibraryRun,
  leads: readonly ErrorLevel[],
): Omit<ListedRun, 'address'> {
  const contenders = summary === null || summary.contenders.length === 0 ? [noContender] : summary.contenders
  return { id, summary, unscored, figures: makeTable(figureColumns(leads, summary?.leads), contenders) }
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
 * @param leads of all runs: where some lead with words and others with characters, cells say which
 * @param own of the run
 */
function figureColumns(
  leads: readonly ErrorLevel[],
  own: ErrorLevel = 'words',
): readonly ShownColumn<LibraryContender>[] {
  const [first = 'words'] = leads
  const isMixed = leads.length > 1
  const heading = (name: string): string => findHeader(name, first)
  const metric = rateMetrics[first]
  const rateCell = ({ errorRate }: LibraryContender): string =>
    orAbsent(errorRate, ({ value }) => `${isMixed ? `${rateWords[own].short} ` : ''}${formatPercent(value)}`)
  return shownColumns<LibraryContender>([
    textColumn('contender', { header: heading('contender') }, ({ id }) => id),
    rateColumn(
      'rate',
      {
        header: isMixed ? 'WER or CER' : heading(`${metric}_rate`),
        cell: rateCell,
        tone: () => 'strong',
      },
      ({ errorRate }) => errorRate?.value ?? null,
    ),
    ...intervalColumns<LibraryContender>('rate', ({ errorRate }) => errorRate?.interval ?? null, {
      header: heading(`${metric}_low95_rate`),
      isOnlyWide: true,
    }),
    rateColumn(
      'failure_rate',
      { header: heading('failed'), tone: ({ failureRate }) => (failureRate ? 'bad' : null) },
      ({ failureRate }) => failureRate,
    ),
    column(
      'rtfx',
      { header: heading('rtfx'), cell: (row) => timed(row, row.speed, formatTimes) },
      ({ speed }) => speed,
      formatTimes,
    ),
    millisecondsColumn(
      'p50',
      {
        header: heading('latency_p50_ms'),
        cell: (row) => timed(row, row.latencyP50Ms, formatMilliseconds),
      },
      ({ latencyP50Ms }) => latencyP50Ms,
    ),
  ])
}

function timed(
  { withheld }: Pick<LibraryContender, 'withheld'>,
  value: number | null,
  format: (value: number) => string,
): string {
  return marked(orAbsent(value, format), incomparableMark({ withheld }))
}

function answerText({ runCount }: History, sentence: string, listedCount: number): string {
  if (listedCount === 0) return 'There is no run here yet.'
  if (runCount === 0) return 'No run here has a valid score.'
  return runCount === 1 ? 'There is one run; trends need more.' : sentence
}

/** One metric of one contender over comparable runs. */
export interface PageTrend {
  readonly contenderId: string
  readonly metric: string
  /** The metric's name in words. */
  readonly name: string
  readonly unit: MetricUnit
  readonly better: 'lower' | 'higher'
  readonly points: readonly {
    readonly runId: string
    readonly startedAt: string
    readonly value: number
    /** In words, with a mark where it is not comparable. */
    readonly text: string
    readonly interval: { readonly low: number; readonly high: number } | null
  }[]
  /** In words; null where the figure did not move evenly. */
  readonly drift: string | null
  /** Runs from which on the figure has another level. */
  readonly changes: readonly {
    readonly runId: string
    /** Position of the run in the series, from 1. */
    readonly runNumber: number
    readonly before: number
    readonly after: number
    /** `+2.25 pp`, `−30.1%`. */
    readonly difference: string
    readonly verdict: 'better' | 'worse'
  }[]
}

/** Trends whose runs have corpus, profile, load and machine in common. */
interface TrendGroup {
  readonly conditions: string
  readonly trends: readonly PageTrend[]
}

/** The latest figures of a contender in the longest series. */
interface LatestFigures {
  readonly contenderId: string
  readonly figures: readonly FirstFigure[]
}

/** The page of a history: figures over the runs of a folder. */
export interface HistoryPage {
  readonly kind: 'history'
  readonly formatVersion: number
  readonly title: string
  readonly answer: string
  readonly latest: readonly LatestFigures[]
  readonly groups: readonly TrendGroup[]
  readonly runCount: number
  readonly leftOut: readonly string[]
}

export function historyPage({ trends, runCount, leftOut }: History): HistoryPage {
  const groups = [...Map.groupBy(trends, ({ conditions }) => conditions)]
    .map(([conditions, own]) => ({ conditions, trends: own.flatMap(pageTrend) }))
    // The longest series first: what was measured once has no history yet.
    .toSorted((a, b) => longest(b) - longest(a))
  return {
    kind: 'history',
    formatVersion: pageFormatVersion,
    title: `History of ${counted(runCount, 'run')}`,
    answer: historySentence(trends, runCount),
    latest: groups[0] === undefined ? [] : latestFigures(groups[0]),
    groups,
    runCount,
    leftOut,
  }
}

const maxFigures = 4

function latestFigures({ trends }: TrendGroup): readonly LatestFigures[] {
  return [...Map.groupBy(trends, ({ contenderId }) => contenderId)].map(([contenderId, own]) => ({
    contenderId,
    figures: own.slice(0, maxFigures).flatMap(latestFigure),
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

/** In so few runs no change can be found, so that there is none to deny. */
function quietDetail(runCount: number): string {
  const runs = counted(runCount, 'run')
  return runCount < shortestSeries ? `${runs}, too few to find a change` : `no change in ${runs}`
}

function longest({ trends }: TrendGroup): number {
  return Math.max(0, ...trends.map(({ points }) => points.length))
}

function pageTrend({ contenderId, metric, figures, changes, drift }: Trend): PageTrend[] {
  const known = findMetric(metric)
  if (known === null) return []
  return [
    {
      contenderId,
      metric,
      name: known.name,
      unit: known.unit,
      better: known.better,
      points: figures.map((figure) => {
        const { runId, startedAt, value, interval } = figure
        return { runId, startedAt, value, text: runFigureText(metric, figure), interval }
      }),
      drift:
        drift === null
          ? null
          : `drifts, evenly ${nameDirection({ trend: { metric }, change: { before: drift.first, after: drift.last } })} over ` +
            `${counted(figures.length, 'run')}: ${differenceText(metric, drift.first, drift.last)}`,
      changes: changes.map((change) => ({
        runId: change.runId,
        runNumber: change.runNumber,
        before: change.before,
        after: change.after,
        difference: differenceText(metric, change.before, change.after),
        verdict: nameDirection({ trend: { metric }, change }),
      })),
    },
  ]
}
