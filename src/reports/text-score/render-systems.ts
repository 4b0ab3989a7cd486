import type { SystemComparison, SystemsScore, TextScore } from '#rates/documents'
import { figure, layTable, type ShownColumn } from '../layout/table.ts'
import { joinBlocks, sentence, type Terminal } from '../layout/terminal.ts'
import {
  counted,
  formatCount,
  formatPercent,
  formatPoints,
  formatProbability,
  formatRange,
  orAbsent,
  signed,
} from '../layout/units.ts'
import { choiceLines, countColumns, intervalColumn, ruleLine } from './render-text-score.ts'

type SystemRow = SystemsScore['systems'][number]

const systemColumns: readonly ShownColumn<SystemRow>[] = [
  { header: 'system', cell: ({ name }) => name },
  // This is the rate that the tests compare: an unanswered utterance counts as empty, so it is no advantage.
  { header: 'WER', align: 'right', cell: ({ score }) => formatPercent(score.wordsFailedAsEmpty.rate, 2) },
  intervalColumn(({ score }) => score.wordsFailedAsEmpty),
  ...countColumns<SystemRow>(({ score }) => score.wordsFailedAsEmpty.counts),
]

const characterColumn: ShownColumn<SystemRow> = {
  header: 'CER',
  align: 'right',
  dropOrder: 2,
  cell: ({ score }) => formatPercent(score.characters?.rate ?? null, 2),
}

const answeredColumn: ShownColumn<SystemRow> = figure(
  'answered',
  ({ score }) => score.coverage,
  formatPercent,
  { dropOrder: 3 },
)

const comparisonColumns: readonly ShownColumn<SystemComparison>[] = [
  { header: 'difference of WER', cell: ({ base, run }) => `${run} − ${base}` },
  figure('', ({ difference }) => difference, formatPoints),
  {
    header: '95% interval',
    dropOrder: 1,
    cell: ({ interval }) =>
      orAbsent(interval, (bounds) => formatRange(bounds, (bound) => signed(100 * bound, 2))),
  },
  figure('MAPSSWE', ({ tests: { matchedPairs } }) => matchedPairs?.pValue, formatProbability),
  figure('adjusted', ({ tests: { matchedPairs } }) => matchedPairs?.adjustedPValue, formatProbability),
  figure('Wilcoxon', ({ tests: { wilcoxon } }) => wilcoxon?.pValue, formatProbability),
  figure('sign', ({ tests: { sign } }) => sign.pValue, formatProbability),
  figure('McNemar', ({ tests: { mcnemar } }) => mcnemar.pValue, formatProbability),
]

/** Results with three decimals, as sc_stats prints them. */
const scStatsColumns: readonly ShownColumn<SystemComparison>[] = [
  { header: 'as NIST’s sc_stats', cell: ({ base, run }) => `${run} and ${base}` },
  ...(['matchedPairs', 'sign', 'wilcoxon', 'mcnemar'] as const).map(
    (test): ShownColumn<SystemComparison> => ({
      header: { matchedPairs: 'MP', sign: 'SI', wilcoxon: 'WI', mcnemar: 'MN' }[test],
      align: 'right',
      cell: ({ tests: { scStats } }) => orAbsent(scStats?.[test], asPrinted),
    }),
  ),
]

export function renderSystems({ systems, comparisons }: SystemsScore, terminal: Terminal): string {
  const [first] = systems
  if (first === undefined) return ''
  const isLikeScStats = comparisons.some(({ tests }) => tests.scStats !== null)
  const rates = first.score.characters === null ? [] : [characterColumn]
  const [nameColumn, ...wordColumns] = systemColumns
  const columns = [
    ...(nameColumn === undefined ? [] : [nameColumn]),
    ...(first.score.profile.leads === 'words' ? [...wordColumns, ...rates] : [...rates, ...wordColumns]),
    ...(systems.every(isAnswered) ? [] : [answeredColumn]),
  ]
  const blocks = [
    layTable(columns, systems, terminal).lines,
    [
      ...layTable(comparisonColumns, comparisons, terminal).lines,
      '',
      ...factLines(first.score, systems.every(isAnswered), comparisons).map((line) =>
        sentence(line, terminal),
      ),
    ],
    ...(isLikeScStats ? [layTable(scStatsColumns, comparisons, terminal).lines] : []),
  ]
  return joinBlocks(blocks)
}

function isAnswered({ score }: SystemsScore['systems'][number]): boolean {
  return score.coverage === 1
}

function unansweredIn({ characters }: TextScore): string {
  return characters === null
    ? '; what was not answered counts as empty'
    : '; WER counts what was not answered as empty, CER leaves it out'
}

function factLines(
  score: TextScore,
  allAnswered: boolean,
  comparisons: readonly SystemComparison[],
): readonly string[] {
  const [first] = comparisons
  const unit = first?.tests.unit ?? 'utterances'
  const adjusted =
    comparisons.length < 2 ? '' : `; adjusted for ${formatCount(comparisons.length)} comparisons (Holm)`
  return [
    counted(score.utteranceCount, 'pair') + (allAnswered ? '' : unansweredIn(score)),
    'p of: both systems make as many word errors. MAPSSWE over segments between words that both have right' +
      `${adjusted}; Wilcoxon and sign over ${unit}; McNemar over utterances without an error`,
    ruleLine(score),
    ...choiceLines(score),
  ]
}

/** Rounds to three decimals as C does: an exact half is rounded to the even digit, so 0.0625 is 0.062. */
function asPrinted(p: number): string {
  const thousandths = p * 1000
  const below = Math.floor(thousandths)
  const isHalf = thousandths - below === 0.5
  const rounded = isHalf ? below + (below % 2) : Math.round(thousandths)
  return p < 0.001 ? '<0.001' : (rounded / 1000).toFixed(3)
}
