import { type Column, shownColumns, type Table, tableOf } from '../../layout/column.ts'
import { renderCsv } from '../../layout/csv.ts'
import { markdownTable, markdownText } from '../../layout/markdown.ts'
import { layTable } from '../../layout/table.ts'
import { foreign, inSigns, paint, paragraph, type Terminal } from '../../layout/terminal.ts'
import { counted } from '../../layout/units.ts'

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
  /** Rows to show on a screen, and the name of the file table that has all of them; default: all rows. */
  readonly shown?: { readonly rows: readonly Row[]; readonly name: string }
}

export function detailTable<Row>(content: DetailContent<Row>): DetailTable {
  const { title, notes = [], columns, rows } = content
  const shownRows = content.shown?.rows ?? rows
  const shown = shownColumns(columns)
  const left = shownRows.length === 0 ? 0 : rows.length - shownRows.length
  const name = content.shown?.name
  const more =
    left > 0 ? [`${counted(left, 'more row')}: transcribench report <run> --format csv --table ${name}`] : []
  return {
    title,
    notes,
    rowCount: rows.length,
    toTerminal(terminal) {
      const faint = (note: string): string => paint(paragraph(note, '  ', terminal), 'faint', terminal)
      const lines = shownRows.length === 0 ? [] : layTable(shown, shownRows, '  ', terminal).lines
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
    toPage: () => tableOf(shown, shownRows),
  }
}
