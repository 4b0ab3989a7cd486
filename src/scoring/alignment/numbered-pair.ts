/** Two token lists, numbered. */
export interface NumberedPair {
  readonly reference: Int32Array
  readonly hypothesis: Int32Array
  readonly vocabularySize: number
}

/** Numbers the tokens of a pair in order of appearance, so that the alignment compares whole numbers. */
export function numberTokens(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
  const ids = new Map<string, number>()
  const number = (tokens: readonly string[]): Int32Array => {
    const numbers = new Int32Array(tokens.length)
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] as string
      const id = ids.get(token) ?? ids.size
      if (id === ids.size) ids.set(token, id)
      numbers[at] = id
    }
    return numbers
  }
  const [said, heard] = [number(reference), number(hypothesis)]
  return { reference: said, hypothesis: heard, vocabularySize: ids.size }
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
