import { createRequire } from 'node:module'
import { stripVTControlCharacters, styleText } from 'node:util'
import { lazily } from '#prelude'

/** Capabilities of the output. They are passed in, never detected here. */
export interface Terminal {
  /** Width in columns. */
  readonly width: number
  readonly color: boolean
  /** False: only ASCII signs are used; words in other scripts stay as they are. */
  readonly unicode: boolean
}

export type Tone = 'good' | 'bad' | 'caution' | 'strong' | 'faint'

const styles = { good: 'green', bad: 'red', caution: 'yellow', strong: 'bold', faint: 'dim' } as const

/** Colours a text if the terminal has colour. Colour is never the only sign of a state. */
export function paint(text: string, tone: Tone | null, terminal: Terminal): string {
  if (!terminal.color || tone === null || text === '') return text
  return styleText(styles[tone], text, { validateStream: false })
}

const asciiSigns: Readonly<Record<string, string>> = {
  '✓': '+',
  '✗': 'x',
  '×': 'x',
  '−': '-',
  '–': '-',
  '·': '.',
  '…': '...',
  '→': '->',
  '±': '+/-',
  '“': '"',
  '”': '"',
  '’': "'",
}
const signPattern = new RegExp(`[${Object.keys(asciiSigns).join('')}]`, 'gu')

/** The project's own signs in ASCII if the terminal has no Unicode. Apply this before measuring a width. */
export function inSigns(text: string, terminal: Terminal): string {
  return terminal.unicode ? text : text.replace(signPattern, (sign) => asciiSigns[sign] ?? sign)
}

/**
 * Foreign text (references, transcripts, messages of a server) made safe to show: without escape sequences, control
 * characters and bidirectional marks.
 */
export function foreign(text: string): string {
  return stripVTControlCharacters(text).replace(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu,
    ' ',
  )
}

// The two packages are loaded lazily: that takes longer than a short command, and most lines are plain and fit.
const require = createRequire(import.meta.url)
const stringWidth = lazily(() => (require('string-width') as typeof import('string-width')).default)
const wrapAnsi = lazily(() => (require('wrap-ansi') as typeof import('wrap-ansi')).default)
// ASCII, Latin letters and the project's own signs take one column each.
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027✓✗−→]*$/

/** Columns that a text takes; wide characters count as two. */
export function measureWidth(text: string): number {
  return narrow.test(text) ? text.length : stringWidth()(text)
}

/** Pads a text with blanks to a width; a longer one is unchanged. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - measureWidth(text)))
  return align === 'left' ? text + blanks : blanks + text
}

/**
 * Wraps a paragraph at blanks; every line begins with the indent. A line that fits is unchanged, with all blanks, so
 * that an excerpt of a file keeps its marks under the right column.
 */
export function paragraph(text: string, indent: string, terminal: Terminal): string {
  const width = Math.max(20, terminal.width - measureWidth(indent))
  return inSigns(text, terminal)
    .split('\n')
    .flatMap((line) => (measureWidth(line) <= width ? [line] : wrapAnsi()(line, width).split('\n')))
    .map((line) => indent + line)
    .join('\n')
}

/** A sentence with the standard indent of a screen. It may be foreign text. */
export function sentence(text: string, terminal: Terminal, tone: Tone | null = null): string {
  return paint(paragraph(foreign(text), '  ', terminal), tone, terminal)
}

/**
 * A label with its text next to it, which may come from outside; later lines are under the first:
 *
 *   corpus    demo · 24 utterances
 *             of English
 */
export function labelled(label: string, text: string, labelWidth: number, terminal: Terminal): string {
  const indent = ' '.repeat(2 + labelWidth + 2)
  const head = `  ${pad(label, labelWidth)}  `
  return head + paragraph(foreign(text), indent, terminal).slice(indent.length)
}

export function labelledLines(
  label: string,
  texts: readonly string[],
  labelWidth: number,
  terminal: Terminal,
): readonly string[] {
  return texts.map((text, index) => labelled(index === 0 ? label : '', text, labelWidth, terminal))
}

/** Blocks of lines with a blank line between any two; empty blocks are omitted. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const levels = '▁▂▃▄▅▆▇█'
const asciiLevels = '_.-=+*#@'

/** Heights of 0 to 1 as a row of bars; a null is a gap. */
export function bars(heights: readonly (number | null)[], { unicode }: Pick<Terminal, 'unicode'>): string {
  const signs = unicode ? levels : asciiLevels
  return heights
    .map((height) => (height === null ? ' ' : (signs[Math.round(height * (signs.length - 1))] ?? ' ')))
    .join('')
}
