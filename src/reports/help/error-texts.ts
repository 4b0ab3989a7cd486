import type { ConformanceReport, RuleResult, Verdict } from '#conformance'
import { ruleSubjects } from '#conformance/rules'
import { type BenchError, exitCodes, type Problem } from '#prelude'
import {
  foreign,
  inSigns,
  pad,
  paint,
  paragraph,
  type Terminal,
  type Tone,
  widthOf,
} from '../layout/terminal.ts'
import { counted } from '../layout/units.ts'

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

const marks: Readonly<Record<Verdict['kind'], { readonly sign: string; readonly tone: Tone }>> = {
  held: { sign: '✓', tone: 'good' },
  broken: { sign: '✗', tone: 'bad' },
  notApplicable: { sign: '–', tone: 'faint' },
}

/** Every rule with what it came to, subject by subject; below it what is broken once more, and the counts. */
export function renderConformance(target: string, report: ConformanceReport, terminal: Terminal): string {
  const { platform, rules, leftBehind } = report
  const heading = `${foreign(target)} · ${platform === null ? 'platform not known' : `as ${platform}`}`
  const subjects = [...new Set(rules.map(({ rule }) => rule.subject))]
  const tables = subjects.map((subject) =>
    [
      paint(ruleSubjects[subject], 'strong', terminal),
      ...rules.filter(({ rule }) => rule.subject === subject).map((result) => ruleLines(result, terminal)),
    ].join('\n'),
  )
  const left = leftBehind.map((name) => paragraph(`left behind: ${foreign(name)}`, '  ', terminal))
  return [
    inSigns(heading, terminal),
    ...tables,
    [...left, inSigns(countsLine(report), terminal)].join('\n'),
  ].join('\n\n')
}

function ruleLines({ rule, verdict }: RuleResult, terminal: Terminal): string {
  const { sign, tone } = marks[verdict.kind]
  const indent = ' '.repeat(6)
  const mark = paint(inSigns(sign, terminal), tone, terminal)
  const origin = rule.origin === 'decision' ? ' (a decision of transcribench)' : ''
  const lines = [`  ${mark} ${paint(rule.id, verdict.kind === 'broken' ? 'strong' : null, terminal)}`]
  if (verdict.kind === 'broken') {
    lines.push(paragraph(`${rule.sentence}${origin}`, indent, terminal))
    lines.push(paint(paragraph(`seen: ${foreign(verdict.seen)}`, indent, terminal), 'bad', terminal))
  }
  if (verdict.kind === 'notApplicable') {
    lines.push(paint(paragraph(`not applicable: ${verdict.reason}`, indent, terminal), 'faint', terminal))
  }
  return lines.join('\n')
}

function countsLine({ counts, isComplete }: ConformanceReport): string {
  const { held, broken, notApplicable } = counts
  const text = `${counted(held, 'rule')} held · ${broken} broken · ${notApplicable} not applicable`
  return isComplete ? text : `${text} · interrupted`
}
