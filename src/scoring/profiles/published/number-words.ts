/** What a word means to the number stage. `value` in whole numbers, suffixes and signs as written. */
export type NumberWord =
  | { readonly kind: 'zero' }
  | { readonly kind: 'one' | 'ten'; readonly value: bigint }
  | { readonly kind: 'suffixedOne' | 'suffixedTen'; readonly value: bigint; readonly suffix: string }
  | { readonly kind: 'multiplier'; readonly value: bigint }
  | { readonly kind: 'suffixedMultiplier'; readonly value: bigint; readonly suffix: string }
  | { readonly kind: 'sign' | 'currency'; readonly symbol: string }
  | { readonly kind: 'percent' | 'per' | 'and' | 'point' }
  | { readonly kind: 'repeat'; readonly times: number }

const ones =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const irregularOrdinals: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  twelve: 'twelfth',
}
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const powersOfThousand =
  'thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion'.split(
    ' ',
  )
const currencies: Readonly<Record<string, string>> = {
  pound: '£',
  pounds: '£',
  euro: '€',
  euros: '€',
  dollar: '$',
  dollars: '$',
  cent: '¢',
  cents: '¢',
}

/** Every word that the number stage knows. */
export function numberWords(): Map<string, NumberWord> {
  const words = new Map<string, NumberWord>()
  for (const zero of ['o', 'oh', 'zero']) words.set(zero, { kind: 'zero' })
  words.set('zeroth', { kind: 'suffixedOne', value: 0n, suffix: 'th' })
  for (const [index, word] of ones.entries()) addOnes(words, word, BigInt(index + 1))
  for (const [index, word] of tens.entries()) {
    const value = BigInt((index + 2) * 10)
    words.set(word, { kind: 'ten', value })
    words.set(word.replace('y', 'ies'), { kind: 'suffixedTen', value, suffix: 's' })
    words.set(word.replace('y', 'ieth'), { kind: 'suffixedTen', value, suffix: 'th' })
  }
  addMultiplier(words, 'hundred', 100n)
  for (const [index, word] of powersOfThousand.entries())
    addMultiplier(words, word, 1000n ** BigInt(index + 1))
  for (const minus of ['minus', 'negative']) words.set(minus, { kind: 'sign', symbol: '-' })
  for (const plus of ['plus', 'positive']) words.set(plus, { kind: 'sign', symbol: '+' })
  for (const [word, symbol] of Object.entries(currencies)) words.set(word, { kind: 'currency', symbol })
  for (const kind of ['percent', 'per', 'and', 'point'] as const) words.set(kind, { kind })
  words.set('double', { kind: 'repeat', times: 2 })
  words.set('triple', { kind: 'repeat', times: 3 })
  return words
}

function addOnes(words: Map<string, NumberWord>, word: string, value: bigint): void {
  words.set(word, { kind: 'one', value })
  words.set(word === 'six' ? 'sixes' : `${word}s`, { kind: 'suffixedOne', value, suffix: 's' })
  const suffix = value === 1n ? 'st' : value === 2n ? 'nd' : value === 3n ? 'rd' : 'th'
  words.set(irregularOrdinals[word] ?? `${word}th`, { kind: 'suffixedOne', value, suffix })
}

function addMultiplier(words: Map<string, NumberWord>, word: string, value: bigint): void {
  words.set(word, { kind: 'multiplier', value })
  words.set(`${word}s`, { kind: 'suffixedMultiplier', value, suffix: 's' })
  words.set(`${word}th`, { kind: 'suffixedMultiplier', value, suffix: 'th' })
}
