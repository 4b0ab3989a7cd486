/** Reads the names of tests, and finds those that are no sentences. */
import nlp from 'compromise'

export interface TestName {
  /** Of its describe blocks, outermost first, and its own as the last one. */
  readonly names: readonly string[]
  /** From 1. */
  readonly line: number
}

const minWords = 4

const callHead = /^([ \t]*)(describe|test)\b(?=[.(])/gm

/** The first text after the head that is an argument with a function or options after it: tables of cases come before. */
const nameArgument =
  /[\w)\]]\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1\s*,\s*(?=async|\(|\{|function|[a-z]\w*\s*(?:=>|,|\)))/

/** The tests of a file in their order. Blocks are nested as they are indented. */
export function readTestNames(source: string): TestName[] {
  const blocks: { readonly indent: number; readonly name: string }[] = []
  return [...source.matchAll(callHead)].flatMap((head) => {
    const [text, { length: indent } = '', kind] = head
    while ((blocks.at(-1)?.indent ?? -1) >= indent) blocks.pop()
    const name = nameArgument.exec(source.slice(head.index + text.length - 1))?.[2] ?? ''
    if (kind === 'describe') blocks.push({ indent, name })
    if (kind === 'describe') return []
    const line = source.slice(0, head.index + indent).split('\n').length
    return [{ names: [...blocks.map((block) => block.name), name], line }]
  })
}

/**
 * Why a name is no sentence. The names of the describe blocks and of the test are read as one: together they have at
 * least four words and a finite verb. A test begins with no conjunction, because it would continue another test.
 *
 * @returns null for a sentence
 */
export function faultOfTestName({ names }: Pick<TestName, 'names'>): string | null {
  const words = names
    .join(' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}%$]/u.test(word))
  if (words.length < minWords) return `has ${words.length} words, at least ${minWords}`
  if (/^(?:and|or|nor|but)\b/i.test(names.at(-1) ?? '')) return 'begins with a conjunction'
  return names.some(hasVerb) ? null : 'has no verb'
}

function hasVerb(name: string): boolean {
  const plain = name.replace(/%[a-z#]|\$\{[^}]*\}|\$[\w.]+/g, 'it').replace(/`[^`]*`|"[^"]*"|“[^”]*”/g, 'it')
  // A verb at the beginning has the unit under test as its subject; without one it may be read as a noun.
  const sentence = /^[a-z]+s\b/.test(plain) ? `it ${plain}` : plain
  return nlp(sentence).has('(#PresentTense|#PastTense|#Copula|#Modal|#Auxiliary)')
}
