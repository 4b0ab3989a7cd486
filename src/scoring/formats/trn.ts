import type { Problem } from '#prelude'
import { type ScliteOptions, type TranscriptPart, unsaid } from '../alignment/networks.ts'
import { linesOf, type ParsedTranscripts, type TranscriptRecord } from './plain-text.ts'

/** A transcript with its choices, or what is wrong with its markup. */
export type ParsedMarkup =
  | {
      readonly ok: true
      readonly parts: readonly TranscriptPart[]
      /** Words whose tag was cut off; 0 where semicolons are text. */
      readonly taggedCount: number
    }
  | { readonly ok: false; readonly what: string; readonly hint: string }

/** How much of NIST's markup a text has. */
export interface MarkupRules {
  /** Whether a semicolon inside a word begins a tag that is not scored (`word;tag`), as in trn and stm files. */
  readonly hasTags?: boolean
}

/**
 * Reads the markup of NIST transcripts: `{ a / b c / @ }` are alternatives, `@` is nothing, `(uh)` is a word
 * that need not be said. Outside of braces, marks count only where a word begins, so `and/or` and `f(x)` are
 * words; inside, they count anywhere. A backslash makes a mark a letter.
 *
 * @see SCTK, Network_create_from_TEXT and doc/infmts.htm
 */
export function parseMarkup(text: string, { hasTags = false }: MarkupRules = {}): ParsedMarkup {
  const tokens = tokensOf(text)
  if (depthOf(tokens) > maxDepth) {
    return {
      ok: false,
      what: `alternatives are more than ${maxDepth} deep in each other`,
      hint: 'write the choices one after the other',
    }
  }
  const reader: Reader = {
    tokens,
    hasTags,
    position: 0,
    emptyAlternatives: 0,
    taggedCount: 0,
  }
  const parts = readSequence(reader, false)
  if (reader.emptyAlternatives > 0) {
    return {
      ok: false,
      what: 'an alternative is empty',
      hint: 'write @ for an alternative that says nothing',
    }
  }
  const next = reader.tokens[reader.position]
  if (next === undefined) return { ok: true, parts, taggedCount: reader.taggedCount }
  return next === '}'
    ? { ok: false, what: 'a } closes what no { opened', hint: 'remove it, or write \\} for the character' }
    : {
        ok: false,
        what: 'a { is never closed',
        hint: 'close the alternatives with }, or write \\{ for the character',
      }
}

/** Real transcripts have one alternative in another at most. Each level of them takes room on the call stack. */
const maxDepth = 32

