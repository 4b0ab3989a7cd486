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

/** How a language says numbers. Tables hold `word|word=value`, one space apart. */
export interface NumberWords {
  /** A `?` after a word: also an article. A `~`: none without a number before it. A `!`: another form than the first. A `%`: another gender. */
  readonly cardinals: string
  /** Words; with a `-` at its end a stem, which takes every one of the endings. */
  readonly ordinals?: string
  readonly ordinalEndings?: string
  /** Ordinals whose gender is heard. */
  readonly feminineOrdinals?: string
  /** Numbers are written as one word, with these syllables between their parts. */
  readonly compounds?: { readonly linkers: readonly string[] }
  /** Twenty after its ones: einundzwanzig; always, or besides the other order. */
  readonly isInverted?: 'always' | 'too'
  /** Ten thousands, not thousands, are what larger numbers are counted in. */
  readonly countsMyriads?: boolean
  /** Ones are joined to their tens: two words are two numbers. */
  readonly joinsTens?: boolean
  /** Number words are written with hyphens, which end no number: vingt-cinq. */
  readonly joinedByHyphen?: boolean
  /** Ten takes ones as the other tens do: on bir is eleven. */
  readonly tenTakesOnes?: boolean
  /** Sixty and ten is seventy, four twenties are eighty. */
  readonly isVigesimal?: boolean
  /** A word that can be between parts: after tens, after hundreds and more, or after both. */
  readonly and?: {
    readonly word: string
    readonly after: 'tens' | 'hundreds' | 'both'
    readonly tensNeedIt?: true
  }
  /** 200 to 900 are words, so that a hundred multiplies none: сім сто is seven and a hundred. */
  readonly hundredsAreWords?: boolean
  /** Two forms of one number are two, if both were said; a written figure may be said in any, or has its ending: `written`. */
  readonly hearsForms?: true | 'written'
  /** Words after which a written figure may also be said as an ordinal: o 9 is o dziewiątej. */
  readonly ordinalAfter?: string
  /** A century and the years in it are said as two numbers: nineteen eighty four. */
  readonly saysYearsInPairs?: boolean
}

/** The words of a language with what they mean. */
export type NumberLexicon = ReadonlyMap<string, NumberPart>

export function readLexicon(words: NumberWords): NumberLexicon {
  const lexicon = new Map<string, NumberPart>()
  const endings = words.ordinalEndings?.split(' ') ?? []
  const add = (table: string, ordinal: NumberPart['ordinal']): void => {
    for (const [word, value] of entriesOf(table)) {
      const plain = word.replace(/[?~!%-]$/, '')
      const part = { value, ordinal, isWeak: word.endsWith('?'), needsNumber: word.endsWith('~') }
      const isGendered = word.endsWith('%')
      const hasForm = isGendered || word.endsWith('!') || (ordinal !== null && words.hearsForms === true)
      for (const ending of word.endsWith('-') ? endings : [''])
        lexicon.set(plain + ending, hasForm ? { ...part, form: plain + ending, isGendered } : part)
    }
  }
  add(words.ordinals ?? '', 'º')
  add(words.feminineOrdinals ?? '', 'ª')
  add(words.cardinals, null)
  return lexicon
}

function entriesOf(table: string): [string, number][] {
  return table
    .split(/\s+/)
    .filter((entry) => entry !== '')
    .flatMap((entry) => {
      const [words = '', value = ''] = entry.split('=')
      return words.split('|').map((word): [string, number] => [word.replaceAll('_', ' '), Number(value)])
    })
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
  const known = new Map([...lexicon].map(([word, part]) => [word, [part]]))
  if (compounds === undefined) return (word) => known.get(word) ?? null
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
    const parts = known.get(word) ?? (all.test(word) ? split(word, []) : null)
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(word, parts)
    return parts
  }
}

/** A syllable that links parts and has no value. */
export const linker: NumberPart = { value: Number.NaN, ordinal: null, isWeak: false, needsNumber: false }
