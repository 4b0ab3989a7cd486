import { escapeHtml } from '#prelude'
import type { ScliteOptions } from '../alignment/networks.ts'
import { addCounts, errorCount, noErrors, referenceLength } from '../counts.ts'
import type { AlignmentStep, ErrorCounts } from '../shapes.ts'
import { escapeSpaces, escapeWord } from './trn.ts'

/** An aligned utterance with the speaker that it belongs to. */
export interface SpokenAlignment {
  readonly id: string
  readonly speaker: string
  readonly steps: readonly AlignmentStep[]
}

export interface ReportNames {
  readonly title: string
  readonly referenceName: string
  readonly hypothesisName: string
  /** What counted as an error; sclite's defaults by default. */
  readonly sclite?: ScliteOptions
}

/**
 * A line of a NIST transcript file, with characters that would be read as markup as in a URL (`%7B`).
 *
 * @param sclite with which options the file is to be read
 */
export function writeTrnLine(words: readonly string[], id: string, sclite: ScliteOptions = {}): string {
  return [...words.map((word) => escapeWord(word, sclite)), `(${id})`].join(' ')
}

/**
 * What is around the utterances and the speakers of alignments as sclite's `-o sgml` writes them, for its sc_stats to
 * read: speakers in order of appearance, each with its utterances.
 */
export function writeSgmlSystem({ title, referenceName, hypothesisName, sclite = {} }: ReportNames): {
  readonly begin: string
  beginSpeaker(speaker: string): string
  readonly endSpeaker: string
  readonly end: string
} {
  const flag = (isSet = false): string => (isSet ? 'TRUE' : 'FALSE')
  return {
    begin:
      `<SYSTEM title="${attribute(title)}" ref_fname="${attribute(referenceName)}" hyp_fname="${attribute(hypothesisName)}"  format="2.4" ` +
      `frag_corr="${flag(sclite.fragments)}" opt_del="${flag(sclite.optionalDeletions)}" weight_ali="FALSE" weight_filename="">\n`,
    beginSpeaker: (speaker) => `<SPEAKER id="${attribute(speaker)}">\n`,
    endSpeaker: '</SPEAKER>\n',
    end: '</SYSTEM>\n',
  }
}

/** One utterance of such a document. */
export function writeSgmlPath(
  { id, steps }: Pick<SpokenAlignment, 'id' | 'steps'>,
  sequence: number,
): string {
  return `<PATH id="(${attribute(id)})" word_cnt="${steps.length}" sequence="${sequence}">\n${steps.map(writeStep).join(':')}\n</PATH>\n`
}

/** sclite writes names as they are; a quote in one would end it. */
function attribute(text: string): string {
  return text.replaceAll('"', '&quot;')
}

function writeStep({ kind, reference, hypothesis }: AlignmentStep): string {
  const quoted = (word: string | null): string =>
    word === null ? '' : `"${escapeSpaces(word).replace(/["\\]/g, '\\$&')}"`
  const letter = { hit: 'C', substitution: 'S', deletion: 'D', insertion: 'I' }[kind]
  return `${letter},${quoted(reference)},${quoted(hypothesis)}`
}

/**
 * An alignment in three lines, as in sclite's `-o pra`: errors in capitals, stars where a side has nothing.
 *
 *   Scores: (#C #S #D #I) 2 1 1 0
 *   REF:  the BIG cat SAT
 *   HYP:  the *** cat SAD
 *   Eval:     D       S
 */
export function writePra({ id, steps }: Pick<SpokenAlignment, 'id' | 'steps'>): string {
  const count = (kind: AlignmentStep['kind']): number => steps.filter((step) => step.kind === kind).length
  const columns = steps.map(praColumn)
  const row = (name: string, cells: readonly string[]): string =>
    `${name}${cells.map((cell) => `${cell} `).join('')}`
  return [
    `id: (${id})`,
    `Scores: (#C #S #D #I) ${count('hit')} ${count('substitution')} ${count('deletion')} ${count('insertion')}`,
    row(
      'REF:  ',
      columns.map(([reference]) => reference),
    ),
    row(
      'HYP:  ',
      columns.map(([, hypothesis]) => hypothesis),
    ),
    row(
      'Eval: ',
      columns.map(([, , letter]) => letter),
    ),
    '',
  ].join('\n')
}

function praColumn({ kind, reference, hypothesis }: AlignmentStep): readonly [string, string, string] {
  // In capitals a word can be longer: STRASSE for straße.
  const shown = (word: string | null): string =>
    escapeSpaces((kind === 'hit' ? word : word?.toUpperCase()) ?? '')
  const lengthOf = (word: string | null): number => Array.from(shown(word)).length
  const width = Math.max(lengthOf(reference), lengthOf(hypothesis))
  const cell = (word: string | null): string =>
    word === null ? '*'.repeat(width) : shown(word) + ' '.repeat(width - lengthOf(word))
  const letter = { hit: ' ', substitution: 'S', deletion: 'D', insertion: 'I' }[kind]
  return [cell(reference), cell(hypothesis), letter.padEnd(width)]
}

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

/**
 * An alignment as HTML: a list of words, errors marked by class (`substitution`, `deletion`, `insertion`) and,
 * for those who do not see colours, as <del> and <ins>. What the texts hold is escaped; nothing of it becomes
 * markup. The direction of each word is its own; that of the whole is the one of its first letter.
 */
export function writeHtmlDiff(steps: readonly AlignmentStep[]): string {
  const words = steps.map(({ kind, reference, hypothesis }) => {
    if (kind === 'hit') return `<bdi>${escapeHtml(reference)}</bdi>`
    const missing = reference === null ? '' : `<del><bdi>${escapeHtml(reference)}</bdi></del>`
    const added = hypothesis === null ? '' : `<ins><bdi>${escapeHtml(hypothesis)}</bdi></ins>`
    return `<span class="${kind}">${missing}${added}</span>`
  })
  const written = steps.map(({ reference, hypothesis }) => reference ?? hypothesis).join(' ')
  const direction = startsRightToLeft.test(written) ? 'rtl' : 'ltr'
  return `<p class="alignment" dir="${direction}">${words.join(' ')}</p>`
}

// Hebrew to Arabic Extended-A and their presentation forms, before any other letter.
const startsRightToLeft = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u
