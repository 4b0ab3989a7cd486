import type { Verdict } from '#conformance/conformance-case'
import { ruleSubjects } from '#conformance/rules'
import type { ConformanceReport, RuleResult } from '#conformance/run-conformance-cases'
import { type BenchError, exitCodes, type Problem } from '#prelude'
import { signMeanings } from '#scoring/profiles/readings'
import {
  foreign,
  inSigns,
  labelled,
  measureWidth,
  pad,
  paint,
  paragraph,
  sentence,
  type Terminal,
  type Tone,
} from '../layout/terminal.ts'
import { counted } from '../layout/units.ts'

const problemsShown = 10

/**
 * A user error on a screen: what, where, why if known, and what to type next. All problems at once, the first ten
 * shown.
 *
 * @param allAt path of a file with all of them; null if there is none
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

/** A hint. A long command gets one line of any length, because a line break would end it in a shell. */
function hintText(hint: string, terminal: Terminal): string {
  if (measureWidth(hint) + 2 <= terminal.width) return sentence(hint, terminal)
  const lines: string[] = []
  const say = (text: string): void => {
    const sentences = text.replace(/^[;, ]+/, '').split(/(?<=;) /)
    for (const one of sentences) if (one.trim() !== '') lines.push(sentence(one.trim(), terminal))
  }
  let saidUntil = 0
  for (const { 0: command, index } of hint.matchAll(commandPattern)) {
    say(hint.slice(saidUntil, index))
    lines.push(inSigns(`    ${command.trimEnd()}`, terminal))
    saidUntil = index + command.length
  }
  say(hint.slice(saidUntil))
  return lines.join('\n')
}

/** A command within a sentence, without the punctuation after it. Quoted punctuation belongs to the command. */
const commandPattern = /(?<=^|[:;,] |\bthen )transcribench (?:'[^']*'|[^';,\s]|[;,](?=\S)| (?! *\())+/gu

function headline(message: string, terminal: Terminal): string {
  const [first = '', ...rest] = message.split('\n').map((line) => foreign(line))
  const text = paragraph(first, '       ', terminal).slice(7)
  const head = `${paint('error', 'bad', terminal)}  ${text}`
  return [head, ...rest.map((line) => paragraph(line, '       ', terminal))].join('\n')
}

/** All problems as lines of a file, without escape sequences; null if the screen shows them all. */
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
  const widest = Math.max(0, ...shown.map(({ where }) => measureWidth(foreign(where ?? ''))))
  const isNarrow = widest <= terminal.width / 2
  const lines = shown.flatMap((problem) => {
    const what = [problem.what, problem.hint ?? ''].filter((text) => text !== '')
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

/** Text made safe for a screen, except that an excerpt of a file keeps its line breaks. */
function safeLines(text: string): string {
  return text.split('\n').map(foreign).join('\n')
}

const marks: Readonly<Record<Verdict['kind'], { readonly sign: string; readonly tone: Tone }>> = {
  held: { sign: '✓', tone: 'good' },
  broken: { sign: '✗', tone: 'bad' },
  notApplicable: { sign: '–', tone: 'faint' },
}

/** Every rule with its outcome, grouped by subject; below, the violated rules again and the counts. */
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
  const leftLines = leftBehind.map((name) => sentence(`left behind: ${foreign(name)}`, terminal))
  return [
    inSigns(heading, terminal),
    ...tables,
    [...leftLines, inSigns(countsLine(report), terminal)].join('\n'),
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

/** Something that can be explained: an error, a finding, a metric, a profile. */
export interface ExplanationText {
  /** Name as typed, and as shown in errors, tables and thresholds. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly kind: string
  /** Paragraphs, each with a label or none. */
  readonly parts: readonly { readonly label: string | null; readonly text: string }[]
}

export function renderExplanation(
  { name, aliases, kind, parts }: ExplanationText,
  terminal: Terminal,
): string {
  const others = aliases.length === 0 ? '' : `, also ${aliases.join(', ')}`
  const labelWidth = Math.max(0, ...parts.map(({ label }) => (label === null ? 0 : measureWidth(label))))
  const blocks = parts.map(({ label, text }) =>
    label === null ? `${sentence(text, terminal)}\n` : labelled(foreign(label), text, labelWidth, terminal),
  )
  return [`${paint(name, 'strong', terminal)}  (${inWords(kind)}${others})`, '', ...blocks]
    .join('\n')
    .trimEnd()
}

export function renderExplanationList(explanations: readonly ExplanationText[], terminal: Terminal): string {
  const byKind = Map.groupBy(explanations, ({ kind }) => kind)
  const blocks = [...byKind].map(([kind, entries]) =>
    [
      paint(makePlural(inWords(kind)), 'strong', terminal),
      ...inColumns(
        entries.map(({ name }) => name),
        terminal,
      ),
    ].join('\n'),
  )
  return [...blocks, 'One of them in full: transcribench explain <name>'].join('\n\n')
}

function inWords(kind: string): string {
  return kind.replaceAll('-', ' ')
}

function makePlural(words: string): string {
  return words.endsWith('sis') ? words.replace(/sis$/, 'ses') : `${words}s`
}

function inColumns(names: readonly string[], terminal: Terminal): readonly string[] {
  const width = Math.max(1, ...names.map(measureWidth)) + 2
  const perLine = Math.max(1, Math.floor((terminal.width - 2) / width))
  const lines: string[] = []
  for (let first = 0; first < names.length; first += perLine) {
    const part = names.slice(first, first + perLine)
    lines.push(`  ${part.map((name) => pad(name, width)).join('')}`.trimEnd())
  }
  return lines
}

export interface NormalisationTrace {
  readonly profile: { readonly id: string; readonly version: number; readonly fingerprint: string }
  readonly text: string
  readonly stages: readonly { readonly stage: string; readonly text: string }[]
  /** The words that are counted after the last stage. */
  readonly words: readonly string[]
}

/** The text after every stage that changes it, and the meaning of signs that are not in the original text. */
export function renderTrace(
  { profile, text, stages, words }: NormalisationTrace,
  terminal: Terminal,
): string {
  const labelWidth = Math.max('as written'.length, ...stages.map(({ stage }) => measureWidth(stage)))
  const line = (label: string, shown: string): string => labelled(label, quoted(shown), labelWidth, terminal)
  const lines = stages.map(({ stage, text: after }, index) => {
    const before = index === 0 ? text : (stages[index - 1]?.text ?? '')
    return after === before
      ? paint(labelled(stage, 'unchanged', labelWidth, terminal), 'faint', terminal)
      : line(stage, after)
  })
  const meanings = signMeanings
    .filter(([sign]) => !text.includes(sign) && stages.some((stage) => stage.text.includes(sign)))
    .map(([sign, meaning]) => labelled(sign, meaning, 1, terminal))
  const counted = words.length === 0 ? 'no words' : words.map(quoted).join(' ')
  return [
    `${paint(profile.id, 'strong', terminal)}  version ${profile.version}, fingerprint ${profile.fingerprint.slice(0, 12)}`,
    '',
    line('as written', text),
    ...lines,
    '',
    sentence(`${words.length} counted: ${counted}`, terminal),
    ...(meanings.length === 0 ? [] : ['', ...meanings]),
  ].join('\n')
}

/** Text in quotes, so that spaces at its ends are visible. */
function quoted(text: string): string {
  return `“${foreign(text)}”`
}
