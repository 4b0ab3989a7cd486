/** A place in a text, and how to show it to a person. */
export interface Excerpt {
  /** `configs/nightly.yaml:14:5`, lines and columns from 1. */
  readonly where: string
  readonly line: number
  readonly column: number
  /** The word that is there, without its quotes. */
  readonly word: string
  /** The line and the one before it, a caret under the place, and the advice after the caret or below it. */
  show(advice: string): string
}

interface Place {
  readonly text: string
  readonly path: string
  readonly line: number
  readonly column: number
  /** Characters to underline; cut off at the end of the line. */
  readonly length: number
}

/** Longer lines are cut: what matters is near the caret. */
const widestLine = 64

/** A line with a caret that was broken at a terminal's edge would point at nothing. */
const widestPointer = 60

/**
 *     13 |     "kind": "closed",
 *     14 |     "concurency": 4
 *        |     ^^^^^^^^^^^^ did you mean "concurrency"?
 */
export function excerptAt({ text, path, line, column, length }: Place): Excerpt {
  // A tab is one column and many blanks wide: as one blank it leaves the caret in its place.
  const lines = text.replaceAll('\t', ' ').split(/\r?\n/)
  const rest = (lines[line - 1] ?? '').slice(column - 1)
  return {
    line,
    column,
    word: /^["']?([^"':\s]*)/.exec(rest)?.[1] ?? '',
    where: `${path}:${line}:${column}`,
    show(advice) {
      const width = String(line).length
      const from = Math.max(0, column - 1 - Math.floor(widestLine / 2))
      const numbered = (number: number): string =>
        `${String(number).padStart(width)} | ${(lines[number - 1] ?? '').slice(from, from + widestLine)}`.trimEnd()
      const isNear = (lines[line - 2] ?? '').slice(from).trim() !== ''
      const before = line > 1 && isNear ? [numbered(line - 1)] : []
      const carets = '^'.repeat(Math.max(1, Math.min(length, rest.length, widestLine)))
      const pointer = `${' '.repeat(width)} | ${' '.repeat(column - 1 - from)}${carets}`
      const [first = '', ...others] = advice.split('\n')
      const fits = pointer.length + first.length < widestPointer
      const advised = fits ? [`${pointer} ${first}`.trimEnd()] : [pointer, first]
      return [...before, numbered(line), ...advised, ...others].join('\n')
    },
  }
}
