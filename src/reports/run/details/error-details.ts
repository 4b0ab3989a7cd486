import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { ContenderAnalysis } from '#analysis/documents/error-analysis'
import type { Breakdown, BreakdownGroup } from '#analysis/documents/error-rates'
import type { Evaluation } from '#analysis/documents/evaluation'
import { leadingFirst, rateOfAll, referenceLength } from '#scoring/counts'
import { keywordPrecision, keywordRecall } from '#scoring/error-analysis/keywords'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Confusion, ErrorCounts, KeywordCounts } from '#scoring/shapes'
import {
  type Column,
  countColumn,
  intervalColumns,
  longTextColumn,
  rateColumn,
  textColumn,
} from '../../layout/table.ts'
import { absent, formatCount, formatPercent, rateWords } from '../../layout/units.ts'
import {
  byContender,
  type Contended,
  contenderColumn,
  type DetailTable,
  detailTable,
  ratePhrase,
} from './detail-table.ts'

/** Rates next to the two of the summary. */
export function rateDetails(evaluation: Evaluation): DetailTable {
  const { contenders, errorAnalyses } = evaluation
  const rows = contenders.map((contender) => ({
    contender: contender.contender.id,
    evaluation: contender,
    rates: errorAnalyses.find(({ contenderId }) => contenderId === contender.contender.id)?.rates ?? null,
  }))
  type Row = Contended & {
    readonly evaluation: ContenderEvaluation
    readonly rates: ContenderAnalysis['rates'] | null
  }
  return detailTable<Row>({
    title: 'Rates',
    rows,
    columns: [
      contenderColumn(evaluation, true),
      ...(evaluation.profile.leads === 'characters'
        ? [
            rateColumn<Row>(
              'cer_all_rate',
              'CER of all',
              (row) => rateOfAll(row.evaluation, 'characters').rate,
            ),
          ]
        : []),
      rateColumn('mer_rate', 'MER', ({ rates }) => rates?.matchErrorRate.rate ?? null),
      rateColumn('wil_rate', 'WIL', ({ rates }) => rates?.wordInformationLost ?? null),
      rateColumn('wip_rate', 'WIP', ({ rates }) => rates?.wordInformationPreserved ?? null),
      rateColumn('ser_rate', 'SER', ({ rates }) => rates?.sentenceErrorRate.rate ?? null),
      ...intervalColumns<Row>('ser', ({ rates }) => rates?.sentenceErrorRate.interval ?? null),
      rateColumn(
        'wer_mean_rate',
        { header: 'mean WER', dropOrder: 2 },
        (row) => row.evaluation.meanUtteranceWordErrorRate,
      ),
      rateColumn(
        'wer_all_rate',
        { header: 'WER of all', dropOrder: 2 },
        (row) => row.evaluation.wordsWithFailuresAsEmpty.rate,
      ),
      rateColumn('coverage_rate', 'coverage', (row) => row.evaluation.coverage),
    ],
  })
}

type ConfusionRow = Contended & Confusion & { readonly unit: 'word' | 'phrase' }

const confusionsShown = 10

/** What was mistaken for what: by phrase on a screen, by word too in a file. */
export function confusionDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ confusions }) =>
    (['phrase', 'word'] as const).flatMap((unit) => {
      const { substitutions, deletions, insertions } = confusions[unit === 'word' ? 'words' : 'phrases']
      return [...substitutions, ...deletions, ...insertions]
        .toSorted((a, b) => b.count - a.count)
        .map((confusion) => ({ ...confusion, unit }))
    }),
  )
  if (rows.length === 0) return null
  const ofScreen = [...Map.groupBy(rows, ({ contender }) => contender).values()].flatMap((own) =>
    own.filter(({ unit }) => unit === 'phrase').slice(0, confusionsShown),
  )
  return detailTable<ConfusionRow>({
    title: 'Most often wrong',
    rows,
    shown: { rows: ofScreen, name: 'confusions', run: evaluation.run.id },
    columns: [
      contenderColumn(evaluation),
      textColumn('unit', null, ({ unit }) => unit),
      countColumn('count', 'times', ({ count }) => count),
      longTextColumn('reference', 'said', ({ reference }) => reference, phraseShown),
      longTextColumn('hypothesis', 'recognised', ({ hypothesis }) => hypothesis, phraseShown),
      textColumn('utterances', { header: 'first in', dropOrder: 1 }, ({ utteranceIds }) =>
        utteranceIds.slice(0, 3).join(', '),
      ),
    ],
  })
}

