import type { ScoredText, TextScore } from '#rates'
import type { ErrorLevel, ScliteOptions } from '#scoring/counting'
import type { ReportNames } from '#scoring/formats'

/** What is known of all rows before the first is counted. */
export interface RowFacts {
  readonly sclite: ScliteOptions | null
  /** The rate that leads. */
  readonly leads: ErrorLevel
}

/** Rows as they were kept, in the order of the utterances. */
export interface KeptRows {
  /** What was kept, in pieces of any length. */
  texts(): AsyncIterable<string>
  /** The same of formats that keep a line for each row, without the line ends. */
  lines(): AsyncIterable<readonly string[]>
}

/**
 * A way to write a score with its rows. Rows are made into text one by one and kept elsewhere, so that memory does not
 * grow with them; the document around them is written when all are counted.
 */
export interface TextScoreFormat {
  /** Whether rows hold counts alone, or the aligned words as well. */
  readonly rows: 'counts' | 'aligned'
  /** Whether what is written shows characters: otherwise they need not be counted. */
  readonly showsCharacters: boolean
  /** What is kept of a row: its text, or a line of JSON where the text depends on other rows. */
  keep(row: ScoredText, facts: RowFacts): string
  /** The whole document, in pieces. */
  write(score: TextScore, kept: KeptRows, names: ReportNames): AsyncIterable<string>
}
