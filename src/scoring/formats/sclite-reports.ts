import type { ScliteOptions } from '../alignment/networks.ts'
import type { AlignmentStep } from '../shapes.ts'
import { escapeWord } from './transcript-markup.ts'

/** An aligned utterance with the speaker that it belongs to. */
export interface SpokenAlignment {
  readonly id: string
  readonly speaker: string
  readonly steps: readonly AlignmentStep[]
}

/** What a report is about. */
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
  return `${words.map((word) => escapeWord(word, sclite)).join(' ')} (${id})`.trimStart()
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
  const quoted = (word: string | null): string => (word === null ? '' : `"${word.replace(/["\\]/g, '\\$&')}"`)
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
  const shown = (word: string | null): string => (kind === 'hit' ? word : word?.toUpperCase()) ?? ''
  const lengthOf = (word: string | null): number => Array.from(shown(word)).length
  const width = Math.max(lengthOf(reference), lengthOf(hypothesis))
  const cell = (word: string | null): string =>
    word === null ? '*'.repeat(width) : shown(word) + ' '.repeat(width - lengthOf(word))
  const letter = { hit: ' ', substitution: 'S', deletion: 'D', insertion: 'I' }[kind]
  return [cell(reference), cell(hypothesis), letter.padEnd(width)]
}
