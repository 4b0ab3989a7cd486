import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { ContenderAnalysis } from '#analysis/documents/error-analysis'
import type { CountedRate } from '#analysis/documents/error-rates'
import type { Evaluation } from '#analysis/documents/evaluation'
import { shellWord } from '#prelude'
import {
  type Column,
  column,
  layTable,
  makeTable,
  millisecondsColumn,
  shownColumns,
  type Table,
  textColumn,
} from '../../layout/table.ts'
import { markdownTable, markdownText, renderCsv } from '../../layout/table-files.ts'
import { foreign, inSigns, paint, paragraph, type Terminal } from '../../layout/terminal.ts'
import { counted, formatCount, formatPercent, formatRange, formatTimes } from '../../layout/units.ts'
import { marked } from '../../layout/words.ts'

/** One table of a report, laid out as a screen, a Markdown or a CSV wants it. */
export interface DetailTable {
  readonly title: string
  /** Sentences below the title. */
  readonly notes: readonly string[]
  readonly rowCount: number
  toTerminal(terminal: Terminal): string
  toMarkdown(): string
  toCsv(): string
  toPage(): Table
}

export interface DetailContent<Row> {
  readonly title: string
  readonly notes?: readonly string[]
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Rows to show on a screen, and the name of the file table that has all of them, and the id of the run; default: all rows. */
  readonly shown?: { readonly rows: readonly Row[]; readonly name: string; readonly run: string }
}

export function detailTable<Row>(content: DetailContent<Row>): DetailTable {
  const { title, notes = [], columns, rows } = content
  const shownRows = content.shown?.rows ?? rows
  const shown = shownColumns(columns)
  const left = shownRows.length === 0 ? 0 : rows.length - shownRows.length
  const { name, run = '' } = content.shown ?? {}
  const command = `transcribench report ${shellWord(run)} --format csv --table ${name}`
  const more = left > 0 ? [`${counted(left, 'more row')}: ${command}`] : []
  return {
    title,
    notes,
    rowCount: rows.length,
    toTerminal(terminal) {
      const faint = (note: string): string => paint(paragraph(note, '  ', terminal), 'faint', terminal)
      const lines = shownRows.length === 0 ? [] : layTable(shown, shownRows, terminal).lines
      return [
        `  ${paint(inSigns(foreign(title), terminal), 'strong', terminal)}`,
        ...notes.map((note) => paragraph(foreign(note), '  ', terminal)),
        ...lines,
        ...more.map(faint),
      ].join('\n')
    },
    toMarkdown: () =>
      [...notes.map((note) => `${markdownText(note)}\n`), markdownTable(shown, shownRows)].join('\n'),
    toCsv: () => renderCsv(columns, rows),
    toPage: () => makeTable(shown, shownRows),
  }
}

/** A row with whose it is. */
export interface Contended {
  readonly contender: string
}

/** Behind the name of a contender in every table: empty where all answers were received in this run. */
export function reusedNote(contenders: Evaluation['contenders'], id: string): string {
  const isReused = contenders.some(({ contender, reused }) => contender.id === id && reused !== undefined)
  return isReused ? 'reused' : ''
}

/** Rows of all contenders, in their order. */
export function byContender<Row>(
  { errorAnalyses }: Evaluation,
  rowsOf: (analysis: ContenderAnalysis) => readonly Row[],
): readonly (Row & Contended)[] {
  return errorAnalyses.flatMap((analysis) =>
    rowsOf(analysis).map((row) => ({ ...row, contender: analysis.contenderId })),
  )
}

/** A row with the figures of a contender. */
export interface Figured {
  readonly figures: ContenderEvaluation
}

/** Its speed, with a mark where that says nothing about which contender is faster. */
export function speedColumn<Row extends Figured>(header: string, mark: string): Column<Row> {
  return column(
    'rtfx',
    { header },
    ({ figures }) => figures.systemSpeed.value,
    (speed) => marked(formatTimes(speed), mark),
  )
}

/** Its latency, marked likewise. */
export function latencyColumn<Row extends Figured>(
  percentile: 'p50' | 'p95',
  mark: string,
  dropOrder = 0,
): Column<Row> {
  return millisecondsColumn(
    `latency_${percentile}_ms`,
    { header: percentile, dropOrder },
    ({ figures }) => figures.latencyMs[percentile].value,
    mark,
  )
}

/**
 * Whose row it is, with a mark where answers of earlier runs are in the figures.
 *
 * @param isShown whether people see it; default: where there are several contenders, and where answers are reused
 */
export function contenderColumn<Row extends Contended>(
  { contenders }: Pick<Evaluation, 'contenders'>,
  isShown = contenders.length > 1 || contenders.some(({ reused }) => reused !== undefined),
): Column<Row> {
  const note = ({ contender }: Row): string => reusedNote(contenders, contender)
  const look = isShown ? { header: 'contender', kind: 'contender' as const, note } : null
  return textColumn('contender', look, ({ contender }) => contender)
}

/** `12 of 240 (5.0%, 95% interval 2.9% – 8.5%)`. */
export function ratePhrase({ rate, numerator, denominator, interval }: CountedRate): string {
  if (rate === null) return `none of ${formatCount(denominator)}`
  const bounds = interval === null ? '' : `, 95% interval ${formatRange(interval, formatPercent)}`
  return `${formatCount(numerator)} of ${formatCount(denominator)} (${formatPercent(rate)}${bounds})`
}
