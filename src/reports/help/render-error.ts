import { type BenchError, exitCodes, type Problem } from '#prelude'
import { foreign, inSigns, pad, paint, paragraph, type Terminal, widthOf } from '../layout/terminal.ts'

const problemsShown = 10

/**
 * A person's mistake on a screen: what, where, why if known, and what to type next. All problems at once, the
 * first ten shown.
 *
 * @param allAt path of a file with all of them; null where there is none
 */
export function renderError(error: BenchError, terminal: Terminal, allAt: string | null): string {
  const blocks = [
    headline(error.message, terminal),
    ...problemBlock(error.problems, terminal, allAt),
    hintText(foreign(error.hint), terminal),
    paint(
      inSigns(
        `  ${error.code} · transcribench explain ${error.code} · exit ${exitCodes[error.exit].code}`,
        terminal,
      ),
      'faint',
      terminal,
    ),
  ]
  return blocks.join('\n\n')
}

/** A command that does not fit next to the rest has a line of its own, of any length: a line break in it would end it in a shell. */
function hintText(hint: string, terminal: Terminal): string {
  if (widthOf(hint) + 2 <= terminal.width) return paragraph(hint, '  ', terminal)
  const parts = hint.split(/(?<=[:;,] )(?=transcribench )|(?<=;) (?!transcribench )/u)
  return parts
    .map((part) =>
      part.startsWith('transcribench ')
        ? inSigns(`    ${part.trimEnd()}`, terminal)
        : paragraph(part.trimEnd(), '  ', terminal),
    )
    .join('\n')
}

function headline(message: string, terminal: Terminal): string {
  const [first = '', ...rest] = message.split('\n').map((line) => foreign(line))
  const text = paragraph(first, '       ', terminal).slice(7)
  const head = `${paint('error', 'bad', terminal)}  ${text}`
  return [head, ...rest.map((line) => paragraph(line, '       ', terminal))].join('\n')
}

/** All problems as lines of a file, without escape sequences; null where a screen shows them all. */
export function listProblems(problems: readonly Problem[]): string | null {
  if (problems.length <= problemsShown) return null
  return problems
    .map(({ where, what, hint }) => [where, what, hint === undefined ? null : `(${hint})`])
    .map(
      (parts) =>
        `${parts
          .flatMap((part) => part ?? [])
          .map(safeLines)
          .join('  ')}\n`,
    )
    .join('')
}

function problemBlock(
  problems: readonly Problem[],
  terminal: Terminal,
  allAt: string | null,
): readonly string[] {
  if (problems.length === 0) return []
  const shown = problems.slice(0, problemsShown)
  // A location that takes half the line gets a separate line; the problem follows below it.
  const widest = Math.max(0, ...shown.map(({ where }) => widthOf(foreign(where ?? ''))))
  const isNarrow = widest <= terminal.width / 2
  const lines = shown.flatMap((problem) => {
    const what = [problem.what, ...(problem.hint === undefined ? [] : [problem.hint])]
    if (problem.where === null) return what.map((text) => paragraph(safeLines(text), '    ', terminal))
    const place = foreign(problem.where)
    if (isNarrow) return textsNextToPlace(place, widest, what, terminal)
    return [`    ${place}`, ...what.map((text) => paragraph(safeLines(text), '        ', terminal))]
  })
  const more = problems.length - shown.length
  const place = allAt === null ? '' : `; all of them: ${allAt}`
  if (more > 0) lines.push(inSigns(`    … and ${more} more${place}`, terminal))
  return [lines.join('\n')]
}

function textsNextToPlace(
  place: string,
  width: number,
  texts: readonly string[],
  terminal: Terminal,
): readonly string[] {
  const indent = ' '.repeat(4 + width + 2)
  return texts.map((text, index) => {
    const body = paragraph(safeLines(text), indent, terminal)
    return index === 0 ? `    ${pad(place, width)}  ${body.slice(indent.length)}` : body
  })
}

/** Keeps the line breaks of an excerpt that points at a place in a file. */
function safeLines(text: string): string {
  return text.split('\n').map(foreign).join('\n')
}
