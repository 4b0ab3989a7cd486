import type { Evaluation } from '#analysis'
import { type ErrorLevel, leadingFirst } from '#scoring'
import type { ShownColumn } from '../layout/column.ts'
import { rateWords } from '../layout/rate-words.ts'
import { layTable } from '../layout/table.ts'
import type { Terminal } from '../layout/terminal.ts'
import { absent, formatPercent } from '../layout/units.ts'

/** A score next to the journal of a run. */
export interface ScoreText {
  readonly file: string
  readonly evaluation: Evaluation | null
}

interface ScoreRow {
  readonly file: string
  /** The beginning of its fingerprint, by which `--score` names it. */
  readonly score: string
  readonly profile: string
  readonly references: string
  readonly contender: string
  readonly rates: Readonly<Record<ErrorLevel, number | null>>
}

const columnsFor = (leads: ErrorLevel): readonly ShownColumn<ScoreRow>[] => [
  { header: 'score', align: 'left', dropOrder: 0, cell: ({ score }) => score },
  { header: 'profile', align: 'left', dropOrder: 0, cell: ({ profile }) => profile },
  { header: 'references', align: 'left', dropOrder: 1, cell: ({ references }) => references },
  { header: 'contender', align: 'left', dropOrder: 0, cell: ({ contender }) => contender },
  ...leadingFirst(leads).map(
    (level): ShownColumn<ScoreRow> => ({
      header: rateWords[level].short,
      align: 'right',
      dropOrder: 0,
      cell: ({ rates }) => formatPercent(rates[level], 2),
    }),
  ),
  { header: 'file', align: 'left', dropOrder: 2, cell: ({ file }) => file },
]

/** The scores of one run side by side, a line per score and contender. */
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
  // The first one is the run's own.
  const leads = scores.find(({ evaluation }) => evaluation !== null)?.evaluation?.profile.leads ?? 'words'
  return layTable(columnsFor(leads), rows, '  ', terminal).lines.join('\n')
}
