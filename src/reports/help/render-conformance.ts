import type { ConformanceReport, RuleResult, Verdict } from '#conformance'
import { ruleSubjects } from '#conformance/rules'
import { foreign, inSigns, paint, paragraph, type Terminal, type Tone } from '../layout/terminal.ts'
import { counted } from '../layout/units.ts'

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
