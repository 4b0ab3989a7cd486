import type { BreakdownGroup } from '#analysis/documents/error-rates'
import type { Evaluation } from '#analysis/documents/evaluation'
import { leadingFirst, rateOfAll, referenceLength } from '#scoring/counts'
import { keywordPrecision, keywordRecall } from '#scoring/error-analysis/keywords'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Column, Columns } from '../../layout/table.ts'
import { absent, formatCount, formatPercent, rateWords, smallGroups } from '../../layout/units.ts'
import {
  byContender,
  contenderColumn,
  type Details,
  detailsOf,
  detailsOfRows,
  ratePhrase,
} from './detail-table.ts'

/** Error rates in addition to the two of the summary. */
export function rateDetails(evaluation: Evaluation): Details {
  const { contenders, errorAnalyses, profile } = evaluation
  const rows = contenders.map((figures) => ({
    contender: figures.contender.id,
    figures,
    rates: errorAnalyses.find(({ contenderId }) => contenderId === figures.contender.id)?.rates,
  }))
  return detailsOf({
    title: 'Rates',
    rows,
    columns: ({ rate, rateInterval }) => [
      contenderColumn(evaluation, true),
      ...(profile.leads === 'characters'
        ? [rate('cer_all_rate', ({ figures }) => rateOfAll(figures, 'characters').rate, 'CER of all')]
        : []),
      rate('mer_rate', ({ rates }) => rates?.matchErrorRate.rate, 'MER'),
      rate('wil_rate', ({ rates }) => rates?.wordInformationLost, 'WIL'),
      rate('wip_rate', ({ rates }) => rates?.wordInformationPreserved, 'WIP'),
      rate('ser_rate', ({ rates }) => rates?.sentenceErrorRate.rate, 'SER'),
      ...rateInterval('ser', ({ rates }) => rates?.sentenceErrorRate.interval),
      rate('wer_mean_rate', ({ figures }) => figures.meanUtteranceWordErrorRate, {
        header: 'mean WER',
        dropOrder: 2,
      }),
      rate('wer_all_rate', ({ figures }) => figures.wordsWithFailuresAsEmpty.rate, {
        header: 'WER of all',
        dropOrder: 2,
      }),
      rate('coverage_rate', ({ figures }) => figures.coverage),
    ],
  })
}

const confusionsShown = 10
/** Maximum length of a phrase: two fit on a line next to the contender. Files contain the whole phrase. */
const phraseShown = 24

/** Confusions: by phrase on a screen, in files by word too. */
export function confusionDetails(evaluation: Evaluation): Details | null {
  const rows = byContender(evaluation, ({ confusions }) =>
    (['phrase', 'word'] as const).flatMap((unit) => {
      const { substitutions, deletions, insertions } = confusions[unit === 'word' ? 'words' : 'phrases']
      return [...substitutions, ...deletions, ...insertions]
        .toSorted((a, b) => b.count - a.count)
        .map((confusion) => ({ ...confusion, unit }))
    }),
  )
  return detailsOfRows({
    title: 'Most often wrong',
    rows,
    shown: [...Map.groupBy(rows, ({ contender }) => contender).values()].flatMap((contenderRows) =>
      contenderRows.filter(({ unit }) => unit === 'phrase').slice(0, confusionsShown),
    ),
    columns: ({ text, count, longText }) => [
      contenderColumn(evaluation),
      text('unit', 'unit', null),
      count('count', 'count', 'times'),
      longText('reference', 'reference', 'said', phraseShown),
      longText('hypothesis', 'hypothesis', 'recognised', phraseShown),
      text('utterances', ({ utteranceIds }) => utteranceIds.slice(0, 3).join(', '), {
        header: 'first in',
        dropOrder: 1,
      }),
    ],
  })
}

/** One error rate of a group. On a screen only the leading one has counts. */
function groupRate<Row extends BreakdownGroup>(
  level: ErrorLevel,
  { rate, rateInterval, count }: Columns<Row>,
  { isLeading, leadDiffers }: { readonly isLeading: boolean; readonly leadDiffers: boolean },
): readonly Column<Row>[] {
  const { unit, short } = rateWords[level]
  const look = { header: short, dropOrder: isLeading || leadDiffers ? 0 : 2 }
  const countsOf = ({ words, characters }: Row) => (level === 'words' ? words.counts : characters)
  const shown = (header: string, dropOrder = 3) => (isLeading ? { header, dropOrder } : null)
  const counts = [
    count(`reference_${level}`, (row) => referenceLength(countsOf(row)), shown(level, 0)),
    count(`${unit}_substitutions`, (row) => countsOf(row).substitutions, shown('sub')),
    count(`${unit}_deletions`, (row) => countsOf(row).deletions, shown('del')),
    count(`${unit}_insertions`, (row) => countsOf(row).insertions, shown('ins')),
  ]
  return level === 'words'
    ? [
        rate('wer_rate', ({ words }) => words.rate, look),
        ...rateInterval('wer', ({ words }) => words.interval),
        ...counts,
      ]
    : [rate('cer_rate', ({ characterErrorRate }) => characterErrorRate, look), ...(isLeading ? counts : [])]
}

