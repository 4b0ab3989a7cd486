import type { ContenderAnalysis } from '#analysis/documents/error-analysis'
import type { Evaluation } from '#analysis/documents/evaluation'
import { errorCount, referenceLength } from '#scoring/counts'
import type { PathologyKind } from '#scoring/error-analysis/pathologies'
import type { ErrorCounts } from '#scoring/shapes'
import { type Column, columnsOf } from '../../layout/table.ts'
import { counted, formatCount, formatSeconds, pathologyNames } from '../../layout/units.ts'
import {
  byContender,
  contenderColumn,
  type Details,
  detailsOf,
  detailsOfRows,
  ratePhrase,
} from './detail-table.ts'

function kindColumn<Row extends { readonly kind: PathologyKind }>(): Column<Row> {
  const look = { header: 'what', cell: ({ kind }: Row) => pathologyNames[kind] }
  return columnsOf<Row>().text('kind', ({ kind }) => kind, look)
}

/** Kinds of degenerate output; those that did not occur are in files alone, and counted in a note. */
export function pathologyDetails(evaluation: Evaluation): Details {
  const rows = byContender(evaluation, ({ pathologies }) => pathologies)
  const found = rows.filter(({ rate }) => rate.numerator > 0)
  return detailsOf({
    title: 'Hallucinations, loops, missing parts',
    notes:
      found.length === 0 ? [`none found in ${counted(rows[0]?.rate.denominator ?? 0, 'utterance')}`] : [],
    rows,
    shown: found,
    columns: ({ count, rate, rateInterval, text }) => [
      contenderColumn(evaluation),
      kindColumn(),
      count('utterances', ({ rate: share }) => share.numerator),
      rate('utterance_rate', ({ rate: share }) => share.rate, 'of all'),
      ...rateInterval('utterance', ({ rate: share }) => share.interval),
      count('answered_utterances', ({ rate: share }) => share.denominator, null),
      count('answers', 'answerCount', { dropOrder: 2 }),
      text('largest_in', ({ examples }) => examples[0]?.utteranceId),
    ],
  })
}

const examplesShown = 10

export function exampleDetails(evaluation: Evaluation): Details | null {
  const rows = byContender(evaluation, ({ pathologies }) =>
    pathologies.flatMap(({ kind, examples }) => examples.map((example) => ({ ...example, kind }))),
  )
  return detailsOfRows({
    title: 'Where',
    rows,
    shown: rows.slice(0, examplesShown),
    columns: ({ count, longText, text }) => [
      contenderColumn(evaluation),
      kindColumn(),
      text('utterance', 'utteranceId'),
      count('round', 'round', null),
      count('request', 'requestIndex', null),
      count('answers', 'answerCount', { dropOrder: 2 }),
      count('size', 'size', 'words'),
      longText('detail', 'detail', { header: 'text', dropOrder: 1 }),
    ],
  })
}

export function repeatDetails(evaluation: Evaluation): Details | null {
  return detailsOfRows({
    title: 'The same recording, sent again',
    rows: byContender(evaluation, ({ flakiness }) => (flakiness === null ? [] : [flakiness])),
    columns: ({ count, rate, rateInterval, text }) => [
      contenderColumn(evaluation, true),
      count('unstable_utterances', ({ rate: share }) => share.numerator, 'other text'),
      count('repeated_utterances', ({ rate: share }) => share.denominator, 'of'),
      rate('unstable_rate', ({ rate: share }) => share.rate, 'share'),
      ...rateInterval('unstable', ({ rate: share }) => share.interval),
      rate('between_repeats_rate', 'betweenRepeatsRate', 'WER between repeats'),
      text('utterances', ({ unstableIds }) => unstableIds[0], { header: 'first', dropOrder: 1 }),
    ],
  })
}

