import type { Evaluation } from '#analysis'
import { layTable, type TableColumn } from './table.ts'
import { foreign, type Terminal } from './terminal.ts'
import { absent, formatPercent } from './units.ts'

/** A score that stands beside a run's journal. */
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
  readonly wer: number | null
  readonly cer: number | null
}

const columns: readonly TableColumn<ScoreRow>[] = [
  { header: 'score', align: 'left', dropOrder: 0, cell: ({ score }) => score },
  { header: 'profile', align: 'left', dropOrder: 0, cell: ({ profile }) => foreign(profile) },
  { header: 'references', align: 'left', dropOrder: 1, cell: ({ references }) => references },
  { header: 'contender', align: 'left', dropOrder: 0, cell: ({ contender }) => foreign(contender) },
  { header: 'WER', align: 'right', dropOrder: 0, cell: ({ wer }) => percent(wer) },
  { header: 'CER', align: 'right', dropOrder: 0, cell: ({ cer }) => percent(cer) },
  { header: 'file', align: 'left', dropOrder: 2, cell: ({ file }) => foreign(file) },
]

/** The scores of one run side by side, a line per score and contender. */
export function renderScores(scores: readonly ScoreText[], terminal: Terminal): string {
  const rows = scores.flatMap(({ file, evaluation }): ScoreRow[] => {
    if (evaluation === null) {
      const unknown = {
        profile: 'cannot be read',
        references: absent,
        contender: absent,
        wer: null,
        cer: null,
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
      wer: words.rate,
      cer: characters.rate,
    }))
  })
  return layTable(columns, rows, '  ', terminal).lines.join('\n')
}

function percent(rate: number | null): string {
  return rate === null ? absent : formatPercent(rate, 2)
}