export function languageDetails(evaluation: Evaluation): Details | null {
  const hasProfiles = evaluation.errorAnalyses.some(({ breakdowns }) =>
    breakdowns.some(({ groups }) => groups.some(({ profile }) => profile !== undefined)),
  )
  return hasProfiles ? groupTable(evaluation, 'By language', 'language') : null
}

export function groupDetails(evaluation: Evaluation): Details | null {
  return groupTable(evaluation, 'By group', null)
}

/** @param only the one kind of groups to show; null for all */
function groupTable(evaluation: Evaluation, title: string, only: 'language' | null): Details | null {
  const rows = byContender(evaluation, ({ breakdowns }) =>
    breakdowns
      // A single group would repeat the rates.
      .filter(({ by, groups }) => (only === null || by === only) && groups.length > 1)
      .flatMap(({ by, groups }) => groups.map((group) => ({ ...group, by }))),
  )
  const cut = evaluation.errorAnalyses
    .flatMap(({ breakdowns }) => breakdowns)
    .find(({ groups, groupCount }) => groups.length < groupCount)
  const profiles = rows.flatMap(({ profile }) => profile ?? [])
  const leadDiffers = new Set(profiles.map(({ leads }) => leads)).size > 1
  return detailsOfRows({
    title,
    notes: [
      ...(rows.some(({ isSmall }) => isSmall) ? [smallGroups] : []),
      ...(cut === undefined
        ? []
        : [`the largest ${cut.groups.length} of ${formatCount(cut.groupCount)} by ${cut.by}`]),
    ],
    rows,
    columns: (make) => [
      contenderColumn(evaluation),
      make.text('by', 'by'),
      make.longText('group', 'name', 'group'),
      ...(profiles.length > 0 ? [make.text('profile', ({ profile }) => profile?.id)] : []),
      ...(leadDiffers
        ? [make.text('leads', ({ profile }) => profile && rateWords[profile.leads].short)]
        : []),
      ...leadingFirst(evaluation.profile.leads).flatMap((level, index) =>
        groupRate(level, make, { isLeading: index === 0, leadDiffers }),
      ),
      make.rate('ser_rate', 'sentenceErrorRate', null),
      make.count('utterances', 'utteranceCount', {
        cell: ({ isSmall, utteranceCount }) => `${isSmall ? '~ ' : ''}${formatCount(utteranceCount)}`,
      }),
      make.count('speakers', 'speakerCount', null),
      make.count('asked', 'askedCount', null),
      make.count('scored', 'scoredCount', null),
    ],
  })
}

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

export function keywordDetails(evaluation: Evaluation): Details | null {
  if (evaluation.errorAnalyses.every(({ keywords }) => keywords === null)) return null
  return detailsOf({
    title: 'Keywords',
    notes: keywordSentences(evaluation),
    rows: byContender(evaluation, ({ keywords }) => keywords?.keywords ?? []),
    columns: ({ text, count, rate }) => [
      contenderColumn(evaluation),
      text('keyword', 'keyword'),
      count('found', 'found'),
      count('missed', 'missed'),
      count('invented', 'invented'),
      rate('recall_rate', keywordRecall),
      rate('precision_rate', keywordPrecision),
    ],
  })
}

export function entityDetails(evaluation: Evaluation): Details | null {
  return detailsOfRows({
    title: 'Entities',
    notes: ['An entity is found if every word of it is right.'],
    rows: byContender(evaluation, ({ entities }) => entities),
    columns: ({ text, longText, count, rate, rateInterval }) => [
      contenderColumn(evaluation),
      text('type', 'type'),
      count('said', ({ recall }) => recall.denominator),
      count('found', ({ recall }) => recall.numerator),
      count('missed', ({ missedRate }) => missedRate.numerator, { dropOrder: 2 }),
      count('invented', 'invented'),
      rate('recall_rate', ({ recall }) => recall.rate),
      ...rateInterval('recall', ({ recall }) => recall.interval),
      rate('missed_rate', ({ missedRate }) => missedRate.rate, 'missed rate'),
      rate('precision_rate', ({ precision }) => precision.rate),
      longText(
        'most_missed',
        ({ missed }) =>
          missed
            .slice(0, 3)
            .map((each) => each.text)
            .join(', '),
        {
          dropOrder: 1,
          isNeeded: ({ missed }) => missed.length > 0,
        },
      ),
    ],
  })
}
