import type { History } from '#analysis'
import { type ErrorLevel, rateMetrics } from '#scoring'
import { type ShownColumn, shownColumns, type Table, tableOf } from '../layout/column.ts'
import {
  column,
  intervalColumns,
  millisecondsColumn,
  rateColumn,
  textColumn,
} from '../layout/column-kinds.ts'
import { pageFormatVersion } from '../layout/page-version.ts'
import { rateWords } from '../layout/rate-words.ts'
import { absent, counted, formatMilliseconds, formatPercent, formatTimes, orAbsent } from '../layout/units.ts'
import { headerOf } from '../run/columns/contender-tables.ts'
import { incomparableMark, marked } from '../run/words/speed-words.ts'
import { type HistoryPage, historyPage } from './history-page.ts'

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
    answer: answerOf(history, trends.answer, runs.length),
    runs: runs
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .map((run) => ({ ...listedRun(run, leads), address: addressOf(run.id) })),
    columns: tableOf(figureColumns(leads), []).columns,
    history: trends,
    canCompare,
  }
}

function listedRun(
  { id, summary, unscored }: LibraryRun,
  leads: readonly ErrorLevel[],
): Omit<ListedRun, 'address'> {
  const contenders = summary === null || summary.contenders.length === 0 ? [noContender] : summary.contenders
  return { id, summary, unscored, figures: tableOf(figureColumns(leads, summary?.leads), contenders) }
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
  const heading = (name: string): string => headerOf(name, first)
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

function answerOf({ trends, runCount }: History, changed: string, listedCount: number): string {
  if (listedCount === 0) return 'There is no run here yet.'
  if (trends.some(({ changes }) => changes.length > 0)) return changed
  if (runCount === 0) return 'No run here has a valid score.'
  return runCount === 1
    ? 'There is one run; trends need more.'
    : `No change was detected over these ${counted(runCount, 'run')}.`
}
