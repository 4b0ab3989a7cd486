/** Two token lists, numbered. */
export interface NumberedPair {
  readonly reference: Int32Array
  readonly hypothesis: Int32Array
  readonly vocabularySize: number
}

// Characters of one code unit below this have the numbers of their codes.
const plainCodes = 128

/** Numbers the tokens of a pair, so that the alignment compares whole numbers. */
export function numberTokens(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
  return numberPlainCharacters(reference, hypothesis) ?? numberByAppearance(reference, hypothesis)
}

/** Null where a token is anything but an ASCII character. */
function numberPlainCharacters(
  reference: readonly string[],
  hypothesis: readonly string[],
): NumberedPair | null {
  const codes = [codesOf(reference), codesOf(hypothesis)]
  const [said, heard] = codes
  if (said === null || said === undefined || heard === null || heard === undefined) return null
  return { reference: said, hypothesis: heard, vocabularySize: plainCodes }
}

function codesOf(tokens: readonly string[]): Int32Array | null {
  // Nearly every list of words shows at its first token that it is none of characters.
  if ((tokens[0]?.length ?? 1) > 1) return null
  const codes = new Int32Array(tokens.length)
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    const code = token.charCodeAt(0)
    if (token.length !== 1 || code >= plainCodes) return null
    codes[index] = code
  }
  return codes
}

/** So many tokens are looked for one by one: that takes less time than a table does. */
const few = 24

function numberByAppearance(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
  const ids = reference.length + hypothesis.length <= few ? idsOfFew() : idsOfMany()
  const number = (tokens: readonly string[]): Int32Array => {
    const numbered = new Int32Array(tokens.length)
    for (let index = 0; index < tokens.length; index += 1) numbered[index] = ids.of(tokens[index] as string)
    return numbered
  }
  const numberedReference = number(reference)
  const numberedHypothesis = number(hypothesis)
  return { reference: numberedReference, hypothesis: numberedHypothesis, vocabularySize: ids.size() }
}

/** Numbers for tokens, from 0. */
interface TokenIds {
  of(token: string): number
  size(): number
}

function idsOfFew(): TokenIds {
  const known: string[] = []
  return {
    of(token) {
      const at = known.indexOf(token)
      return at < 0 ? known.push(token) - 1 : at
    },
    size: () => known.length,
  }
}

function idsOfMany(): TokenIds {
  const ids = new Map<string, number>()
  return {
    of(token) {
      const known = ids.get(token)
      if (known !== undefined) return known
      ids.set(token, ids.size)
      return ids.size - 1
    },
    size: () => ids.size,
  }
}

const space = 0x20

/** The different words of a pair: a hash table, kept from pair to pair, since most pairs are short. */
interface WordTable {
  /** By hash, the number of a word + 1; 0 is free. */
  slots: Int32Array
  /** By number: where the word appears first, its length and its hash. */
  starts: Int32Array
  lengths: Int32Array
  hashes: Int32Array
  /** The words of both texts, in order, as their numbers. */
  numbers: Int32Array
  wordCount: number
}

const table: WordTable = /* @__PURE__ */ emptyTable(512)

function emptyTable(size: number): WordTable {
  const column = (): Int32Array => new Int32Array(size)
  return {
    slots: column(),
    starts: column(),
    lengths: column(),
    hashes: column(),
    numbers: column(),
    wordCount: 0,
  }
}

/**
 * Numbers the words of two texts in order of appearance: as `numberTokens` numbers a list of words, without making a string
 * of each.
 *
 * @param reference words one space apart, at least one
 * @param hypothesis the same
 * @returns good until the next call, which writes into the same array
 */
export function numberWords(reference: string, hypothesis: string): NumberedPair {
  const text = `${reference} ${hypothesis}`
  // A power of two above the number of characters: more than twice the words.
  const slotCount = 2 ** (32 - Math.clz32(text.length))
  if (table.slots.length < slotCount) Object.assign(table, emptyTable(slotCount))
  table.slots.fill(0, 0, slotCount)
  table.wordCount = 0
  const { numbers } = table
  let count = 0
  let referenceCount = 0
  let start = 0
  let hash = 0
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? space : text.charCodeAt(at)
    if (code !== space) {
      hash = (Math.imul(hash, 31) + code) | 0
      continue
    }
    numbers[count] = numberOf(text, start, at - start, hash, slotCount - 1)
    count += 1
    if (at === reference.length) referenceCount = count
    start = at + 1
    hash = 0
  }
  return {
    reference: numbers.subarray(0, referenceCount),
    hypothesis: numbers.subarray(referenceCount, count),
    vocabularySize: table.wordCount,
  }
}

/** The number of a word of a text: that of its first appearance, or the next one. */
function numberOf(text: string, start: number, length: number, hash: number, mask: number): number {
  const { slots, starts, lengths, hashes } = table
  for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
    const known = (slots[slot] as number) - 1
    if (known < 0) {
      const number = table.wordCount
      slots[slot] = number + 1
      starts[number] = start
      lengths[number] = length
      hashes[number] = hash
      table.wordCount += 1
      return number
    }
    const isSame =
      hashes[known] === hash &&
      lengths[known] === length &&
      isSameText(text, starts[known] as number, start, length)
    if (isSame) return known
  }
}

function isSameText(text: string, start: number, otherStart: number, length: number): boolean {
  for (let at = 0; at < length; at += 1) {
    if (text.charCodeAt(start + at) !== text.charCodeAt(otherStart + at)) return false
  }
  return true
}

/** The four moves of an alignment's path, as small numbers for typed arrays. */
export const move = { hit: 0, substitution: 1, deletion: 2, insertion: 3 } as const

/** The path from the last corner of a matrix towards its first, and the moves that were found on it. */
export interface Walk {
  readonly moves: Uint8Array
  /** Index of the last written move. */
  at: number
  row: number
  column: number
}

/**
 * Finds the moves of a pair from its end.
 *
 * @param goBack walks until one side is used up; not called where one is empty. The words left on the other side
 *   become deletions or insertions
 * @returns moves in reading order
 */
export function movesFromEnd(pair: NumberedPair, goBack: (walk: Walk) => void): Uint8Array {
  const { reference, hypothesis } = pair
  const moves = new Uint8Array(reference.length + hypothesis.length)
  const walk: Walk = { moves, at: moves.length, row: reference.length, column: hypothesis.length }
  if (reference.length > 0 && hypothesis.length > 0) goBack(walk)
  const { at, row, column } = walk
  moves.fill(move.deletion, at - row, at)
  moves.fill(move.insertion, at - row - column, at - row)
  return moves.subarray(at - row - column)
}