function depthOf(tokens: readonly string[]): number {
  let [depth, deepest] = [0, 0]
  for (const token of tokens) {
    if (token === '{') depth += 1
    else if (token === '}') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

interface Reader {
  readonly tokens: readonly string[]
  readonly hasTags: boolean
  position: number
  emptyAlternatives: number
  taggedCount: number
}

// NIST's tools part words at white space in ASCII alone: a no-break or ideographic space is a letter.
const outerToken = /[\t-\r ]+|\{|\}(?=[\t-\r ]|$)|[^\t-\r ]+/gu
const innerToken = /[\t-\r ]+|[{}/]|(?:\\[^\t-\r ]|[^\t-\r {}/])+/gu

/** Words, and the marks { / } each for itself. */
function tokensOf(text: string): string[] {
  const tokens: string[] = []
  let depth = 0
  let position = 0
  while (position < text.length) {
    const pattern = depth === 0 ? outerToken : innerToken
    pattern.lastIndex = position
    const token = pattern.exec(text)?.[0] ?? text.slice(position)
    position += token.length
    if (token === '{') depth += 1
    else if (token === '}') depth = Math.max(0, depth - 1)
    if (!/^[\t-\r ]/.test(token)) tokens.push(token)
  }
  return tokens
}

function readSequence(reader: Reader, isBranch: boolean): TranscriptPart[] {
  const parts: TranscriptPart[] = []
  let words: string[] = []
  const endWords = (): void => {
    if (words.length > 0) parts.push({ kind: 'words', words })
    words = []
  }
  for (;;) {
    const token = reader.tokens[reader.position]
    if (token === undefined || token === '}' || (isBranch && token === '/')) break
    if (token === '{') {
      const branches = readBranches(reader)
      // An alternation that is never closed leaves its mark standing, for the caller to report.
      if (branches === null) break
      endWords()
      parts.push({ kind: 'alternatives', branches })
      continue
    }
    reader.position += 1
    const { part, isTagged } = reader.hasTags ? readToken(token) : readWord(token)
    if (isTagged) reader.taggedCount += 1
    if (part?.kind === 'words') words.push(...part.words)
    else if (part !== null) {
      endWords()
      parts.push(part)
    }
  }
  endWords()
  // A branch that is an @ alone has no parts.
  return parts.length === 1 && parts[0] === unsaid ? [] : parts
}

function readBranches(reader: Reader): TranscriptPart[][] | null {
  const opening = reader.position
  const branches: TranscriptPart[][] = []
  reader.position += 1
  for (;;) {
    const before = reader.position
    branches.push(readSequence(reader, true))
    if (reader.position === before) reader.emptyAlternatives += 1
    const token = reader.tokens[reader.position]
    if (token !== '/' && token !== '}') {
      reader.position = opening
      return null
    }
    reader.position += 1
    if (token === '}') return branches
  }
}

interface ReadToken {
  /** Null for `@`, which says nothing; `unsaid` in the files of NIST. */
  readonly part: TranscriptPart | null
  readonly isTagged: boolean
}

/**
 * Reads one token of a NIST transcript: a word, an optional word `(uh)` or `@`, with or without tags (`w;tag;tag`).
 * A token that begins with a semicolon is the word `;`, since sclite counts it as one.
 *
 * @see SCTK, word.c (new_WORD_parseText)
 */
export function readToken(token: string): ReadToken {
  const [untagged = ''] = /^(?:\\.|[^;])*/s.exec(token) ?? []
  const isTagged = untagged.length < token.length && token !== ';'
  const { part } = readWord(untagged === '' ? ';' : untagged)
  return { part: part ?? unsaid, isTagged }
}

function readWord(token: string): ReadToken {
  if (token === '@') return { part: null, isTagged: false }
  const optional = /^\((.+)\)$/.exec(token)?.[1]
  const part: TranscriptPart =
    optional === undefined
      ? { kind: 'words', words: [withoutEscapes(token)] }
      : { kind: 'optional', word: withoutEscapes(optional) }
  return { part, isTagged: false }
}

function withoutEscapes(word: string): string {
  return word.replace(/\\([{}/@();\\])/g, '$1')
}

/**
 * A word as every reader of NIST transcripts takes it for a word. sclite has no way to escape braces and `@`, drops
 * backslashes, cuts words at semicolons and takes `;;` and `**` at the beginning of a line for comments; so these
 * characters are written as in a URL (`%7B`), the same on both sides. A percent sign that could be read so is too.
 *
 * @see SCTK, text.c (find_next_TEXT_token, TEXT_strndup_noEscape) and net_adt.c (expand_alternates)
 */
export function escapeWord(word: string, { optionalDeletions = false }: ScliteOptions = {}): string {
  if (word === '@') return percentCode(word)
  const escaped = escapeSpaces(word.replace(/[{};*\\]|%(?=[\da-f]{2})/gi, percentCode))
  // With optional deletions a word in parentheses is one that may be deleted, and is written as one.
  return optionalDeletions ? escaped : escaped.replace(/^\((.*)\)$/s, '%28$1%29')
}

/** A word on one line and without white space in ASCII, which jiwer leaves inside of words. */
export function escapeSpaces(word: string): string {
  return word.replace(/[\t-\r ]/g, percentCode)
}

function percentCode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Reads a NIST transcript file: a transcript a line, its id in parentheses at the end, `;;` before a comment.
 *
 *   the { big / large } cat (spk1-utt3)
 *
 * Ids are taken in lower case, since NIST's scorer pairs them without regard to case.
 *
 * @param text of a whole file, or of a part of one that ends at the end of a line
 * @param firstLine number of its first line
 * @returns what could be read, and a problem for every line that could not. Never throws.
 * @see SCTK, doc/infmts.htm
 */
export function parseTrn(text: string, firstLine = 1): ParsedTranscripts {
  const records: TranscriptRecord[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '' || content.startsWith(';;')) continue
    const match = /^(.*?)\(([^()]*)\)\s*$/s.exec(content)
    const id = match?.[2]?.trim().toLowerCase() ?? ''
    if (match === null || id === '') {
      problems.push({
        where: String(line),
        what: 'the line has no id',
        hint: 'end it with an id in parentheses: (speaker-utterance)',
      })
      continue
    }
    const written = match[1] as string
    const markup = parseMarkup(written, { hasTags: true })
    if (markup.ok) {
      const { parts, taggedCount } = markup
      records.push({ id, text: written.trim(), parts, taggedCount, speaker: speakerOf(id), tags: {}, line })
    } else problems.push({ where: String(line), what: `${markup.what} (${id})`, hint: markup.hint })
  }
  return { records, problems }
}

/**
 * The speaker that an utterance id names: the text before the first `-`, else before the first `_`, else the
 * first three characters, as in the ids of the Wall Street Journal corpus (4t0c0201).
 *
 * @see SCTK, align.c (extract_speaker)
 */
export function speakerOf(id: string): string {
  const dash = id.indexOf('-')
  const end = dash >= 0 ? dash : id.indexOf('_')
  return end >= 0 ? id.slice(0, end) : id.slice(0, 3)
}