/** Two of them have room on a line next to the contender; files hold all of a phrase. */
const phraseShown = 24

type GroupRow = Contended & BreakdownGroup & { readonly by: Breakdown['by'] }

/** One error rate of a group. On a screen the counts of the leading one have room. */
const groupRates: Readonly<
  Record<ErrorLevel, (isLeading: boolean, leadDiffers: boolean) => readonly Column<GroupRow>[]>
> = {
  words: (isLeading, leadDiffers) => [
    rateColumn(
      'wer_rate',
      { header: 'WER', dropOrder: isLeading || leadDiffers ? 0 : 2 },
      ({ words }) => words.rate,
    ),
    ...intervalColumns<GroupRow>('wer', ({ words }) => words.interval),
    ...groupCounts('words', isLeading, ({ words }) => words.counts),
  ],
  characters: (isLeading, leadDiffers) => [
    rateColumn(
      'cer_rate',
      { header: 'CER', dropOrder: isLeading || leadDiffers ? 0 : 2 },
      ({ characterErrorRate }) => characterErrorRate,
    ),
    ...(isLeading ? groupCounts('characters', true, ({ characters }) => characters) : []),
  ],
}

function groupCounts(
  level: ErrorLevel,
  isLeading: boolean,
  counts: (row: GroupRow) => ErrorCounts,
): readonly Column<GroupRow>[] {
  const { unit } = rateWords[level]
  const shown = (header: string, dropOrder = 3): { header: string; dropOrder: number } | null =>
    isLeading ? { header, dropOrder } : null
  return [
    countColumn(`reference_${level}`, shown(level, 0), (row) => referenceLength(counts(row))),
    countColumn(`${unit}_substitutions`, shown('sub'), (row) => counts(row).substitutions),
    countColumn(`${unit}_deletions`, shown('del'), (row) => counts(row).deletions),
    countColumn(`${unit}_insertions`, shown('ins'), (row) => counts(row).insertions),
  ]
}

/** A corpus of several languages, by language; null where there is one, or one profile for all. */
export function languageDetails(evaluation: Evaluation): DetailTable | null {
  const hasProfiles = evaluation.errorAnalyses.some(({ breakdowns }) =>
    breakdowns.some(({ groups }) => groups.some(({ profile }) => profile !== undefined)),
  )
  return hasProfiles ? groupTable(evaluation, 'By language', (by) => by === 'language') : null
}

export function groupDetails(evaluation: Evaluation): DetailTable | null {
  return groupTable(evaluation, 'By group', () => true)
}

