import type {
  ContenderAnalysis,
  LadderRung,
  MarkAnalysis,
  NameCounts,
  PathologyAnalysis,
  PathologyExample,
  SilenceExample,
} from '#analysis/documents/error-analysis'
import type { Evaluation } from '#analysis/documents/evaluation'
import { errorCount, referenceLength } from '#scoring/counts'
import type { PathologyKind } from '#scoring/error-analysis/pathologies'
import type { ErrorCounts, SuspectReference } from '#scoring/shapes'
import {
  type Column,
  countColumn,
  intervalColumns,
  longTextColumn,
  rateColumn,
  textColumn,
} from '../../layout/table.ts'
import { formatCount, formatSeconds } from '../../layout/units.ts'
import { pathologyNames } from '../../layout/words.ts'
import {
  byContender,
  type Contended,
  contenderColumn,
  type DetailTable,
  detailTable,
  ratePhrase,
} from './detail-table.ts'

type PathologyRow = Contended & PathologyAnalysis

function kindColumn<Row extends { readonly kind: PathologyKind }>(): Column<Row> {
  return textColumn('kind', { header: 'what', cell: ({ kind }) => pathologyNames[kind] }, ({ kind }) => kind)
}

/** Ways to go wrong; those that did not occur are in files alone, and counted in a note. */
export function pathologyDetails(evaluation: Evaluation): DetailTable {
  const rows = byContender(evaluation, ({ pathologies }) => pathologies)
  const found = rows.filter(({ rate }) => rate.numerator > 0)
  const [first] = rows
  const none =
    found.length === 0 ? `none found in ${formatCount(first?.rate.denominator ?? 0)} utterances` : null
  return detailTable<PathologyRow>({
    title: 'Hallucinations, loops, missing parts',
    notes: none === null ? [] : [none],
    rows,
    shown: { rows: found, name: 'pathologies', run: evaluation.run.id },
    columns: [
      contenderColumn(evaluation),
      kindColumn(),
      countColumn('utterances', 'utterances', ({ rate }) => rate.numerator),
      rateColumn('utterance_rate', 'of all', ({ rate }) => rate.rate),
      ...intervalColumns<PathologyRow>('utterance', ({ rate }) => rate.interval),
      countColumn('answered_utterances', null, ({ rate }) => rate.denominator),
      countColumn('answers', { header: 'answers', dropOrder: 2 }, ({ answerCount }) => answerCount),
      textColumn('largest_in', 'largest in', ({ examples }) => examples[0]?.utteranceId ?? null),
    ],
  })
}

type ExampleRow = Contended & PathologyExample & { readonly kind: PathologyKind }

const examplesShown = 10

export function exampleDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ pathologies }) =>
    pathologies.flatMap(({ kind, examples }) => examples.map((example) => ({ ...example, kind }))),
  )
  if (rows.length === 0) return null
  return detailTable<ExampleRow>({
    title: 'Where',
    rows,
    shown: { rows: rows.slice(0, examplesShown), name: 'examples', run: evaluation.run.id },
    columns: [
      contenderColumn(evaluation),
      kindColumn(),
      textColumn('utterance', 'utterance', ({ utteranceId }) => utteranceId),
      countColumn('round', null, ({ round }) => round),
      countColumn('request', null, ({ requestIndex }) => requestIndex),
      countColumn('answers', { header: 'answers', dropOrder: 2 }, ({ answerCount }) => answerCount),
      countColumn('size', 'words', ({ size }) => size),
      longTextColumn('detail', { header: 'text', dropOrder: 1 }, ({ detail }) => detail),
    ],
  })
}

export function repeatDetails(evaluation: Evaluation): DetailTable | null {
  type Row = Contended & NonNullable<Evaluation['errorAnalyses'][number]['flakiness']>
  const rows: readonly Row[] = byContender(evaluation, ({ flakiness }) =>
    flakiness === null ? [] : [flakiness],
  )
  if (rows.length === 0) return null
  return detailTable<Row>({
    title: 'The same recording, sent again',
    rows,
    columns: [
      contenderColumn(evaluation, true),
      countColumn('unstable_utterances', 'other text', ({ rate }) => rate.numerator),
      countColumn('repeated_utterances', 'of', ({ rate }) => rate.denominator),
      rateColumn('unstable_rate', 'share', ({ rate }) => rate.rate),
      ...intervalColumns<Row>('unstable', ({ rate }) => rate.interval),
      rateColumn(
        'between_repeats_rate',
        'WER between repeats',
        ({ betweenRepeatsRate }) => betweenRepeatsRate,
      ),
      textColumn(
        'utterances',
        { header: 'first', dropOrder: 1 },
        ({ unstableIds }) => unstableIds[0] ?? null,
      ),
    ],
  })
}

