import type { TranscriptPart } from '../alignment/network.ts'

/** A transcript with its choices, or what is wrong with its markup. */
export type ParsedMarkup =
  | { readonly ok: true; readonly parts: readonly TranscriptPart[] }
  | { readonly ok: false; readonly what: string; readonly hint: string }

/**
 * Reads the markup of NIST transcripts: `{ a / b c / @ }` are alternatives, `@` is nothing, `(uh)` is a word
 * that need not be said. Outside of braces, marks count only where a word begins, so `and/or` and `f(x)` are
 * words; inside, they count anywhere. A backslash makes a mark a letter.
 *
 * @see SCTK, Network_create_from_TEXT and doc/infmts.htm
 */
export function parseMarkup(text: string): ParsedMarkup {
  const reader: Reader = { tokens: tokensOf(text), position: 0, emptyAlternatives: 0 }
  const parts = readSequence(reader, false)
  if (reader.emptyAlternatives > 0) {
    return {
      ok: false,
      what: 'an alternative is empty',
      hint: 'write @ for an alternative that says nothing',
    }
  }
  const next = reader.tokens[reader.position]
  if (next === undefined) return { ok: true, parts }
  return next === '}'
    ? { ok: false, what: 'a } closes what no { opened', hint: 'remove it, or write \\} for the character' }
    : {
        ok: false,
        what: 'a { is never closed',
        hint: 'close the alternatives with }, or write \\{ for the character',
      }
}

interface Reader {
  readonly tokens: readonly string[]
  position: number
  emptyAlternatives: number
}

const outerToken = /\s+|\{|\}(?=\s|$)|(?:\\.|[^\s])+/gu
const innerToken = /\s+|[{}/]|(?:\\.|[^\s{}/])+/gu

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
    if (token.trim() !== '') tokens.push(token)
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
    if (token === '@') continue
    const optional = /^\((.+)\)$/.exec(token)?.[1]
    if (optional === undefined) words.push(withoutEscapes(token))
    else {
      endWords()
      parts.push({ kind: 'optional', word: withoutEscapes(optional) })
    }
  }
  endWords()
  return parts
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

function withoutEscapes(word: string): string {
  return word.replace(/\\([{}/@()\\])/g, '$1')
}

/** A word as it can stand in a NIST transcript, with a backslash before what would be read as markup. */
export function escapeWord(word: string): string {
  if (word === '@' || word === '/') return `\\${word}`
  return word.replace(/^[{(]|[})]$/g, '\\$&')
}
