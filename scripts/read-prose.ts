/** Splits Markdown and YAML into sentences, and finds words that the project does not use. */

export interface Sentence {
  readonly text: string
  /** Of the line that it begins on, from 1. */
  readonly line: number
  readonly isInTable: boolean
  readonly wordCount: number
}

type Passage = Pick<Sentence, 'text' | 'line'>

/** Idiom that plain technical English does without. */
const idiom = /\b(?:told|tells|tell|somebody|whoever|nobody|bears|stands|beside|of (?:its|their) own)\b/giu

/** A list item, a row of a table, a heading or a quotation is a passage by itself. */
const beginsPassage = /^\s*(?:[-*+] |\d+\. |\||#|>)/

/** The sentences of a Markdown page; a list item and a cell of a table end one too. Code blocks have none. */
export function readSentences(markdown: string): Sentence[] {
  return readPassages(withoutCodeBlocks(markdown))
    .flatMap(splitPassage)
    .filter(({ wordCount }) => wordCount > 0)
}

/** Lines that hold idiom outside code and quotations, with the word. */
export function findIdiom(text: string): { readonly line: number; readonly word: string }[] {
  return withoutCodeBlocks(text)
    .split('\n')
    .flatMap((content, index) =>
      [...withoutQuotations(plain(content)).matchAll(idiom)].map(([word]) => ({ line: index + 1, word })),
    )
}

/** Lines keep their numbers. */
function withoutCodeBlocks(markdown: string): string {
  const blank = (block: string): string => block.replace(/[^\n]/g, '')
  return markdown.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank).replace(/<!--[\s\S]*?-->/g, blank)
}

function readPassages(markdown: string): Passage[] {
  const passages: { text: string; line: number }[] = []
  let isOpen = false
  for (const [index, content] of markdown.split('\n').entries()) {
    const begins = !isOpen || beginsPassage.test(content)
    if (content.trim() !== '' && begins) passages.push({ text: content.trim(), line: index + 1 })
    else if (content.trim() !== '') (passages.at(-1) as { text: string }).text += ` ${content.trim()}`
    isOpen = content.trim() !== '' && !/^\s*[#|]/.test(content)
  }
  return passages
}

function splitPassage({ text, line }: Passage): Sentence[] {
  if (/^#|^\|[\s|:-]+\|$/.test(text)) return []
  const marked = text.replace(/^(?:[-*+] |\d+\. |> )/, '')
  const isInTable = text.startsWith('|')
  const parts = isInTable ? marked.split(/(?<!\\)\|/) : [marked]
  return parts
    .flatMap((part) => plain(part).split(/(?<=[.!?]["”’)]*)\s+(?=["“‘(]*[\p{Lu}\d~])/u))
    .map((sentence) => ({ text: sentence.trim(), line, isInTable, wordCount: countWords(sentence) }))
}

/** Text as it is read: a link by its words, code as one word. */
function plain(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/`[^`]*`/g, 'Code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__/g, '')
}

function withoutQuotations(text: string): string {
  return text.replace(/"[^"]*"|“[^”]*”/g, '')
}

/** Lone symbols are no words. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
