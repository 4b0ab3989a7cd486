import type { Problem } from '#prelude'
import { linesOf } from './record.ts'

/** One recognised word with its time. */
export interface TimedWord {
  readonly file: string
  readonly channel: string
  readonly startSeconds: number
  readonly durationSeconds: number
  readonly word: string
  /** 0..1, or null where the file gives none. */
  readonly confidence: number | null
  readonly line: number
}

/** A choice that the recogniser left open: the text between <ALT_BEGIN> and <ALT_END>, one branch per <ALT>. */
export interface TimedChoice {
  readonly file: string
  readonly channel: string
  /** At least one of them has a word; one without words means silence. */
  readonly branches: readonly (readonly TimedWord[])[]
  readonly line: number
}

export interface ParsedCtm {
  /** In the order of the file, which sclite goes by. */
  readonly parts: readonly (TimedWord | TimedChoice)[]
  /** `where` is a line number. */
  readonly problems: readonly Problem[]
}

/**
 * Reads a time marked conversation file: `file channel start duration word [confidence]`, `;;` before a comment.
 * Words may overlap each other.
 *
 * @param text the whole file: a choice spans lines
 * @see SCTK, doc/infmts.htm; fillmrks.c for what begins a comment
 */
export function parseCtm(text: string): ParsedCtm {
  const parts: (TimedWord | TimedChoice)[] = []
  const problems: Problem[] = []
  let open: OpenChoice | null = null
  for (const { line, text: content } of linesOf(text)) {
    if (content.trim() === '' || content.trimStart().startsWith(';')) continue
    const read = readLine(content, line, open)
    if ('what' in read) {
      problems.push({ where: String(line), ...read })
      continue
    }
    open = read.open
    if (read.part !== null) parts.push(read.part)
  }
  if (open !== null) problems.push({ where: String(open.line), ...neverEnded })
  return { parts, problems }
}

type Wrong = Omit<Problem, 'where'>

interface OpenChoice {
  readonly file: string
  readonly channel: string
  readonly line: number
  readonly branches: readonly TimedWord[][]
}

/** What a line completes, and the choice that is open after it. */
interface ReadLine {
  readonly part: TimedWord | TimedChoice | null
  readonly open: OpenChoice | null
}

const neverEnded: Wrong = {
  what: 'the alternatives that begin here never end',
  hint: 'write <ALT_BEGIN>, the words, <ALT>, the other words, <ALT_END>, each mark on a separate line',
}

function readLine(content: string, line: number, open: OpenChoice | null): ReadLine | Wrong {
  const [file = '', channel = '', , , text = ''] = content.trim().split(/\s+/)
  const mark = /^<ALT(?:_BEGIN|_END)?>$/i.exec(text)?.[0].toUpperCase()
  if (mark === undefined) return readWord(content, line, open)
  if (mark === '<ALT_BEGIN>') {
    return open === null ? { part: null, open: { file, channel, line, branches: [[]] } } : neverEnded
  }
  if (open === null) {
    return {
      what: `${mark} without <ALT_BEGIN> before it`,
      hint: 'remove the line, or begin the alternatives',
    }
  }
  if (mark === '<ALT>') return { part: null, open: { ...open, branches: [...open.branches, []] } }
  if (open.branches.every((branch) => branch.length === 0)) {
    return { what: 'the alternatives hold no word', hint: 'remove the lines from <ALT_BEGIN> to <ALT_END>' }
  }
  return { part: open, open: null }
}

function readWord(content: string, line: number, open: OpenChoice | null): ReadLine | Wrong {
  const word = wordOf(content, line)
  if ('what' in word || open === null) return 'what' in word ? word : { part: word, open: null }
  if (word.file !== open.file || word.channel !== open.channel) return neverEnded
  open.branches.at(-1)?.push(word)
  return { part: null, open }
}

function wordOf(content: string, line: number): TimedWord | Wrong {
  const [file = '', channel = '', start = '', duration = '', word = '', confidence] = content
    .trim()
    .split(/\s+/)
  const startSeconds = Number(start)
  const durationSeconds = Number(duration)
  if (word === '' || !(startSeconds >= 0) || !(durationSeconds >= 0)) {
    return { what: 'the line is no word', hint: 'write: file channel start duration word, times in seconds' }
  }
  const share = confidence === undefined || confidence.toUpperCase() === 'NA' ? null : Number(confidence)
  return { file, channel, startSeconds, durationSeconds, word, confidence: share, line }
}
