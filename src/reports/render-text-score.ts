import type { ErrorRate, TextScore } from '#analysis'
import { absent } from './contender-columns.ts'
import { layTable, type TableColumn } from './table.ts'
import { foreign, inSigns, paragraph, type Terminal } from './terminal.ts'
import { counted, formatCount, formatPercent } from './units.ts'

interface RateRow {
  readonly name: string
  readonly rate: ErrorRate
}

const columns: readonly TableColumn<RateRow>[] = [
  { header: '', align: 'left', dropOrder: 0, cell: ({ name }) => name },
  { header: 'rate', align: 'right', dropOrder: 0, cell: ({ rate }) => percent(rate.rate) },
  {
    header: '95% interval',
    align: 'left',
    dropOrder: 1,
    cell: ({ rate: { interval } }) =>
      interval === null ? absent : `${formatPercent(interval.low, 2)} – ${formatPercent(interval.high, 2)}`,
  },
  { header: 'hits', align: 'right', dropOrder: 0, cell: ({ rate }) => formatCount(rate.counts.hits) },
  { header: 'sub', align: 'right', dropOrder: 0, cell: ({ rate }) => formatCount(rate.counts.substitutions) },
  { header: 'del', align: 'right', dropOrder: 0, cell: ({ rate }) => formatCount(rate.counts.deletions) },
  { header: 'ins', align: 'right', dropOrder: 0, cell: ({ rate }) => formatCount(rate.counts.insertions) },
  { header: 'of', align: 'right', dropOrder: 0, cell: ({ rate }) => formatCount(rate.referenceLength) },
]

/** Two files of text, scored: what `asrbench wer` shows. */
export function renderTextScore(score: TextScore, terminal: Terminal): string {
  const { words, characters, sentenceErrorRate, profile, alignment, rows, emptiedReferences } = score
  const rates: readonly RateRow[] = [
    { name: 'WER', rate: words },
    { name: 'CER', rate: characters },
  ]
  const wrong =
    sentenceErrorRate === null ? '' : `, ${formatPercent(sentenceErrorRate)} of them with an error`
  const { lines } = layTable(columns, rates, '  ', terminal)
  const emptied =
    emptiedReferences.length === 0
      ? []
      : [
          paragraph(
            `~ ${profile.id} leaves nothing of ${counted(emptiedReferences.length, 'reference')}: ` +
              foreign(emptiedReferences.slice(0, 10).join(', ')),
            '  ',
            terminal,
          ),
        ]
  const facts = `  ${counted(rows.length, 'pair')}${wrong} · ${profile.id} · ${alignment} alignment`
  return [...lines, '', inSigns(facts, terminal), ...emptied].join('\n')
}

function percent(rate: number | null): string {
  return rate === null ? absent : formatPercent(rate, 2)
}
