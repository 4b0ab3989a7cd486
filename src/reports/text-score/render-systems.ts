import type { SystemComparison, SystemsScore, TextScore } from '#rates'
import { layTable, type TableColumn } from '../layout/table.ts'
import { foreign, paragraph, type Terminal } from '../layout/terminal.ts'
import {
  absent,
  counted,
  formatCount,
  formatPercent,
  formatPoints,
  formatProbability,
  signed,
} from '../layout/units.ts'
import { choiceLines, ruleLine } from './render-text-score.ts'

type SystemRow = SystemsScore['systems'][number]

const systemColumns: readonly TableColumn<SystemRow>[] = [
  { header: 'system', align: 'left', dropOrder: 0, cell: ({ name }) => foreign(name) },
  // What the tests compare: what a system leaves unanswered is no advantage.
  {
    header: 'WER',
    align: 'right',
    dropOrder: 0,
    cell: ({ score }) => formatPercent(score.wordsFailedAsEmpty.rate, 2),
  },
  {
    header: '95% interval',
    align: 'left',
    dropOrder: 1,
    cell: ({
      score: {
        wordsFailedAsEmpty: { interval },
      },
    }) =>
      interval === null ? absent : `${formatPercent(interval.low, 2)} – ${formatPercent(interval.high, 2)}`,
  },
  ...(['hits', 'substitutions', 'deletions', 'insertions'] as const).map(
    (kind): TableColumn<SystemRow> => ({
      header: kind === 'hits' ? kind : kind.slice(0, 3),
      align: 'right',
      dropOrder: 0,
      cell: ({ score }) => formatCount(score.wordsFailedAsEmpty.counts[kind]),
    }),
  ),
  {
    header: 'of',
    align: 'right',
    dropOrder: 0,
    cell: ({ score }) => formatCount(score.wordsFailedAsEmpty.referenceLength),
  },
]

const characterColumn: TableColumn<SystemRow> = {
  header: 'CER',
  align: 'right',
  dropOrder: 2,
  cell: ({ score }) => formatPercent(score.characters?.rate ?? null, 2),
}

const answeredColumn: TableColumn<SystemRow> = {
  header: 'answered',
  align: 'right',
  dropOrder: 3,
  cell: ({ score }) => (score.coverage === null ? absent : formatPercent(score.coverage)),
}

const comparisonColumns: readonly TableColumn<SystemComparison>[] = [
  {
    header: 'difference of WER',
    align: 'left',
    dropOrder: 0,
    cell: ({ base, run }) => `${foreign(run)} − ${foreign(base)}`,
  },
  {
    header: '',
    align: 'right',
    dropOrder: 0,
    cell: ({ difference }) => (difference === null ? absent : formatPoints(difference)),
  },
  {
    header: '95% interval',
    align: 'left',
    dropOrder: 1,
    cell: ({ interval }) =>
      interval === null ? absent : `${signed(100 * interval.low, 2)} – ${signed(100 * interval.high, 2)}`,
  },
  {
    header: 'MAPSSWE',
    align: 'right',
    dropOrder: 0,
    cell: ({ tests: { matchedPairs } }) => probability(matchedPairs?.pValue),
  },
  {
    header: 'adjusted',
    align: 'right',
    dropOrder: 0,
    cell: ({ tests: { matchedPairs } }) => probability(matchedPairs?.adjustedPValue),
  },
  {
    header: 'Wilcoxon',
    align: 'right',
    dropOrder: 0,
    cell: ({ tests: { wilcoxon } }) => probability(wilcoxon?.pValue),
  },
  { header: 'sign', align: 'right', dropOrder: 0, cell: ({ tests: { sign } }) => probability(sign.pValue) },
  {
    header: 'McNemar',
    align: 'right',
    dropOrder: 0,
    cell: ({ tests: { mcnemar } }) => probability(mcnemar.pValue),
  },
]

/** As sc_stats prints them: three decimals. */
const scStatsColumns: readonly TableColumn<SystemComparison>[] = [
  {
    header: 'as NIST’s sc_stats',
    align: 'left',
    dropOrder: 0,
    cell: ({ base, run }) => `${foreign(run)} and ${foreign(base)}`,
  },
  ...(['matchedPairs', 'sign', 'wilcoxon', 'mcnemar'] as const).map(
    (test): TableColumn<SystemComparison> => ({
      header: { matchedPairs: 'MP', sign: 'SI', wilcoxon: 'WI', mcnemar: 'MN' }[test],
      align: 'right',
      dropOrder: 0,
      cell: ({ tests: { scStats } }) => {
        const p = scStats?.[test] ?? null
        return p === null ? absent : asPrinted(p)
      },
    }),
  ),
]

/** Several systems over the same utterances, with the tests of whether they differ. */
export function renderSystems({ systems, comparisons }: SystemsScore, terminal: Terminal): string {
  const [first] = systems
  if (first === undefined) return ''
  const isLikeScStats = comparisons.some(({ tests }) => tests.scStats !== null)
  const rates = first.score.characters === null ? [] : [characterColumn]
  const [nameColumn, ...wordColumns] = systemColumns
  const columns = [
    ...(nameColumn === undefined ? [] : [nameColumn]),
    ...(first.score.profile.leads === 'words' ? [...wordColumns, ...rates] : [...rates, ...wordColumns]),
    ...(systems.every(({ score }) => score.coverage === 1) ? [] : [answeredColumn]),
  ]
  const blocks = [
    layTable(columns, systems, '  ', terminal).lines,
    [
      ...layTable(comparisonColumns, comparisons, '  ', terminal).lines,
      '',
      ...factLines(first.score, comparisons).map((line) => paragraph(line, '  ', terminal)),
    ],
    ...(isLikeScStats ? [layTable(scStatsColumns, comparisons, '  ', terminal).lines] : []),
  ]
  return blocks.map((lines) => lines.join('\n')).join('\n\n')
}

function factLines(score: TextScore, comparisons: readonly SystemComparison[]): readonly string[] {
  const [first] = comparisons
  const unit = first?.tests.unit ?? 'utterances'
  const adjusted =
    comparisons.length < 2 ? '' : `; adjusted for ${formatCount(comparisons.length)} comparisons (Holm)`
  return [
    `${counted(score.utteranceCount, 'pair')}; what was not answered counts as empty`,
    'p of: both systems make as many word errors. MAPSSWE over segments between words that both have right' +
      `${adjusted}; Wilcoxon and sign over ${unit}; McNemar over utterances without an error`,
    ruleLine(score),
    ...choiceLines(score),
  ]
}

function probability(p: number | null | undefined): string {
  return p === null || p === undefined ? absent : formatProbability(p)
}

/** As C rounds to three decimals: what is exactly half goes to the even digit, so 0.0625 is 0.062. */
function asPrinted(p: number): string {
  const thousandths = p * 1000
  const below = Math.floor(thousandths)
  const isHalf = thousandths - below === 0.5
  const rounded = isHalf ? below + (below % 2) : Math.round(thousandths)
  return p < 0.001 ? '<0.001' : (rounded / 1000).toFixed(3)
}
