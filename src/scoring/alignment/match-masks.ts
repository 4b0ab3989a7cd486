/** Rows of a token as a bit mask, 32 rows per word. */
export interface MatchMasks {
  /** Words of all blocks; those of the asked token begin at the returned offset, until the next call. */
  words: Int32Array
  /** Makes the words of a token ready for the blocks `first` to `last` and returns their offset. */
  select(token: number, first: number, last: number): number
}

/**
 * The rows of every token of the reference.
 *
 * Tokens that fill more than an eighth of the blocks have all their words written out (at most 256 of them,
 * since they share the rows); the rows of the others are listed, and set in one shared strip of words when
 * they are asked for. So memory is linear in the reference, and asking costs less than a pass over the blocks.
 */
export function matchMasks(reference: Int32Array, vocabularySize: number): MatchMasks {
  const blockCount = Math.ceil(reference.length / 32)
  if (blockCount <= smallBlockCount) return smallMasks(reference, vocabularySize, blockCount)
  const starts = rowStarts(reference, vocabularySize)
  const rows = sortedRows(reference, starts)
  const offsets = new Int32Array(vocabularySize).fill(-1)
  // The strip for listed tokens comes first, the written-out tokens follow.
  let size = blockCount
  for (let token = 0; token < vocabularySize; token += 1) {
    if ((starts[token + 1] as number) - (starts[token] as number) < blockCount / 8) continue
    offsets[token] = size
    size += blockCount
  }
  const words = new Int32Array(size)
  for (let row = 0; row < reference.length; row += 1) {
    const offset = offsets[reference[row] as number] as number
    if (offset >= 0) setRow(words, offset, row)
  }
  const strip = stripOf(words, rows, starts)
  return {
    words,
    select(token, first, last) {
      const offset = offsets[token] as number
      if (offset >= 0) return offset
      strip(token, first, last)
      return 0
    },
  }
}

const smallBlockCount = 16

/** For a short reference the words of all tokens are written out. */
function smallMasks(reference: Int32Array, vocabularySize: number, blockCount: number): MatchMasks {
  const words = new Int32Array(vocabularySize * blockCount)
  for (let row = 0; row < reference.length; row += 1) {
    setRow(words, (reference[row] as number) * blockCount, row)
  }
  return { words, select: (token) => token * blockCount }
}

function setRow(words: Int32Array, offset: number, row: number): void {
  const word = offset + (row >>> 5)
  words[word] = (words[word] as number) | (1 << (row & 31))
}

/** Where each token's rows begin in the list of rows; one more entry for the end. */
function rowStarts(reference: Int32Array, vocabularySize: number): Int32Array {
  const starts = new Int32Array(vocabularySize + 1)
  for (const token of reference) starts[token + 1] = (starts[token + 1] as number) + 1
  for (let token = 0; token < vocabularySize; token += 1) {
    starts[token + 1] = (starts[token + 1] as number) + (starts[token] as number)
  }
  return starts
}

function sortedRows(reference: Int32Array, starts: Int32Array): Int32Array {
  const next = starts.slice()
  const rows = new Int32Array(reference.length)
  for (let row = 0; row < reference.length; row += 1) {
    const token = reference[row] as number
    rows[next[token] as number] = row
    next[token] = (next[token] as number) + 1
  }
  return rows
}

/** The shared strip: clears what the last token set, sets what the next one needs. */
function stripOf(
  words: Int32Array,
  rows: Int32Array,
  starts: Int32Array,
): (token: number, first: number, last: number) => void {
  let setFrom = 0
  let setTo = 0
  return (token, first, last) => {
    for (let index = setFrom; index < setTo; index += 1) words[(rows[index] as number) >>> 5] = 0
    const end = starts[token + 1] as number
    setFrom = firstAtLeast(rows, starts[token] as number, end, first * 32)
    setTo = setFrom
    const rowLimit = (last + 1) * 32
    while (setTo < end && (rows[setTo] as number) < rowLimit) {
      setRow(words, 0, rows[setTo] as number)
      setTo += 1
    }
  }
}

function firstAtLeast(sorted: Int32Array, from: number, to: number, least: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
