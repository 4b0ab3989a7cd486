import type { Evaluation } from '#analysis/documents/evaluation'
import { leadingFirst } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { layTable, type ShownColumn } from '../layout/table.ts'
import { foreign, type Terminal } from '../layout/terminal.ts'
import { absent, formatCount, formatPercent, rateWords } from '../layout/units.ts'

/** A score next to the journal of a run. */
export interface ScoreText {
  /** File name such as `evaluation.english.1a2b3c4d.json`. */
  readonly file: string
  /** Null if the file is not a readable evaluation. */
  readonly evaluation: Evaluation | null
}

interface ScoreRow {
  readonly file: string
  /** The first characters of its fingerprint, by which `--score` selects it. */
  readonly score: string
  readonly profile: string
  readonly references: string
  readonly contender: string
  readonly rates: Readonly<Record<ErrorLevel, number | null>>
}

const scoreColumns = (leads: ErrorLevel): readonly ShownColumn<ScoreRow>[] => [
  { header: 'score', cell: ({ score }) => score },
  { header: 'profile', cell: ({ profile }) => profile },
  { header: 'references', dropOrder: 1, cell: ({ references }) => references },
  { header: 'contender', cell: ({ contender }) => contender },
  ...leadingFirst(leads).map(
    (level): ShownColumn<ScoreRow> => ({
      header: rateWords[level].short,
      align: 'right',
      cell: ({ rates }) => formatPercent(rates[level], 2),
    }),
  ),
  { header: 'file', dropOrder: 2, cell: ({ file }) => file },
]

export function renderScores(scores: readonly ScoreText[], terminal: Terminal): string {
  const rows = scores.flatMap(({ file, evaluation }): ScoreRow[] => {
    if (evaluation === null) {
      const unknown = {
        profile: 'cannot be read',
        references: absent,
        contender: absent,
        rates: { words: null, characters: null },
      }
      return [{ file, score: absent, ...unknown }]
    }
    const { profile, scoring } = evaluation
    return evaluation.contenders.map(({ contender, words, characters }) => ({
      file,
      score: scoring.fingerprint.slice(0, 8),
      profile: profile.id,
      references:
        scoring.corrections === null ? 'as measured' : `${scoring.corrections.correctedIds.length} corrected`,
      contender: contender.id,
      rates: { words: words.rate, characters: characters.rate },
    }))
  })
  // The first score is the run's own.
  const leads = scores.find(({ evaluation }) => evaluation !== null)?.evaluation?.profile.leads ?? 'words'
  return layTable(scoreColumns(leads), rows, terminal).lines.join('\n')
}

/** A value of a query's result; lists and structures are JSON text. */
export type QueryCell = string | number | boolean | null

export interface QueryRows {
  readonly columns: readonly string[]
  /** The first rows of the result. */
  readonly rows: readonly (readonly QueryCell[])[]
  /** Number of rows of the whole result. */
  readonly rowCount: number
}

export function renderQuery({ columns, rows, rowCount }: QueryRows, terminal: Terminal): string {
  const shown = columns.map(
    (header, index): ShownColumn<readonly QueryCell[]> => ({
      header,
      align: rows.every((row) => typeof (row[index] ?? 0) === 'number') ? 'right' : 'left',
      cell: (row) => cellText(row[index] ?? null),
    }),
  )
  const { lines } = layTable(shown, rows, terminal)
  const counts =
    rows.length < rowCount
      ? `first ${formatCount(rows.length)} of ${formatCount(rowCount)} rows; all of them: --format csv`
      : `${formatCount(rowCount)} ${rowCount === 1 ? 'row' : 'rows'}`
  return [...lines, '', `  ${counts}`].join('\n')
}

/** A cell for people: numbers in six significant digits; files have all of them. */
function cellText(cell: QueryCell): string {
  if (cell === null) return absent
  if (typeof cell !== 'number') return foreign(String(cell))
  return String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(6)))
}
