import { basic } from '../profiles/basic.ts'
import { normalise } from '../profiles/profile.ts'
import { tokeniseWords } from '../tokens.ts'

/** Marks that are judged, and what is taken for them in other scripts. */
const marks: Readonly<Record<string, string>> = {
  '.': '.',
  '。': '.',
  '।': '.',
  '۔': '.',
  '．': '.',
  ',': ',',
  '、': ',',
  '，': ',',
  '،': ',',
  '?': '?',
  '？': '?',
  '؟': '?',
  '!': '!',
  '！': '!',
  ':': ':',
  '：': ':',
  ';': ';',
  '；': ';',
  '؛': ';',
  '…': '…',
}

/** A word as it was written, what it is compared by, and the marks right after it. */
export interface WrittenWord {
  readonly word: string
  /** Null where one written word became several and its letters cannot be assigned. */
  readonly written: string | null
  readonly marksAfter: readonly string[]
  /** A quotation begins with it. */
  readonly opensQuotation: boolean
}

/** Text between two spaces: a body, and the marks that it ends in. */
export interface WrittenToken {
  readonly body: string
  readonly marks: readonly string[]
  /** Letters and digits of ASCII alone: one word, whatever is made of it. */
  readonly isPlain: boolean
}

const noMarks: readonly string[] = []
const plain = /^[A-Za-z0-9]+$/
const plainBeforeMarks = /^([A-Za-z0-9]+)([^\p{L}\p{N}\p{M}]+)$/u
const openingQuote = /^["'“„«‹‘‚「『]/u
const atEnd = /[^\p{L}\p{N}\p{M}]*$/u

/** A text cut at its spaces. */
export function writtenTokens(text: string): WrittenToken[] {
  return text.split(/\s+/).map((token) => {
    if (plain.test(token)) return { body: token, marks: noMarks, isPlain: true }
    const parts = plainBeforeMarks.exec(token)
    if (parts !== null) return { body: parts[1] ?? '', marks: marksIn(parts[2] ?? ''), isPlain: true }
    const end = atEnd.exec(token)?.[0] ?? ''
    return { body: token.slice(0, token.length - end.length), marks: marksIn(end), isPlain: false }
  })
}

/** The words of a text, compared as `basic` compares them. */
export function writtenWords(tokens: readonly WrittenToken[]): WrittenWord[] {
  const words: WrittenWord[] = []
  for (const { body, marks: marksAfter, isPlain } of tokens) {
    if (isPlain) {
      words.push({ word: body.toLowerCase(), written: body, marksAfter, opensQuotation: false })
      continue
    }
    const normalised = tokeniseWords(normalise(body, basic), basic.words)
    const pieces = body.split(/[^\p{L}\p{N}\p{M}'’]+/u).filter((piece) => piece !== '')
    for (const [index, word] of normalised.entries()) {
      const written = pieces.length === normalised.length ? (pieces[index] as string) : null
      words.push({
        word,
        written,
        marksAfter: index === normalised.length - 1 ? marksAfter : noMarks,
        opensQuotation: index === 0 && openingQuote.test(body),
      })
    }
    // Separate marks belong to the word before them.
    const last = words.at(-1)
    if (normalised.length === 0 && last !== undefined) {
      words[words.length - 1] = { ...last, marksAfter: [...last.marksAfter, ...marksAfter] }
    }
  }
  return words
}

function marksIn(text: string): readonly string[] {
  if (text === '') return noMarks
  return Array.from(text.replace(/\.{2,}/g, '…'), (mark) => marks[mark] ?? '').filter((mark) => mark !== '')
}

/** Words as written, without other symbols, and each mark as a separate word. */
export function formattedWords(tokens: readonly WrittenToken[]): string[] {
  const words: string[] = []
  for (const { body, marks: marksAfter, isPlain } of tokens) {
    const word = isPlain ? body : body.replace(/^[^\p{L}\p{N}\p{M}]+/u, '').replaceAll('’', "'")
    if (word !== '') words.push(word)
    words.push(...marksAfter)
  }
  return words
}
