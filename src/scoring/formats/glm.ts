import type { Problem } from '#prelude'
import type { Replacement } from '../profiles/replacements.ts'
import { linesOf } from './record.ts'

/** The rules of a file, in lower case, and what in it cannot be used. */
export interface ParsedGlm {
  readonly replacements: readonly Replacement[]
  readonly problems: readonly Problem[]
}

/**
 * Reads a global mapping file, as NIST's scoring kit has them.
 *
 *   ;; comment
 *   * name "English"
 *   [BACKUP] => [BACK UP] / [ ] __ [ ]     ;; as a word of its own
 *   GONNA => GOING TO / [ ] __ [ ]
 *
 * Rules with alternatives on the right, and rules for one side only, are reported and left out: a profile is
 * the same for both sides.
 *
 * @see SCTK, doc/rfilter1.htm
 */
export function parseGlm(text: string): ParsedGlm {
  const replacements: Replacement[] = []
  const problems: Problem[] = []
  for (const { line, text: content } of linesOf(text)) {
    const written = content.trim()
    if (written === '' || written.startsWith(';;') || written.startsWith('*')) continue
    const rule = /^(.+?)\s*=>\s*(.*?)(?:\s*\/\s*(\S.*?)\s*__\s*(.*?))?\s*(?:;;\s*(.*))?$/.exec(written)
    const problem = problemOf(rule)
    if (rule === null || problem !== null) {
      problems.push({ where: String(line), ...(problem ?? notARule) })
      continue
    }
    replacements.push({
      from: literal(rule[1] ?? ''),
      to: literal(rule[2] ?? ''),
      before: literal(rule[3] ?? ''),
      after: literal(rule[4] ?? ''),
    })
  }
  return { replacements, problems }
}

const notARule: Omit<Problem, 'where'> = {
  what: 'the line is no rule',
  hint: 'write FROM => TO / [ ] __ [ ], or ;; before a comment',
}

function problemOf(rule: RegExpExecArray | null): Omit<Problem, 'where'> | null {
  if (rule === null) return notARule
  if (literal(rule[1] ?? '') === '') return notARule
  if ((rule[5] ?? '').includes('INPUT_DEPENDENT')) {
    return {
      what: 'the rule is for one side only',
      hint: 'a profile treats both sides alike; leave the rule out',
    }
  }
  if (/[{}]/.test(rule[2] ?? '')) {
    return { what: 'the rule writes alternatives', hint: 'list the ways to write it as equivalences' }
  }
  return null
}

/** Text in brackets has its spaces; without brackets it has none around it. */
function literal(written: string): string {
  const bracketed = /^\[(.*)\]$/s.exec(written.trim())?.[1]
  return (bracketed ?? written.trim()).toLowerCase()
}
