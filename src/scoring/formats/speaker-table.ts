import { addCounts, errorCount, noErrors, referenceLength } from '../counts.ts'
import type { ErrorCounts } from '../shapes.ts'

/** What one speaker said, counted. */
export interface SpeakerCounts {
  readonly speaker: string
  readonly utteranceCount: number
  /** Utterances with an error. */
  readonly wrongCount: number
  readonly words: ErrorCounts
}

/** Sums utterances up by speaker, in memory that grows with the speakers. */
export interface SpeakerTally {
  add(speaker: string, words: ErrorCounts): void
  /** In order of appearance. */
  result(): SpeakerCounts[]
}

/** Starts a sum by speaker. */
export function startSpeakers(): SpeakerTally {
  const speakers = new Map<string, SpeakerCounts>()
  return {
    add(speaker, words) {
      const before = speakers.get(speaker) ?? { speaker, utteranceCount: 0, wrongCount: 0, words: noErrors }
      speakers.set(speaker, {
        speaker,
        utteranceCount: before.utteranceCount + 1,
        wrongCount: before.wrongCount + (errorCount(words) > 0 ? 1 : 0),
        words: addCounts(before.words, words),
      })
    },
    result: () => [...speakers.values()],
  }
}

const unit = ['# Snt', '# Wrd', 'Corr', 'Sub', 'Del', 'Ins', 'Err', 'S.Err'] as const

/**
 * The table by speaker as sclite's `-o sum` (percentages) or `-o rsum` (counts) lays it out: sums, means,
 * standard deviations (n - 1) and medians over the speakers below.
 *
 * Speakers without words have no percentages; sclite shows 0.0 for them, this table shows a dash.
 */
export function writeSpeakerTable(
  speakers: readonly SpeakerCounts[],
  title: string,
  kind: 'percentages' | 'counts' = 'percentages',
): string {
  const total = sumSpeakers(speakers)
  const rows = speakers.map((speaker) => figuresOf(speaker, kind))
  const decimals = kind === 'percentages' ? 1 : 0
  const name = kind === 'percentages' ? 'Sum/Avg' : 'Sum'
  const lines = [
    { name: 'SPKR', cells: [...unit] },
    null,
    ...speakers.flatMap(({ speaker }, index) => [
      ...(index === 0 ? [] : [null]),
      { name: speaker, cells: cellsOf(rows[index] ?? [], decimals, 0) },
    ]),
    'double' as const,
    { name, cells: cellsOf(figuresOf(total, kind), decimals, 0) },
    'double' as const,
    ...(['Mean', 'S.D.', 'Median'] as const).map((statistic) => ({
      name: statistic,
      cells: cellsOf(columnsOf(rows).map(statistics[statistic]), 1, 1),
    })),
  ]
  return layOut(lines, title)
}

function sumSpeakers(speakers: readonly SpeakerCounts[]): SpeakerCounts {
  const none: SpeakerCounts = { speaker: '', utteranceCount: 0, wrongCount: 0, words: noErrors }
  return speakers.reduce(
    (sum, each) => ({
      speaker: '',
      utteranceCount: sum.utteranceCount + each.utteranceCount,
      wrongCount: sum.wrongCount + each.wrongCount,
      words: addCounts(sum.words, each.words),
    }),
    none,
  )
}

type Figure = number | null

function figuresOf(
  { utteranceCount, wrongCount, words }: SpeakerCounts,
  kind: 'percentages' | 'counts',
): Figure[] {
  const { hits, substitutions, deletions, insertions } = words
  const length = referenceLength(words)
  const counts = [hits, substitutions, deletions, insertions, errorCount(words)]
  if (kind === 'counts') return [utteranceCount, length, ...counts, wrongCount]
  const percent = (count: number, of: number): Figure => (of === 0 ? null : (100 * count) / of)
  return [
    utteranceCount,
    length,
    ...counts.map((count) => percent(count, length)),
    percent(wrongCount, utteranceCount),
  ]
}

function columnsOf(rows: readonly (readonly Figure[])[]): number[][] {
  return unit.map((_, column) => rows.flatMap((row) => row[column] ?? []))
}

const statistics: Readonly<Record<'Mean' | 'S.D.' | 'Median', (values: readonly number[]) => Figure>> = {
  Mean: mean,
  'S.D.'(values) {
    const centre = mean(values)
    if (centre === null || values.length < 2) return null
    const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
    return Math.sqrt(squares / (values.length - 1))
  },
  Median(values) {
    const sorted = values.toSorted((a, b) => a - b)
    const middle = sorted.length / 2
    if (sorted.length === 0) return null
    return Number.isInteger(middle)
      ? ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
      : (sorted[Math.floor(middle)] ?? null)
  },
}

function mean(values: readonly number[]): Figure {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

function cellsOf(figures: readonly Figure[], decimals: number, countDecimals: number): string[] {
  return figures.map((figure, column) => {
    if (figure === null) return '-'
    return figure.toFixed(column < 2 ? countDecimals : decimals)
  })
}

type TableLine = { readonly name: string; readonly cells: readonly string[] } | 'double' | null

function layOut(lines: readonly TableLine[], title: string): string {
  const named = lines.filter((line) => line !== null && line !== 'double')
  const nameWidth = named.reduce((width, { name }) => Math.max(width, name.length), 0)
  const cellWidth = named
    .flatMap(({ cells }) => cells)
    .reduce((width, cell) => Math.max(width, cell.length + 1), 6)
  const written = (line: { name: string; cells: readonly string[] }): string => {
    const cells = line.cells.map((cell) => cell.padStart(cellWidth))
    return `| ${line.name.padEnd(nameWidth)} |${cells.slice(0, 2).join('')} |${cells.slice(2).join('')} |`
  }
  const width = nameWidth + 8 * cellWidth + 8
  const rule = (mark: string): string => `|${mark.repeat(width - 2)}|`
  const body = lines.map((line) => {
    if (line === null) return rule('-')
    return line === 'double' ? rule('=') : written(line)
  })
  const inner = width - 4
  const centred = title.padStart(Math.floor((inner + title.length) / 2)).padEnd(inner)
  return [
    `,${'-'.repeat(width - 2)}.`,
    `| ${centred} |`,
    rule('-'),
    ...body,
    `\`${'-'.repeat(width - 2)}'`,
    '',
  ].join('\n')
}
