import type {
  ErrorRate,
  ProfileChoice,
  ScoredText,
  TextGroup,
  TextGrouping,
  TextScore,
} from '#rates/documents'
import { errorCount, leadingFirst, referenceLength } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Confusion, ErrorCounts } from '#scoring/shapes'
import { drawAlignedWords } from '../layout/aligned-words.ts'
import { figure, layTable, type ShownColumn } from '../layout/table.ts'
import { foreign, inSigns, joinBlocks, paint, sentence, type Terminal } from '../layout/terminal.ts'
import {
  absent,
  counted,
  formatCount,
  formatPercent,
  formatRange,
  orAbsent,
  rateWords,
  smallGroups,
} from '../layout/units.ts'

interface RateRow {
  readonly name: string
  readonly rate: ErrorRate
}

export function countColumns<Row>(counts: (row: Row) => ErrorCounts): readonly ShownColumn<Row>[] {
  const column = (header: string, count: (of: ErrorCounts) => number): ShownColumn<Row> => ({
    header,
    align: 'right',
    cell: (row) => formatCount(count(counts(row))),
  })
  return [
    column('hits', ({ hits }) => hits),
    column('sub', ({ substitutions }) => substitutions),
    column('del', ({ deletions }) => deletions),
    column('ins', ({ insertions }) => insertions),
    column('of', referenceLength),
  ]
}

export function intervalColumn<Row>(rate: (row: Row) => ErrorRate): ShownColumn<Row> {
  return {
    header: '95% interval',
    dropOrder: 1,
    cell: (row) =>
      orAbsent(rate(row).interval, (bounds) => formatRange(bounds, (bound) => formatPercent(bound, 2))),
  }
}

const rateColumns: readonly ShownColumn<RateRow>[] = [
  { header: '', cell: ({ name }) => name },
  { header: 'rate', align: 'right', cell: ({ rate }) => formatPercent(rate.rate, 2) },
  intervalColumn(({ rate }) => rate),
  ...countColumns<RateRow>(({ rate }) => rate.counts),
]

function groupRateColumns(
  levels: readonly ErrorLevel[],
  leadDiffers: boolean,
): readonly ShownColumn<TextGroup>[] {
  return levels.flatMap((level, index): readonly ShownColumn<TextGroup>[] => {
    const rateOf = (group: TextGroup): ErrorRate => group[level] ?? group.words
    const column: ShownColumn<TextGroup> = {
      header: rateWords[level].short,
      align: 'right',
      dropOrder: index === 0 || leadDiffers ? 0 : 2,
      cell: (group) => formatPercent(rateOf(group).rate, 2),
    }
    if (index > 0) return [column]
    return [column, intervalColumn(rateOf), ...countColumns<TextGroup>((group) => rateOf(group).counts)]
  })
}

function groupColumns(
  { by, groups }: TextGrouping,
  levels: readonly ErrorLevel[],
): readonly ShownColumn<TextGroup>[] {
  const leadDiffers = new Set(groups.flatMap(({ leads }) => leads ?? [])).size > 1
  return [
    { header: by, cell: ({ name }) => name ?? absent },
    {
      header: 'profile',
      dropOrder: 1,
      cell: ({ profile }) => profile ?? absent,
      isNeeded: ({ profile }) => profile !== null,
    },
    {
      header: 'leads',
      cell: ({ leads }) => orAbsent(leads, (level) => rateWords[level].short),
      isNeeded: () => leadDiffers,
    },
    ...groupRateColumns(levels, leadDiffers),
    {
      header: 'utterances',
      align: 'right',
      cell: ({ utteranceCount, isSmall }) => `${isSmall ? '~ ' : ''}${formatCount(utteranceCount)}`,
    },
    figure('speakers', ({ speakerCount }) => speakerCount, formatCount, { dropOrder: 3 }),
  ]
}

