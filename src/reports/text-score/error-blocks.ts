import type { ScoredText, TextScore } from '#rates'
import { type Confusion, errorCount, referenceLength } from '#scoring/counting'
import type { ShownColumn } from '../layout/column.ts'
import { layTable } from '../layout/table.ts'
import { foreign, inSigns, paint, paragraph, type Terminal } from '../layout/terminal.ts'
import { counted, formatCount, formatPercent } from '../layout/units.ts'
import { drawAlignedWords } from '../run/words/aligned-words.ts'

const confusionColumns: readonly ShownColumn<Confusion>[] = [
  { header: 'count', align: 'right', dropOrder: 0, cell: (confusion) => formatCount(confusion.count) },
  { header: 'reference', align: 'left', dropOrder: 0, cell: ({ reference }) => reference ?? '·' },
  { header: 'hypothesis', align: 'left', dropOrder: 0, cell: ({ hypothesis }) => hypothesis ?? '·' },
  {
    header: 'first in',
    align: 'left',
    dropOrder: 1,
    cell: ({ utteranceIds }) => utteranceIds.slice(0, 3).join(', '),
  },
]

/** The most frequent errors by kind, where they were asked for. */
export function confusionBlocks(
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
            ...layTable(confusionColumns, confusions[kind], '  ', terminal).lines,
          ],
        ],
  )
}

/** The utterances with the most errors, word under word, where they were asked for. */
export function worstBlocks(
  { worst }: Pick<TextScore, 'worst'>,
  terminal: Terminal,
): readonly (readonly string[])[] {
  if (worst === null || worst.length === 0) return []
  const drawn = worst.map((row) => [titleOf(row, terminal), ...words(row, terminal)])
  const [first = [], ...others] = drawn
  return [[heading('the most errors', terminal), ...first], ...others]
}

function heading(text: string, terminal: Terminal): string {
  return paint(inSigns(`  ${text}`, terminal), 'strong', terminal)
}

function titleOf({ id, words, wordErrorRate }: ScoredText, terminal: Terminal): string {
  const errors =
    words === null
      ? ''
      : `: ${counted(errorCount(words), 'error')} of ${counted(referenceLength(words), 'word')}`
  const rate = wordErrorRate === null ? '' : ` (${formatPercent(wordErrorRate, 2)})`
  return paragraph(`${foreign(id)}${errors}${rate}`, '  ', terminal)
}

function words({ steps }: ScoredText, terminal: Terminal): readonly string[] {
  return steps === null ? [] : drawAlignedWords({ baseWords: null, runWords: steps }, '    ', terminal)
}
