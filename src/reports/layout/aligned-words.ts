import type { AlignmentStep } from '#scoring/shapes'
import { alignColumns } from './aligned-columns.ts'
import { foreign, inSigns, measureWidth, pad, paint, type Terminal } from './terminal.ts'
import { counted, shortened } from './units.ts'

type Step = AlignmentStep

/** One alignment of a reference, or two to compare. */
interface DrawnWords {
  /** Null if only one alignment is drawn. */
  readonly baseWords: readonly Step[] | null
  readonly runWords: readonly Step[]
}

interface DrawnColumn {
  readonly reference: string
  readonly base: string
  readonly run: string
  /** S, D or I if the run is wrong; blank if it is right. */
  readonly mark: string
  readonly isRight: boolean
}

const nothing = '·'
const wordsAround = 3
const longestWord = 40
/** Maximum number of drawing rows of one utterance on a screen. */
const maxRows = 6

/**
 * Draws an utterance: reference, base if there is one, and run above each other, word under word, so that an error is in
 * one column. Stretches that both sides got right are shortened, and lines are cut to the width of the terminal.
 *
 *   reference  we moved the staging  ·  cluster
 *   base       we moved the staging  ·  cluster
 *   run        we moved the stage    in cluster
 *                           S        I
 */
export function drawAlignedWords(
  { baseWords, runWords }: DrawnWords,
  indent: string,
  terminal: Terminal,
): readonly string[] {
  const columns = shorten(drawnColumns(baseWords ?? runWords, runWords)).map((column) => ({
    ...column,
    reference: inSigns(column.reference, terminal),
    base: inSigns(column.base, terminal),
    run: inSigns(column.run, terminal),
  }))
  const runLabel = baseWords === null ? 'hypothesis' : 'run'
  const labelWidth = Math.max('reference'.length, runLabel.length) + 2
  const widths = columns.map(({ reference, base, run }) =>
    Math.max(...[reference, base, run].map(measureWidth)),
  )
  const parts = chunks(widths, terminal.width - indent.length - labelWidth)
  const rest = parts.slice(maxRows).reduce((sum, { start, end }) => sum + end - start, 0)
  const lines = parts.slice(0, maxRows).flatMap(({ start, end }, index) => {
    const part = columns.slice(start, end)
    const row = (label: string, cell: (column: DrawnColumn) => string): string =>
      (
        indent +
        pad(label, labelWidth) +
        part
          .map((column, at) => drawCell(column, cell(column), widths[start + at] ?? 0, label, terminal))
          .join(' ')
      ).trimEnd()
    const rows = [
      row('reference', (column) => column.reference),
      ...(baseWords === null ? [] : [row('base', (column) => column.base)]),
      row(runLabel, (column) => column.run),
      row('', (column) => column.mark),
    ]
    const drawn = rows.filter((line) => line !== '')
    return index === 0 ? drawn : ['', ...drawn]
  })
  return rest === 0
    ? lines
    : [
        ...lines,
        '',
        inSigns(`${indent}… ${counted(rest, 'more word')}; a page shows all (-o name.html)`, terminal),
      ]
}

function drawCell(
  column: DrawnColumn,
  text: string,
  width: number,
  label: string,
  terminal: Terminal,
): string {
  const padded = pad(text, width)
  return (label === 'run' || label === 'hypothesis') && !column.isRight
    ? paint(padded, 'bad', terminal)
    : padded
}

function drawnColumns(base: readonly Step[], run: readonly Step[]): readonly DrawnColumn[] {
  const words = run.flatMap((step) => step.reference ?? [])
  const marks = { hit: '', substitution: 'S', deletion: 'D', insertion: 'I' } as const
  return alignColumns(words, [base, run]).map(({ reference, steps: [ours = null, theirs = null] }) => ({
    reference: shortWord(reference),
    base: shortWord(ours?.hypothesis),
    run: shortWord(theirs?.hypothesis),
    mark: theirs === null ? '' : marks[theirs.kind],
    isRight: isRight(reference, ours) && isRight(reference, theirs),
  }))
}

function shortWord(word: string | null | undefined): string {
  return shortened(foreign(word ?? nothing), longestWord)
}

function isRight(reference: string | null, step: Step | null): boolean {
  return reference === null ? step === null : step?.kind === 'hit'
}

/** Omits words that are more than a few positions away from any error. */
function shorten(columns: readonly DrawnColumn[]): readonly DrawnColumn[] {
  const isNear = columns.map((_, index) =>
    columns.slice(Math.max(0, index - wordsAround), index + wordsAround + 1).some((near) => !near.isRight),
  )
  const ellipsis: DrawnColumn = { reference: '…', base: '…', run: '…', mark: '', isRight: true }
  return columns.flatMap((column, index) => {
    if (isNear[index] === true) return [column]
    return index === 0 || isNear[index - 1] === true ? [ellipsis] : []
  })
}

/** Cuts a row of columns into parts that fit a width, with at least one column each. */
function chunks(
  widths: readonly number[],
  available: number,
): readonly { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = []
  let start = 0
  let used = 0
  for (const [index, width] of widths.entries()) {
    if (index > start && used + width > available) {
      parts.push({ start, end: index })
      start = index
      used = 0
    }
    used += width + 1
  }
  if (start < widths.length) parts.push({ start, end: widths.length })
  return parts
}