export function renderTextScore(score: TextScore, terminal: Terminal): string {
  const rates: readonly RateRow[] = [
    ...shownRates(score).map(({ level, rate }) => ({ name: rateWords[level].short, rate })),
    ...(score.coverage === 1 ? [] : [{ name: 'WER, unanswered as empty', rate: score.wordsFailedAsEmpty }]),
  ]
  const blocks = [
    [
      ...layTable(rateColumns, rates, terminal).lines,
      '',
      ...[...factLines(score), ...choiceLines(score)].map((line) => sentence(line, terminal)),
      ...noteLines(score).map((line) => sentence(`~ ${line}`, terminal)),
    ],
    ...score.groupings.map((grouping) => groupLines(grouping, shownRates(score), terminal)),
    ...confusionBlocks(score, terminal),
    ...worstBlocks(score, terminal),
  ]
  return joinBlocks(blocks)
}

function factLines(score: TextScore): readonly string[] {
  const { utteranceCount, speakerCount, sentenceErrorRate, wordRates, meanUtteranceRate } = score
  const wrong =
    sentenceErrorRate === null ? '' : `, ${formatPercent(sentenceErrorRate)} of them with an error`
  const speakers = speakerCount === null ? '' : ` by ${counted(speakerCount, 'speaker')}`
  const others = [
    ['MER', wordRates.matchErrorRate],
    ['WIL', wordRates.wordInformationLost],
    ['WIP', wordRates.wordInformationPreserved],
    ["mean of the utterances' own rates", meanUtteranceRate],
  ] as const
  return [
    `${counted(utteranceCount, 'pair')}${speakers}${wrong}`,
    others.map(([name, rate]) => `${name} ${formatPercent(rate, 2)}`).join(' · '),
    ruleLine(score),
  ]
}

export function ruleLine(score: TextScore): string {
  const { profile, alignment, characters, characterRule } = score
  const rules = {
    graphemes: 'graphemes',
    'no-spaces': 'graphemes without spaces',
    'code-points': 'code points',
  }
  return [
    `${profile.id} ${profile.fingerprint.slice(0, 12)}`,
    `${alignment} alignment${scliteOptions(score)}`,
    ...(characters === null ? [] : [`characters: ${rules[characterRule]}`]),
  ].join(' · ')
}

function scliteOptions({ sclite }: TextScore): string {
  if (sclite === null) return ''
  const set = [
    ...(sclite.optionalDeletions ? ['--optional-deletions'] : []),
    ...(sclite.fragments ? ['--fragments'] : []),
  ]
  return set.length === 0 ? '' : ` with ${set.join(' and ')}`
}

export function choiceLines({ profileBy, profile, alignment }: TextScore): readonly string[] {
  const reasons: Readonly<Record<ProfileChoice, string | null>> = {
    name: null,
    alignment: `${profile.id} because the counts are those of ${alignment}; other rules: --profile english`,
    language: `${profile.id} because of --language; other rules: --profile ${profile.id === 'basic' ? 'english' : 'basic'}`,
    languages: `${profile.id} because the texts name their languages; one profile for all: --profile basic`,
    script: `${profile.id} because the texts are in a script without spaces; other rules: --profile basic`,
    nothing: `${profile.id} because no language was named; for English texts: --language en`,
  }
  const reason = reasons[profileBy]
  return reason === null ? [] : [reason]
}

function noteLines({
  coverage,
  utteranceCount,
  silent,
  emptiedReferences,
  profile,
  words,
  vowelSignsLostCount,
  groupings,
}: TextScore): readonly string[] {
  const notes: string[] = [...languageNotes(groupings)]
  if (coverage !== null && coverage < 1) {
    const answered = Math.round(coverage * utteranceCount)
    notes.push(
      `${formatCount(answered)} of ${counted(utteranceCount, 'pair')} answered (${formatPercent(coverage)})`,
    )
  }
  if (silent.utteranceCount > 0) {
    notes.push(
      `${counted(silent.utteranceCount, 'reference')} without words: ${formatCount(silent.answeredWithWords)} answered ` +
        `with words, ${formatCount(silent.insertedWords)} inserted`,
    )
  }
  if (words.rate === null && errorCount(words.counts) > 0) {
    notes.push('no reference has words: there are errors, and nothing to divide them by')
  }
  if (vowelSignsLostCount > 0) {
    notes.push(
      `${profile.id} drops the vowel signs of ${counted(vowelSignsLostCount, 'reference')}: words that differ in them ` +
        'count as the same; use --profile basic',
    )
  }
  if (emptiedReferences.length > 0) {
    const shown = foreign(emptiedReferences.slice(0, 10).join(', '))
    const more = emptiedReferences.length > 10 ? ', …' : ''
    notes.push(
      `${profile.id} leaves nothing of ${counted(emptiedReferences.length, 'reference')}: ${shown}${more}`,
    )
  }
  return notes
}

