import { lazily } from '#prelude'
import { type Stage, wordStage } from '../profile.ts'
import { readTable } from '../published/spelling-table.ts'

export interface PhraseRules {
  /** As `readTable` takes it: each word or phrase that is written in several ways, with the one that all become. */
  readonly table: string
  /** Prefixes that are no words: they are joined to the word after them. */
  readonly prefixes: readonly string[]
  /** Words whose meaning hangs on their neighbours. */
  readonly ambiguous: Readonly<
    Record<string, (next: string | undefined, previous: string | undefined) => string>
  >
}

/** A word or phrase with what is written for it. */
interface Phrase {
  /** Words after the first one. */
  readonly rest: readonly string[]
  readonly to: readonly string[] | PhraseRules['ambiguous'][string]
}

/** Phrases by their first word, the longest first. */
type PhraseIndex = ReadonlyMap<string, readonly Phrase[]>

function indexPhrases({ table, ambiguous }: PhraseRules): PhraseIndex {
  const index = new Map<string, Phrase[]>()
  const add = (from: string, to: Phrase['to']): void => {
    const [first = '', ...rest] = from.split(' ')
    const phrases = [...(index.get(first) ?? []), { rest, to }]
    index.set(
      first,
      phrases.sort((a, b) => b.rest.length - a.rest.length),
    )
  }
  for (const [from, to] of readTable(table)) add(from, to.split(' '))
  for (const [word, choose] of Object.entries(ambiguous)) add(word, choose)
  return index
}

/** Every word that a phrase is made of: what means something to the stage. */
export function phraseWords({ table, prefixes, ambiguous }: PhraseRules): ReadonlySet<string> {
  return new Set(
    [...readTable(table).keys(), ...prefixes, ...Object.keys(ambiguous)].flatMap((from) => from.split(' ')),
  )
}

/** A stage that writes words and phrases in one way. What it has written is not looked at again. */
export function phraseStage(
  { table, prefixes, ambiguous }: PhraseRules,
  isNumberWord: (word: string) => boolean,
  example: Stage['example'],
): Stage {
  const index = lazily(() => indexPhrases({ table, prefixes, ambiguous }))
  const isPrefix = new Set(prefixes)
  const canJoin = (word: string): boolean =>
    word.length > 2 && /^[a-z]+$/.test(word) && !isPrefix.has(word) && !isNumberWord(word)
  return wordStage({
    name: 'words and phrases',
    does: 'Words and phrases that are written in several ways get one: titles, abbreviations, compounds, reductions.',
    example,
    settings: { table, prefixes, ambiguous: Object.keys(ambiguous) },
    concerns: (word) => isPrefix.has(word) || index().has(withoutPossessive(word)),
    applyToWords(words) {
      const phrases = index()
      const phraseAt = (at: number): Phrase | undefined =>
        phrases.get(withoutPossessive(words[at] as string))?.find(({ rest }) => follows(rest, words, at))
      // Many words begin a phrase, and few go on with it.
      const first = words.findIndex((word, at) => isPrefix.has(word) || phraseAt(at) !== undefined)
      if (first < 0) return words
      let hasPrefix = false
      const written = words.slice(0, first)
      for (let at = first; at < words.length; at += 1) {
        const word = words[at] as string
        const phrase = phraseAt(at)
        if (phrase === undefined) written.push(word)
        else {
          written.push(
            ...(typeof phrase.to === 'function' ? [phrase.to(words[at + 1], words[at - 1])] : phrase.to),
          )
          at += phrase.rest.length
          if (isPossessive(words[at] as string)) written.push(possessive(written.pop() as string))
        }
        hasPrefix ||= isPrefix.has(word)
      }
      return hasPrefix ? joinPrefixes(written, isPrefix, canJoin) : written
    },
  })
}

/** Whether the words of a phrase follow its first one; the last word of the phrase can be a possessive. */
function follows(rest: readonly string[], words: readonly string[], at: number): boolean {
  if (rest.length > 0 && isPossessive(words[at] as string)) return false
  for (let index = 0; index < rest.length; index += 1) {
    const word = words[at + 1 + index] ?? ''
    const isLast = index === rest.length - 1
    if ((isLast ? withoutPossessive(word) : word) !== rest[index]) return false
  }
  return true
}

function isPossessive(word: string): boolean {
  return word.endsWith("'s")
}

/** Figures take no apostrophe: Rocky II's is rocky 2s, as 1990's is 1990s. */
function possessive(word: string): string {
  return /\d$/.test(word) ? `${word}s` : `${word}'s`
}

function withoutPossessive(word: string): string {
  return isPossessive(word) ? word.slice(0, -2) : word
}

/** Goes from the end, so that prefixes before prefixes are joined too: anti non profit. */
function joinPrefixes(
  words: readonly string[],
  isPrefix: ReadonlySet<string>,
  canJoin: (word: string) => boolean,
): readonly string[] {
  const written: string[] = []
  for (const word of words.toReversed()) {
    const after = written.at(-1)
    if (after !== undefined && isPrefix.has(word) && canJoin(after))
      written[written.length - 1] = word + after
    else written.push(word)
  }
  return written.reverse()
}
