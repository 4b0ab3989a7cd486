import type { NumberWords } from './language-schema.ts'

/** A word that numbers are made of, or a part of a compound such as einundzwanzig. */
export interface NumberPart {
  readonly value: number
  /** Also an article: it is a number only next to something that is counted. */
  readonly isWeak: boolean
  /** Multiplies a number before it, and is none alone: millions. */
  readonly needsNumber: boolean
  /** How an ordinal is marked: 3º, or 3ª in languages that hear its gender; null for a cardinal. */
  readonly ordinal: 'º' | 'ª' | null
  /** The word itself, where its form is heard beside its value. */
  readonly form?: string
  /** That form is one of gender: before another part it is the usual one. */
  readonly isGendered?: boolean
}

/** The words of a language with what they mean. */
export type NumberLexicon = ReadonlyMap<string, NumberPart>

export function readLexicon(words: NumberWords): NumberLexicon {
  const lexicon = new Map<string, NumberPart>()
  const { ordinalEndings = [], ordinals = [], feminineOrdinals = [], cardinals, hearsForms } = words
  const add = (entries: NumberWords['cardinals'], ordinal: NumberPart['ordinal']): void => {
    for (const { value, ...kinds } of entries)
      for (const [kind, all = []] of Object.entries(kinds)) {
        const isGendered = kind === 'gendered'
        const hasForm = isGendered || kind === 'oblique' || (ordinal !== null && hearsForms === 'true')
        const part = {
          value: Number(value),
          ordinal,
          isWeak: kind === 'ambiguous',
          needsNumber: kind === 'multipliers',
        }
        for (const word of all.flatMap((stem) =>
          kind === 'stems' ? ordinalEndings.map((ending) => stem + ending) : [stem],
        ))
          lexicon.set(word, hasForm ? { ...part, form: word, isGendered } : part)
      }
  }
  add(ordinals, 'º')
  add(feminineOrdinals, 'ª')
  add(cardinals, null)
  return lexicon
}

/** How many compounds are remembered: numbers recur, and other words fail at once. */
const maxRemembered = 10_000

/**
 * Takes compounds apart.
 *
 * @param isNumber whether parts make one number
 * @returns for a word its parts, or null for a word that is no number; a word of the lexicon is its own only part
 */
export function partsFinder(
  lexicon: NumberLexicon,
  { compounds }: NumberWords,
  isNumber: (parts: readonly NumberPart[]) => boolean,
): (word: string) => readonly NumberPart[] | null {
  const partsByWord = new Map([...lexicon].map(([word, part]) => [word, [part]]))
  if (compounds === undefined) return (word) => partsByWord.get(word) ?? null
  const remembered = new Map<string, readonly NumberPart[] | null>()
  const pieces = [...lexicon.keys(), ...compounds.linkers].sort((a, b) => b.length - a.length)
  const all = new RegExp(`^(?:${pieces.join('|')})+$`, 'u')
  const linkers = new Set(compounds.linkers)
  const split = (rest: string, parts: readonly NumberPart[]): readonly NumberPart[] | null => {
    if (rest === '') return isNumber(parts) ? parts : null
    for (const piece of pieces) {
      if (!rest.startsWith(piece)) continue
      const part = lexicon.get(piece)
      const longer = part === undefined ? [...parts, linker] : [...parts, part]
      const isPossible = linkers.has(piece) || part !== undefined
      const found = isPossible ? split(rest.slice(piece.length), longer) : null
      if (found !== null) return found
    }
    return null
  }
  return (word) => {
    const before = remembered.get(word)
    if (before !== undefined) return before
    const parts = partsByWord.get(word) ?? (all.test(word) ? split(word, []) : null)
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(word, parts)
    return parts
  }
}

/** A syllable that links parts and has no value. */
export const linker: NumberPart = { value: Number.NaN, ordinal: null, isWeak: false, needsNumber: false }