function groupTable(
  evaluation: Evaluation,
  title: string,
  isShown: (by: Breakdown['by']) => boolean,
): DetailTable | null {
  const rows = byContender(evaluation, ({ breakdowns }) =>
    breakdowns
      // One group alone says what the rates say.
      .filter(({ by, groups }) => isShown(by) && groups.length > 1)
      .flatMap(({ by, groups }) => groups.map((group) => ({ ...group, by }))),
  )
  if (rows.length === 0) return null
  const cut = evaluation.errorAnalyses
    .flatMap(({ breakdowns }) => breakdowns)
    .find(({ groups, groupCount }) => groups.length < groupCount)
  const leading = new Set(rows.flatMap(({ profile }) => (profile === undefined ? [] : [profile.leads])))
  const leadDiffers = leading.size > 1
  return detailTable<GroupRow>({
    title,
    notes: [
      ...(rows.some(({ isSmall }) => isSmall) ? ['~ fewer than 20 utterances: such a rate says little'] : []),
      ...(cut === undefined
        ? []
        : [`the largest ${cut.groups.length} of ${formatCount(cut.groupCount)} by ${cut.by}`]),
    ],
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('by', 'by', ({ by }) => by),
      longTextColumn('group', 'group', ({ name }) => name),
      ...(rows.some(({ profile }) => profile !== undefined)
        ? [textColumn<GroupRow>('profile', 'profile', ({ profile }) => profile?.id ?? null)]
        : []),
      ...(leadDiffers
        ? [
            textColumn<GroupRow>('leads', 'leads', ({ profile }) =>
              profile === undefined ? null : rateWords[profile.leads].short,
            ),
          ]
        : []),
      ...leadingFirst(evaluation.profile.leads).flatMap((level, index) =>
        groupRates[level](index === 0, leadDiffers),
      ),
      rateColumn('ser_rate', null, ({ sentenceErrorRate }) => sentenceErrorRate),
      countColumn(
        'utterances',
        {
          header: 'utterances',
          cell: ({ isSmall, utteranceCount }) => `${isSmall ? '~ ' : ''}${formatCount(utteranceCount)}`,
        },
        ({ utteranceCount }) => utteranceCount,
      ),
      countColumn('speakers', null, ({ speakerCount }) => speakerCount),
      countColumn('asked', null, ({ askedCount }) => askedCount),
      countColumn('scored', null, ({ scoredCount }) => scoredCount),
    ],
  })
}

/** Recall and precision of the keywords that were looked for, by contender. */
export function keywordSentences({ errorAnalyses }: Evaluation): readonly string[] {
  return errorAnalyses.flatMap(({ contenderId, keywords }) =>
    keywords === null
      ? []
      : [
          `${contenderId}: found ${ratePhrase(keywords.recall)} of those said; right in ${ratePhrase(keywords.precision)} of those recognised; ` +
            `F1 ${keywords.f1 === null ? absent : formatPercent(keywords.f1)}`,
        ],
  )
}

type KeywordRow = Contended & KeywordCounts

export function keywordDetails(evaluation: Evaluation): DetailTable | null {
  if (evaluation.errorAnalyses.every(({ keywords }) => keywords === null)) return null
  const rows = byContender(evaluation, ({ keywords }) => keywords?.keywords ?? [])
  return detailTable<KeywordRow>({
    title: 'Keywords',
    notes: keywordSentences(evaluation),
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('keyword', 'keyword', ({ keyword }) => keyword),
      countColumn('found', 'found', ({ found }) => found),
      countColumn('missed', 'missed', ({ missed }) => missed),
      countColumn('invented', 'invented', ({ invented }) => invented),
      rateColumn('recall_rate', 'recall', keywordRecall),
      rateColumn('precision_rate', 'precision', keywordPrecision),
    ],
  })
}

type EntityRow = Contended & Evaluation['errorAnalyses'][number]['entities'][number]

/** Entities of the manifest by type; null where it has none. */
export function entityDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ entities }) => entities)
  if (rows.length === 0) return null
  return detailTable<EntityRow>({
    title: 'Entities',
    notes: ['An entity is found if every word of it is right.'],
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('type', 'type', ({ type }) => type),
      countColumn('said', 'said', ({ recall }) => recall.denominator),
      countColumn('found', 'found', ({ recall }) => recall.numerator),
      countColumn('missed', { header: 'missed', dropOrder: 2 }, ({ missedRate }) => missedRate.numerator),
      countColumn('invented', 'invented', ({ invented }) => invented),
      rateColumn('recall_rate', 'recall', ({ recall }) => recall.rate),
      ...intervalColumns<EntityRow>('recall', ({ recall }) => recall.interval),
      rateColumn('missed_rate', 'missed rate', ({ missedRate }) => missedRate.rate),
      rateColumn('precision_rate', 'precision', ({ precision }) => precision.rate),
      longTextColumn(
        'most_missed',
        { header: 'most missed', dropOrder: 1, isNeeded: ({ missed }) => missed.length > 0 },
        ({ missed }) =>
          missed
            .slice(0, 3)
            .map(({ text }) => text)
            .join(', '),
      ),
    ],
  })
}
