import type { Evaluation, PathologyAnalysis, PathologyExample, SilenceExample } from '#analysis'
import type { PathologyKind, SuspectReference } from '#scoring'
import {
  type Column,
  countColumn,
  intervalColumns,
  longTextColumn,
  rateColumn,
  textColumn,
} from '../../layout/table.ts'
import { formatCount, formatSeconds } from '../../layout/units.ts'
import { pathologyNames } from '../words.ts'
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
    shown: { rows: found, name: 'pathologies' },
    columns: [
      contenderColumn(evaluation),
      kindColumn(),
      countColumn('utterances', { header: 'utterances' }, ({ rate }) => rate.numerator),
      rateColumn('utterance_rate', { header: 'of all' }, ({ rate }) => rate.rate),
      ...intervalColumns<PathologyRow>('utterance', ({ rate }) => rate.interval),
      countColumn('answered_utterances', null, ({ rate }) => rate.denominator),
      countColumn('answers', { header: 'answers', dropOrder: 2 }, ({ answerCount }) => answerCount),
      textColumn('largest_in', { header: 'largest in' }, ({ examples }) => examples[0]?.utteranceId ?? null),
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
    shown: { rows: rows.slice(0, examplesShown), name: 'examples' },
    columns: [
      contenderColumn(evaluation),
      kindColumn(),
      textColumn('utterance', { header: 'utterance' }, ({ utteranceId }) => utteranceId),
      countColumn('round', null, ({ round }) => round),
      countColumn('request', null, ({ requestIndex }) => requestIndex),
      countColumn('answers', { header: 'answers', dropOrder: 2 }, ({ answerCount }) => answerCount),
      countColumn('size', { header: 'words' }, ({ size }) => size),
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
      countColumn('unstable_utterances', { header: 'other text' }, ({ rate }) => rate.numerator),
      countColumn('repeated_utterances', { header: 'of' }, ({ rate }) => rate.denominator),
      rateColumn('unstable_rate', { header: 'share' }, ({ rate }) => rate.rate),
      ...intervalColumns<Row>('unstable', ({ rate }) => rate.interval),
      rateColumn(
        'between_repeats_rate',
        { header: 'WER between repeats' },
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
      textColumn('utterance', { header: 'utterance' }, ({ utteranceId }) => utteranceId),
      countColumn('audio_seconds', { header: 'seconds', dropOrder: 2 }, ({ audioSeconds }) => audioSeconds),
      countColumn('answers', null, ({ answerCount }) => answerCount),
      countColumn(
        'answers_with_words',
        { header: 'times' },
        ({ answeredWithWordsCount }) => answeredWithWordsCount,
      ),
      countColumn('inserted_words', { header: 'words' }, ({ insertedWords }) => insertedWords),
      longTextColumn('hypothesis', { header: 'text', dropOrder: 1 }, ({ hypothesis }) => hypothesis),
    ],
  })
}

/** References that all contenders contradict in the same words. */
export function referenceDetails({ audit }: Evaluation): DetailTable | null {
  if (audit.suspects.length === 0) return null
  return detailTable<SuspectReference>({
    title: 'References that may be wrong',
    notes: ['all contenders say the same, and the reference says otherwise'],
    rows: audit.suspects,
    shown: { rows: audit.suspects.slice(0, examplesShown), name: 'references' },
    columns: [
      textColumn('utterance', { header: 'utterance' }, ({ id }) => id),
      countColumn('errors', { header: 'errors' }, ({ errors }) => errors),
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