/** What is answered where the reference has no words. */
export function silenceDetails(evaluation: Evaluation): DetailTable | null {
  const known = evaluation.errorAnalyses.filter(({ silence }) => silence !== null)
  if (known.length === 0) return null
  const rows = byContender(evaluation, ({ silence }) => silence?.examples ?? [])
  return detailTable<Contended & SilenceExample>({
    title: 'Where nothing is said',
    notes: known.flatMap(({ contenderId, silence }) => {
      if (silence === null) return []
      const { answeredWithWords, insertedWords, insertedWordsPerMinute, audioSeconds } = silence
      const perMinute =
        insertedWordsPerMinute === null ? '' : `, ${insertedWordsPerMinute.toFixed(1)} a minute`
      return [
        `${contenderId}: words in ${ratePhrase(answeredWithWords)} answers; ${formatCount(insertedWords)} words in ` +
          `${formatSeconds(audioSeconds)}${perMinute}`,
      ]
    }),
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('utterance', 'utterance', ({ utteranceId }) => utteranceId),
      countColumn('audio_seconds', { header: 'seconds', dropOrder: 2 }, ({ audioSeconds }) => audioSeconds),
      countColumn('answers', null, ({ answerCount }) => answerCount),
      countColumn('answers_with_words', 'times', ({ answeredWithWordsCount }) => answeredWithWordsCount),
      countColumn('inserted_words', 'words', ({ insertedWords }) => insertedWords),
      longTextColumn('hypothesis', { header: 'text', dropOrder: 1 }, ({ hypothesis }) => hypothesis),
    ],
  })
}

/** References that all contenders contradict in the same words. */
export function referenceDetails({ audit, run }: Evaluation): DetailTable | null {
  if (audit.suspects.length === 0) return null
  return detailTable<SuspectReference>({
    title: 'References that may be wrong',
    notes: ['all contenders say the same, and the reference says otherwise'],
    rows: audit.suspects,
    shown: { rows: audit.suspects.slice(0, examplesShown), name: 'references', run: run.id },
    columns: [
      textColumn('utterance', 'utterance', ({ id }) => id),
      countColumn('errors', 'errors', ({ errors }) => errors),
      countColumn(
        'contenders',
        { header: 'contenders', dropOrder: 2 },
        ({ contenderCount }) => contenderCount,
      ),
      longTextColumn(
        'reference',
        { header: 'reference', dropOrder: 1, isLong: true },
        ({ reference }) => reference,
      ),
      longTextColumn(
        'agreed',
        { header: 'all say', dropOrder: 1, isLong: true },
        ({ agreedText }) => agreedText,
      ),
    ],
  })
}

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
      textColumn('rung', 'does not count', ({ rung }) => (rung === 'as written' ? 'nothing' : rung)),
      rateColumn('wer_rate', 'WER', ({ rate }) => rate),
      countColumn('word_errors', 'errors', ({ counts }) => errorCount(counts)),
      countColumn('reference_words', 'words', ({ counts }) => referenceLength(counts)),
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
      textColumn('class', 'class', ({ name }) => name),
      rateColumn('error_rate', 'wrong', ({ rate }) => rate),
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
    shown: {
      rows: (wrong.length > 0 ? wrong : rows).slice(0, shownNames),
      name: 'names',
      run: evaluation.run.id,
    },
    columns: [
      contenderColumn(evaluation),
      textColumn('name', 'name', ({ name }) => name),
      countColumn('said', 'said', ({ said }) => said),
      countColumn('wrong', 'wrong', ({ wrong: count }) => count),
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
      textColumn('mark', 'mark', ({ mark }) => mark),
      rateColumn('recall_rate', 'recall', ({ recall }) => recall),
      rateColumn('precision_rate', 'precision', ({ precision }) => precision),
      ...countColumns<Contended & MarkAnalysis>(),
    ],
  })
}

function formattingNotes(analysis: ContenderAnalysis): readonly string[] {
  const { contenderId, punctuation, capitals, formattedWords } = analysis
  const parts = [
    ...(punctuation.reason === null ? [`punctuation wrong ${ratePhrase(punctuation.rate)}`] : []),
    ...(capitals.reason === null ? [`capitals wrong ${ratePhrase(capitals.rate)}`] : []),
    ...(formattedWords.reason === null ? [`formatted WER ${ratePhrase(formattedWords)}`] : []),
  ]
  return parts.length === 0 ? [] : [`${contenderId}: ${parts.join(' · ')}`]
}

function countColumns<Row extends { readonly counts: ErrorCounts }>(): ReturnType<typeof countColumn<Row>>[] {
  return [
    countColumn('hits', 'right', ({ counts }) => counts.hits),
    countColumn('substitutions', 'sub', ({ counts }) => counts.substitutions),
    countColumn('deletions', 'del', ({ counts }) => counts.deletions),
    countColumn('insertions', 'ins', ({ counts }) => counts.insertions),
  ]
}
