import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { ContenderAnalysis } from '#analysis/documents/error-analysis'
import type { CountedRate } from '#analysis/documents/error-rates'
import type { Evaluation } from '#analysis/documents/evaluation'
import {
  type Column,
  type Columns,
  columnsOf,
  makeTable,
  shownColumns,
  type Table,
} from '../../layout/table.ts'
import { renderCsv } from '../../layout/table-files.ts'
import { formatCount, formatPercent, formatRange, formatTimes, marked } from '../../layout/units.ts'

/** A table of a report: in words for people, and complete in files. */
export interface Details {
  readonly title: string
  readonly notes: readonly string[]
  /** The rows that people see. */
  readonly table: Table
  /** Number of rows that only files have. */
  readonly cutCount: number
  toCsv(): string
}

interface DetailContent<Row> {
  readonly title: string
  readonly notes?: readonly string[]
  readonly rows: readonly Row[]
  /** The rows that people see; default: all. */
  readonly shown?: readonly Row[]
  columns(make: Columns<Row>): readonly Column<Row>[]
}

export function detailsOf<Row>({
  title,
  notes = [],
  rows,
  shown = rows,
  columns,
}: DetailContent<Row>): Details {
  const all = columns(columnsOf<Row>())
  return {
    title,
    notes,
    table: makeTable(shownColumns(all), shown),
    cutCount: shown.length === 0 ? 0 : rows.length - shown.length,
    toCsv: () => renderCsv(all, rows),
  }
}

/** The table of `detailsOf`; null if it has no rows. */
export function detailsOfRows<Row>(content: DetailContent<Row>): Details | null {
  return content.rows.length === 0 ? null : detailsOf(content)
}

export interface OfContender {
  readonly contender: string
}

/** Note on the name of a contender in every table; empty if all answers were received in this run. */
export function reusedNote(contenders: Evaluation['contenders'], id: string): string {
  const isReused = contenders.some(({ contender, reused }) => contender.id === id && reused !== undefined)
  return isReused ? 'reused' : ''
}

export function byContender<Row>(
  { errorAnalyses }: Evaluation,
  rowsOf: (analysis: ContenderAnalysis) => readonly Row[],
): readonly (Row & OfContender)[] {
  return errorAnalyses.flatMap((analysis) =>
    rowsOf(analysis).map((row) => ({ ...row, contender: analysis.contenderId })),
  )
}

export interface Figured {
  readonly figures: ContenderEvaluation
}

/** Speed of the contender, with a mark if it does not show which contender is faster. */
export function speedColumn<Row extends Figured>(header: string, mark: string): Column<Row> {
  const format = (speed: number): string => marked(formatTimes(speed), mark)
  return columnsOf<Row>().column('rtfx', ({ figures }) => figures.systemSpeed.value, format, header)
}

/** Latency of the contender, with the same mark. */
export function latencyColumn<Row extends Figured>(
  percentile: 'p50' | 'p95',
  mark: string,
  dropOrder = 0,
): Column<Row> {
  return columnsOf<Row>().milliseconds(
    `latency_${percentile}_ms`,
    ({ figures }) => figures.latencyMs[percentile].value,
    { header: percentile, dropOrder },
    mark,
  )
}

/**
 * The contender of a row, with a mark if the figures include answers of earlier runs.
 *
 * @param isShown whether people see it; default: if there are several contenders or reused answers
 */
export function contenderColumn<Row extends OfContender>(
  { contenders }: Pick<Evaluation, 'contenders'>,
  isShown = contenders.length > 1 || contenders.some(({ reused }) => reused !== undefined),
): Column<Row> {
  const note = ({ contender }: Row): string => reusedNote(contenders, contender)
  return columnsOf<Row>().text(
    'contender',
    ({ contender }) => contender,
    isShown ? { kind: 'contender', note } : null,
  )
}

/** `12 of 240 (5.0%, 95% interval 2.9% – 8.5%)`. */
export function ratePhrase({ rate, numerator, denominator, interval }: CountedRate): string {
  if (rate === null) return `none of ${formatCount(denominator)}`
  const bounds = interval === null ? '' : `, 95% interval ${formatRange(interval, formatPercent)}`
  return `${formatCount(numerator)} of ${formatCount(denominator)} (${formatPercent(rate)}${bounds})`
}