export function silenceDetails(evaluation: Evaluation): Details | null {
  const analyses = evaluation.errorAnalyses.flatMap(({ contenderId, silence }) =>
    silence === null ? [] : [{ contenderId, ...silence }],
  )
  if (analyses.length === 0) return null
  return detailsOf({
    title: 'Where nothing is said',
    notes: analyses.map(
      ({ contenderId, answeredWithWords, insertedWords, insertedWordsPerMinute, audioSeconds }) =>
        `${contenderId}: words in ${ratePhrase(answeredWithWords)} answers; ${formatCount(insertedWords)} words in ` +
        `${formatSeconds(audioSeconds)}${insertedWordsPerMinute === null ? '' : `, ${insertedWordsPerMinute.toFixed(1)} a minute`}`,
    ),
    rows: byContender(evaluation, ({ silence }) => silence?.examples ?? []),
    columns: ({ count, longText, text }) => [
      contenderColumn(evaluation),
      text('utterance', 'utteranceId'),
      count('audio_seconds', 'audioSeconds', { header: 'seconds', dropOrder: 2 }),
      count('answers', 'answerCount', null),
      count('answers_with_words', 'answeredWithWordsCount', 'times'),
      count('inserted_words', 'insertedWords', 'words'),
      longText('hypothesis', 'hypothesis', { header: 'text', dropOrder: 1 }),
    ],
  })
}

export function referenceDetails({ audit: { suspects } }: Evaluation): Details | null {
  return detailsOfRows({
    title: 'References that may be wrong',
    notes: ['all contenders say the same, and the reference says otherwise'],
    rows: suspects,
    shown: suspects.slice(0, examplesShown),
    columns: ({ count, longText, text }) => [
      text('utterance', 'id'),
      count('errors', 'errors'),
      count('contenders', 'contenderCount', { dropOrder: 2 }),
      longText('reference', 'reference', { dropOrder: 1, isLong: true }),
      longText('agreed', 'agreedText', { header: 'all say', dropOrder: 1, isLong: true }),
    ],
  })
}

export function ladderDetails(evaluation: Evaluation): Details | null {
  return detailsOfRows({
    title: 'How much is a matter of writing',
    notes: ['the word error rate as written, and then when more and more of the writing does not count'],
    rows: byContender(evaluation, ({ ladder }) => ladder),
    columns: ({ count, rate, text }) => [
      contenderColumn(evaluation),
      text('rung', ({ rung }) => (rung === 'as written' ? 'nothing' : rung), 'does not count'),
      rate('wer_rate', 'rate', 'WER'),
      count('word_errors', ({ counts }) => errorCount(counts), 'errors'),
      count('reference_words', ({ counts }) => referenceLength(counts), 'words'),
    ],
  })
}

export function numberDetails(evaluation: Evaluation): Details | null {
  return detailsOfRows({
    title: 'Numbers, money, dates',
    notes: evaluation.errorAnalyses.flatMap(numberNote),
    rows: byContender(evaluation, ({ numbers }) =>
      Object.entries(numbers.reason === null ? numbers.classes : {})
        .filter(([, { counts }]) => referenceLength(counts) + counts.insertions > 0)
        .map(([name, analysis]) => ({ name, ...analysis })),
    ),
    columns: ({ rate, text }) => [
      contenderColumn(evaluation),
      text('class', 'name', 'class'),
      rate('error_rate', 'rate', 'wrong'),
      ...countColumns(),
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

const namesShown = 20

export function nameDetails(evaluation: Evaluation): Details | null {
  const rows = byContender(evaluation, ({ names }) => (names.reason === null ? names.names : []))
  const wrong = rows.filter((row) => row.wrong > 0)
  return detailsOfRows({
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
    shown: (wrong.length > 0 ? wrong : rows).slice(0, namesShown),
    columns: ({ count, text }) => [
      contenderColumn(evaluation),
      text('name', 'name'),
      count('said', 'said'),
      count('wrong', 'wrong'),
    ],
  })
}

export function markDetails(evaluation: Evaluation): Details | null {
  const rows = byContender(evaluation, ({ punctuation }) =>
    punctuation.reason === null ? punctuation.marks : [],
  )
  const notes = evaluation.errorAnalyses.flatMap(formattingNotes)
  if (rows.length === 0 && notes.length === 0) return null
  return detailsOf({
    title: 'Punctuation and capitals, where the words are right',
    notes,
    rows,
    columns: ({ rate, text }) => [
      contenderColumn(evaluation),
      text('mark', 'mark'),
      rate('recall_rate', 'recall'),
      rate('precision_rate', 'precision'),
      ...countColumns(),
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

function countColumns<Row extends { readonly counts: ErrorCounts }>(): readonly Column<Row>[] {
  const { count } = columnsOf<Row>()
  return [
    count('hits', ({ counts }) => counts.hits, 'right'),
    count('substitutions', ({ counts }) => counts.substitutions, 'sub'),
    count('deletions', ({ counts }) => counts.deletions, 'del'),
    count('insertions', ({ counts }) => counts.insertions, 'ins'),
  ]
}
