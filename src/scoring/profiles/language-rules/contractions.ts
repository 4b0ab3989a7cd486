import { type Stage, wordStage } from '../profile.ts'

export interface ContractionRules {
  /** Words that are written out as a whole: `won't` is `will not`. */
  readonly whole: Readonly<Record<string, string>>
  /** Verbs that take n't, by the form that is left: `ca` for can't. */
  readonly negated: readonly string[]
  /** Meaning of the letters after an apostrophe: `ll` for `will`. */
  readonly endings: Readonly<Record<string, string>>
  /** Their meaning before certain words: 'd been is had been. */
  readonly endingsBefore: Readonly<
    Record<string, { readonly next: readonly string[]; readonly word: string }>
  >
  /** Words that leave open what they mean, as alternatives in one token: he's seen is he is seen or he has seen. */
  readonly openBefore?: Readonly<
    Record<string, { readonly next: readonly string[]; readonly pattern?: string; readonly word: string }>
  >
  /** Words after which an ending may be a verb or a possessive, with the verbs, as in `somebody's`. */
  readonly openAfter?: Readonly<
    Record<string, { readonly bases: readonly string[]; readonly meanings: readonly string[] }>
  >
  /** Words after which alone 's is a verb; after all others it is a possessive, and stays. */
  readonly takesIs: readonly string[]
}

/**
 * A stage that writes contractions out.
 *
 * @param isFiller whether a word would be dropped if it were alone: such a word keeps its ending
 */
export function contractionStage(
  rules: ContractionRules,
  isFiller: (word: string) => boolean,
  example: Stage['example'],
): Stage {
  const expand = expander(rules, isFiller)
  return wordStage({
    name: 'contractions',
    does: 'Contractions are written out: won’t, I’m, they’d’ve; ’s only where it is a verb.',
    example,
    settings: JSON.stringify(rules),
    concerns: hasApostrophe,
    applyToWords(words) {
      const written: string[] = []
      for (const [at, word] of words.entries()) {
        if (hasApostrophe(word)) written.push(...expand(word, words[at + 1]).split(' '))
        else written.push(word)
      }
      return written
    },
  })
}

function hasApostrophe(word: string): boolean {
  return word.includes("'")
}

function expander(
  rules: ContractionRules,
  isFiller: (word: string) => boolean,
): (token: string, next: string | undefined) => string {
  const whole = new Map(Object.entries(rules.whole))
  const endings = new Map(Object.entries(rules.endings))
  const before = new Map(Object.entries(rules.endingsBefore))
  const negated = new Set(rules.negated)
  const takesIs = new Set(rules.takesIs)
  const openAfter = new Map(
    Object.entries(rules.openAfter ?? {}).flatMap(([ending, { bases, meanings }]) =>
      bases.map((base): [string, string] => {
        const token = `${base}'${ending}`
        return [token, [token, token, ...meanings.map((word) => `${base}_${word}`)].join('|')]
      }),
    ),
  )
  const open = new Map(
    Object.entries(rules.openBefore ?? {}).map(([ending, { next, pattern, word }]) => [
      ending,
      { next: new Set(next), pattern: pattern === undefined ? null : new RegExp(pattern), word },
    ]),
  )
  const meaning = (base: string, ending: string, next: string): string | undefined => {
    const earlier = before.get(ending)
    if (earlier?.next.includes(next) === true) return earlier.word
    const either = open.get(ending)
    const isOpen = either !== undefined && (either.next.has(next) || either.pattern?.test(next) === true)
    if (isOpen && (ending !== 's' || takesIs.has(base))) return either.word
    return ending !== 's' || takesIs.has(base) ? endings.get(ending) : undefined
  }
  const expand = (token: string, next: string): string => {
    const known = whole.get(token) ?? openAfter.get(token)
    if (known !== undefined) return known
    const at = token.lastIndexOf("'")
    const base = token.slice(0, at)
    const ending = token.slice(at + 1)
    if (ending === 't' && base.endsWith('n') && negated.has(base.slice(0, -1)))
      return `${base.slice(0, -1)} not`
    const word = base === '' || isFiller(base) ? undefined : meaning(base, ending, next)
    if (word === undefined) return token
    return `${base.includes("'") ? expand(base, word) : base} ${word}`
  }
  return (token, next = '') => expand(token, next)
}
