import type { ContenderAnalysis, Evaluation, LadderRung, MarkAnalysis, NameCounts } from '#analysis'
import { type ErrorCounts, errorCount, referenceLength } from '#scoring'
import { countColumn, rateColumn, textColumn } from '../../layout/table.ts'
import { formatCount } from '../../layout/units.ts'
import {
  byContender,
  type Contended,
  contenderColumn,
  type DetailTable,
  detailTable,
  ratePhrase,
} from './detail-table.ts'

/** How much of the errors is a matter of writing. */
export function ladderDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ ladder }) => ladder)
  if (rows.length === 0) return null
  return detailTable<Contended & LadderRung>({
    title: 'How much is a matter of writing',
    notes: ['the word error rate as written, and then when more and more of the writing does not count'],
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('rung', { header: 'does not count' }, ({ rung }) =>
        rung === 'as written' ? 'nothing' : rung,
      ),
      rateColumn('wer_rate', { header: 'WER' }, ({ rate }) => rate),
      countColumn('word_errors', { header: 'errors' }, ({ counts }) => errorCount(counts)),
      countColumn('reference_words', { header: 'words' }, ({ counts }) => referenceLength(counts)),
    ],
  })
}

interface ClassRow extends Contended {
  readonly name: string
  readonly counts: ErrorCounts
  readonly rate: number | null
}

/** Numbers by value, and words by class. */
export function numberDetails(evaluation: Evaluation): DetailTable | null {
  const rows: readonly ClassRow[] = byContender(evaluation, ({ numbers }) =>
    numbers.reason === null
      ? Object.entries(numbers.classes)
          .filter(([, { counts }]) => referenceLength(counts) + counts.insertions > 0)
          .map(([name, analysis]) => ({ name, ...analysis }))
      : [],
  )
  if (rows.length === 0) return null
  return detailTable<ClassRow>({
    title: 'Numbers, money, dates',
    notes: evaluation.errorAnalyses.flatMap(numberNote),
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('class', { header: 'class' }, ({ name }) => name),
      rateColumn('error_rate', { header: 'wrong' }, ({ rate }) => rate),
      ...countColumns<ClassRow>(),
    ],
  })
}

function numberNote({ contenderId, numbers }: ContenderAnalysis): readonly string[] {
  if (numbers.reason !== null || numbers.rate.denominator === 0) return []
  const { formatOnly, invented } = numbers
  return [
    `${contenderId}: by value ${ratePhrase(numbers.rate)} wrong or missing, ${formatCount(formatOnly)} only written ` +
      `otherwise, ${formatCount(invented)} invented`,
  ]
}

/** Proper names, the most often wrong first. */
export function nameDetails(evaluation: Evaluation): DetailTable | null {
  const rows: readonly (Contended & NameCounts)[] = byContender(evaluation, ({ names }) =>
    names.reason === null ? names.names : [],
  )
  if (rows.length === 0) return null
  const wrong = rows.filter((row) => row.wrong > 0)
  return detailTable<Contended & NameCounts>({
    title: 'Proper names',
    notes: evaluation.errorAnalyses.flatMap(({ contenderId, names }) =>
      names.reason === null && names.rate.denominator > 0
        ? [
            `${contenderId}: ${ratePhrase(names.rate)} of the names said were not recognised, ` +
              `${formatCount(names.counts.insertions)} inserted; ${formatCount(names.nameCount)} different ones`,
          ]
        : [],
    ),
    rows,
    shown: { rows: (wrong.length > 0 ? wrong : rows).slice(0, shownNames), name: 'names' },
    columns: [
      contenderColumn(evaluation),
      textColumn('name', { header: 'name' }, ({ name }) => name),
      countColumn('said', { header: 'said' }, ({ said }) => said),
      countColumn('wrong', { header: 'wrong' }, ({ wrong: count }) => count),
    ],
  })
}

const shownNames = 20

/** Punctuation and capitals, after words that were recognised. */
export function markDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ punctuation }) =>
    punctuation.reason === null ? punctuation.marks : [],
  )
  const notes = evaluation.errorAnalyses.flatMap(formattingNotes)
  if (rows.length === 0 && notes.length === 0) return null
  return detailTable<Contended & MarkAnalysis>({
    title: 'Punctuation and capitals, where the words are right',
    notes,
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('mark', { header: 'mark' }, ({ mark }) => mark),
      rateColumn('recall_rate', { header: 'recall' }, ({ recall }) => recall),
      rateColumn('precision_rate', { header: 'precision' }, ({ precision }) => precision),
      ...countColumns<Contended & MarkAnalysis>(),
    ],
  })
}

function formattingNotes({
  contenderId,
  punctuation,
  capitals,
  formattedWords,
}: ContenderAnalysis): readonly string[] {
  const parts = [
    ...(punctuation.reason === null ? [`punctuation wrong ${ratePhrase(punctuation.rate)}`] : []),
    ...(capitals.reason === null ? [`capitals wrong ${ratePhrase(capitals.rate)}`] : []),
    ...(formattedWords.reason === null ? [`formatted WER ${ratePhrase(formattedWords)}`] : []),
  ]
  return parts.length === 0 ? [] : [`${contenderId}: ${parts.join(' · ')}`]
}

function countColumns<Row extends { readonly counts: ErrorCounts }>(): ReturnType<typeof countColumn<Row>>[] {
  return [
    countColumn('hits', { header: 'right' }, ({ counts }) => counts.hits),
    countColumn('substitutions', { header: 'sub' }, ({ counts }) => counts.substitutions),
    countColumn('deletions', { header: 'del' }, ({ counts }) => counts.deletions),
    countColumn('insertions', { header: 'ins' }, ({ counts }) => counts.insertions),
  ]
}