function languageNotes(groupings: TextScore['groupings']): readonly string[] {
  const scored = groupings.find(({ groups }) => groups.some(({ profile }) => profile !== null))?.groups ?? []
  if (scored.length < 2) return []
  const byCharacters = scored.filter(({ leads }) => leads === 'characters')
  const leading =
    byCharacters.length === 0
      ? ''
      : `; CER leads in ${foreign(byCharacters.map(({ name }) => name ?? absent).join(', '))}`
  return [
    `these rates add up ${counted(scored.length, 'language')}: compare the rates by language below${leading}`,
  ]
}

function groupLines(
  grouping: TextGrouping,
  shown: ReturnType<typeof shownRates>,
  terminal: Terminal,
): readonly string[] {
  const levels = shown.map(({ level }) => level)
  const { lines } = layTable(groupColumns(grouping, levels), grouping.groups, terminal)
  const isSmall = grouping.groups.some((group) => group.isSmall)
  return isSmall ? [...lines, sentence(smallGroups, terminal)] : lines
}

/** The error rates that were counted, the leading one first. */
export function shownRates(
  score: Pick<TextScore, 'profile' | 'words' | 'characters'>,
): readonly { readonly level: ErrorLevel; readonly rate: ErrorRate }[] {
  return leadingFirst(score.profile.leads).flatMap((level) => {
    const rate = score[level]
    return rate === null ? [] : [{ level, rate }]
  })
}

const confusionColumns: readonly ShownColumn<Confusion>[] = [
  figure('count', (confusion) => confusion.count, formatCount),
  { header: 'reference', cell: ({ reference }) => reference ?? '·' },
  { header: 'hypothesis', cell: ({ hypothesis }) => hypothesis ?? '·' },
  { header: 'first in', dropOrder: 1, cell: ({ utteranceIds }) => utteranceIds.slice(0, 3).join(', ') },
]

function confusionBlocks(
  { confusions }: Pick<TextScore, 'confusions'>,
  terminal: Terminal,
): readonly (readonly string[])[] {
  if (confusions === null) return []
  const kinds = ['substitutions', 'deletions', 'insertions'] as const
  return kinds.flatMap((kind) =>
    confusions[kind].length === 0
      ? []
      : [
          [
            heading(`${kind}, the most frequent`, terminal),
            ...layTable(confusionColumns, confusions[kind], terminal).lines,
          ],
        ],
  )
}

function worstBlocks(
  { worst }: Pick<TextScore, 'worst'>,
  terminal: Terminal,
): readonly (readonly string[])[] {
  if (worst === null || worst.length === 0) return []
  const drawn = worst.map((row) => [titleText(row, terminal), ...words(row, terminal)])
  const [first = [], ...others] = drawn
  return [[heading('the most errors', terminal), ...first], ...others]
}

function heading(text: string, terminal: Terminal): string {
  return paint(inSigns(`  ${text}`, terminal), 'strong', terminal)
}

function titleText({ id, words, wordErrorRate }: ScoredText, terminal: Terminal): string {
  const errors =
    words === null
      ? ''
      : `: ${counted(errorCount(words), 'error')} of ${counted(referenceLength(words), 'word')}`
  const rate = wordErrorRate === null ? '' : ` (${formatPercent(wordErrorRate, 2)})`
  return sentence(`${foreign(id)}${errors}${rate}`, terminal)
}

function words({ steps }: ScoredText, terminal: Terminal): readonly string[] {
  return steps === null ? [] : drawAlignedWords({ baseWords: null, runWords: steps }, '    ', terminal)
}
