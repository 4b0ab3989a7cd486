import type { Problem } from '#prelude'
import type { TranscriptPart } from '../alignment/networks.ts'
import type { ReplacementRule } from '../profiles/extension.ts'

/** One transcript of a file, before any normalisation. */
export interface TranscriptRecord {
  /** What pairs it with its partner. */
  readonly id: string
  /** As written, without markup where the format has markup that `parts` holds. */
  readonly text: string
  /** Words, optional words and alternatives. Null where the format has none of them. */
  readonly parts: readonly TranscriptPart[] | null
  /** Words with a tag behind a semicolon, which is not scored. Absent where the format has no tags. */
  readonly taggedCount?: number
  readonly speaker: string | null
  /** Labels of a segment, by name. */
  readonly tags: Readonly<Record<string, string>>
  /** Line number, from 1. */
  readonly line: number
}

/** What a file holds, and everything that is wrong with it. */
export interface ParsedTranscripts {
  readonly records: readonly TranscriptRecord[]
  /** In line order. `where` is the line number alone: the reader of the file puts its name before it. */
  readonly problems: readonly Problem[]
}

/** A line of a file, numbered from 1, without its ending. */
export interface NumberedLine {
  readonly line: number
  readonly text: string
}

/** The lines of a text. LF, CRLF and CR end a line; an ending at the very end does not begin another one. */
export function linesOf(text: string): NumberedLine[] {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const lines = body.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => ({ line: index + 1, text: line }))
}

/**
 * Kaldi's `text` and LibriSpeech's `.trans.txt`: an id, a space, a transcript, which may be empty.
 *
 * @see https://kaldi-asr.org/doc/data_prep.html
 */
export function parseKaldiText(text: string, firstLine = 1): readonly TranscriptRecord[] {
  return linesOf(text).flatMap(({ line, text: content }): TranscriptRecord[] => {
    const match = /^\s*(\S+)\s?(.*)$/s.exec(content)
    if (match === null) return []
    const [, id = '', said = ''] = match
    return [{ id, text: said.trim(), parts: null, speaker: null, tags: {}, line: firstLine + line - 1 }]
  })
}

/** The rules of a file, in lower case, what of it a profile has no use for, and what in it is no rule. */
export interface ParsedGlm {
  readonly replacements: readonly ReplacementRule[]
  /** Rules that write alternatives, and rules for one side or kind of file: a profile treats all texts alike. */
  readonly leftOut: readonly Problem[]
  readonly problems: readonly Problem[]
}

/**
 * Reads a global mapping file, as NIST's scoring kit has them. A rule without a context holds inside of words too.
 *
 *   ;; comment
 *   * name "English"
 *   [BACKUP] => [BACK UP] / [ ] __ [ ]     ;; as a separate word
 *   FALKNER => FAULKNER / [WILLIAM ] __
 *   ;; INPUT_DEPENDENT_APPLICATION = "hyp"
 *
 * Rules that write alternatives, `HE'S => { HE IS / HE HAS }`, are for hypotheses: there csrfilt.sh makes a choice of each
 * contraction, and sclite takes the branch that suits the reference. Such a text is a network, not a text, so no profile
 * can make it. Files that csrfilt.sh has filtered hold the choices as transcript markup, which is read and scored so.
 *
 * @see SCTK, doc/rfilter1.htm; csrfilt.sh for what the last line means: what follows is for what the expression matches,
 *   the purpose of a text (`ref`, `hyp`) or the kind of its file (`trn`, `stm`, `ctm`, `txt`, `rttm`)
 */
export function parseGlm(text: string): ParsedGlm {
  const parsed = {
    replacements: [] as ReplacementRule[],
    leftOut: [] as Problem[],
    problems: [] as Problem[],
  }
  let isForSome = false
  for (const { line, text: content } of linesOf(text)) {
    const written = content.trim()
    isForSome = sectionOf(written) ?? isForSome
    if (written === '' || written.startsWith(';;') || written.startsWith('*')) continue
    const where = String(line)
    const rule = ruleOf(written)
    if (rule === null) parsed.problems.push({ where, ...notARule })
    else if (isForSome) parsed.leftOut.push({ where, ...oneSided })
    else if (/[{}]/.test(rule.to)) parsed.leftOut.push({ where, ...alternatives })
    else parsed.replacements.push(rule)
  }
  return parsed
}

const notARule: Omit<Problem, 'where'> = {
  what: 'the line is no rule',
  hint: 'write FROM => TO / [ ] __ [ ], or ;; before a comment',
}
const oneSided: Omit<Problem, 'where'> = { what: 'the rule is for one side or one kind of file only' }
const alternatives: Omit<Problem, 'where'> = {
  what: 'the rule writes alternatives',
  hint: 'list the ways to write it as equivalences',
}

/** Whether what follows a remark is not for everything; null for any other line. */
function sectionOf(line: string): boolean | null {
  const types = /^;;\s+INPUT_DEPENDENT_APPLICATION\s*=\s*"([^"]*)"/i.exec(line)?.[1]
  return types === undefined ? null : !isForAll(types.toLowerCase())
}

/** The expressions of real files are lists of words; whatever else one is, it is not taken for all. */
function isForAll(expression: string): boolean {
  const named = expression.replaceAll(/[()^$]/g, '').split('|')
  const matches = (purposes: readonly string[]): boolean =>
    purposes.every((purpose) => named.some((name) => name === '.*' || purpose.includes(name)))
  return matches(['ref', 'hyp']) || matches(['trn', 'stm', 'ctm', 'txt', 'rttm'])
}

function ruleOf(line: string): ReplacementRule | null {
  const rule = /^(.+?)=>(.*?)(?:\/([^/]*?)__(.*?))?(?:;;.*)?$/.exec(line)
  const [from, to, before, after] = [1, 2, 3, 4].map((part) => literal(rule?.[part] ?? ''))
  return from === '' ? null : { from: `${from}`, to: `${to}`, before: `${before}`, after: `${after}` }
}

/** Text in brackets has its spaces; without brackets it has none around it. */
function literal(written: string): string {
  const bracketed = /^\[(.*)\]$/s.exec(written.trim())?.[1]
  return (bracketed ?? written.trim()).toLowerCase()
}
