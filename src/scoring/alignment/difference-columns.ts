/**
 * The matrix D of edit distances between all beginnings of two token lists, held as differences between
 * neighbours, 32 rows to a 32-bit block. One column follows from the one before in a dozen operations a block.
 *
 *                 hypothesis →  column j
 *   reference           D(i-1,j-1)   D(i-1,j)
 *       ↓ row i         D(i,  j-1)   D(i,  j)      vertical   D(i,j) - D(i-1,j)   ∈ {-1, 0, 1}
 *                                                  horizontal D(i,j) - D(i,j-1)   ∈ {-1, 0, 1}
 *                                                  diagonal   D(i,j) - D(i-1,j-1) ∈ {0, 1}
 *
 * Some blocks of 32 rows are open. Above the first of them D is taken to grow by one in every column, which is the
 * true value above row 0 and never too small elsewhere: every value is the cost of some path.
 *
 * @see Myers 1999, doi:10.1145/316542.316550; Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein
 *   and Damerau edit distances", Nordic Journal of Computing 10 (the form used here)
 */
export interface Differences {
  readonly reference: Int32Array
  readonly hypothesis: Int32Array
  readonly masks: MatchMasks
  readonly blockCount: number
  /** Current column: rows whose vertical difference is +1, and -1. */
  readonly verticalPlus: Int32Array
  readonly verticalMinus: Int32Array
  /** The blocks that are open. */
  firstBlock: number
  lastBlock: number
  /** Current column: D above the first open block, and in the last row of the last one. */
  above: number
  below: number
}

/** So many numbers of a short pair are kept for the next one. */
const reusedLength = 65_536

/**
 * An array that short pairs have one after the other: to allocate it takes longer than to align an utterance.
 *
 * @returns a function of the length; the array may be longer, and contains what the previous pair left
 */
export function reusedArray(): (length: number) => Int32Array {
  let held = new Int32Array(64)
  return (length) => {
    if (length <= held.length) return held
    if (length > reusedLength) return new Int32Array(length)
    held = new Int32Array(Math.min(2 * length, reusedLength))
    return held
  }
}

const [plusOfPair, minusOfPair, masksOfPair] = [reusedArray(), reusedArray(), reusedArray()]

/** Memory for the differences of a pair, set to its first column, which is 0, 1, 2, … Good until the next pair. */
export function firstColumn(
  reference: Int32Array,
  hypothesis: Int32Array,
  vocabularySize: number,
): Differences {
  const blockCount = Math.ceil(reference.length / 32)
  return {
    reference,
    hypothesis,
    masks: matchMasks(reference, vocabularySize),
    blockCount,
    verticalPlus: plusOfPair(blockCount).fill(-1, 0, blockCount),
    verticalMinus: minusOfPair(blockCount).fill(0, 0, blockCount),
    firstBlock: 0,
    lastBlock: blockCount - 1,
    above: 0,
    below: 32 * blockCount,
  }
}

/** Goes back to the first column, with one block open. */
export function restart(differences: Differences): void {
  differences.firstBlock = 0
  differences.lastBlock = -1
  differences.above = 0
  differences.below = 0
  openLast(differences)
}

/** Opens the block below the last one as if the reference went on without a match. */
export function openLast(differences: Differences): void {
  differences.lastBlock += 1
  differences.verticalPlus[differences.lastBlock] = -1
  differences.verticalMinus[differences.lastBlock] = 0
  differences.below += 32
}

export function closeLast(differences: Differences): void {
  differences.below -= rise(differences, differences.lastBlock)
  differences.lastBlock -= 1
}

export function closeFirst(differences: Differences): void {
  differences.above += rise(differences, differences.firstBlock)
  differences.firstBlock += 1
}

/** D in the last row of a block less D above it. */
export function rise({ verticalPlus, verticalMinus }: Differences, block: number): number {
  return bitCount(verticalPlus[block] as number) - bitCount(verticalMinus[block] as number)
}

/** Moves on by one column, for the blocks that are open. */
export function advance(differences: Differences, token: number): void {
  const { masks, verticalPlus, verticalMinus, firstBlock, lastBlock } = differences
  const matchOffset = masks.select(token, firstBlock, lastBlock)
  const matches = masks.blocks
  let carryPlus = 1
  let carryMinus = 0
  for (let block = firstBlock; block <= lastBlock; block += 1) {
    const plus = verticalPlus[block] as number
    const minus = verticalMinus[block] as number
    const match = matches[matchOffset + block] as number
    const matchOrCarry = match | carryMinus
    const zero = ((((matchOrCarry & plus) + plus) | 0) ^ plus) | matchOrCarry
    const up = minus | ~(zero | plus)
    const down = plus & zero
    const shifted = (up << 1) | carryPlus
    const matchOrMinus = match | minus
    verticalPlus[block] = (down << 1) | carryMinus | ~(matchOrMinus | shifted)
    verticalMinus[block] = shifted & matchOrMinus
    carryPlus = up >>> 31
    carryMinus = down >>> 31
  }
  differences.above += 1
  differences.below += carryPlus - carryMinus
}

/** What is known of the steps that lead into each cell of a column, 32 rows to a block. */
export interface StepBits {
  /** Rows whose vertical difference is +1. */
  readonly verticalPlus: Int32Array
  /** Rows whose horizontal difference is +1. */
  readonly horizontalPlus: Int32Array
  /** Rows whose diagonal difference is 0. */
  readonly diagonalZero: Int32Array
}

/**
 * The same, and keeps the differences that walking back needs.
 *
 * @param bits receives them from `offset` on
 */
export function advanceAndKeep(
  differences: Differences,
  token: number,
  { verticalPlus: keptPlus, horizontalPlus, diagonalZero }: StepBits,
  offset: number,
): void {
  const { masks, verticalPlus, verticalMinus, firstBlock, lastBlock } = differences
  const matchOffset = masks.select(token, firstBlock, lastBlock)
  const matches = masks.blocks
  let carryPlus = 1
  let carryMinus = 0
  let at = offset
  for (let block = firstBlock; block <= lastBlock; block += 1) {
    const plus = verticalPlus[block] as number
    const minus = verticalMinus[block] as number
    const match = matches[matchOffset + block] as number
    const matchOrCarry = match | carryMinus
    const zero = ((((matchOrCarry & plus) + plus) | 0) ^ plus) | matchOrCarry
    const up = minus | ~(zero | plus)
    const down = plus & zero
    const shifted = (up << 1) | carryPlus
    const matchOrMinus = match | minus
    const nextPlus = (down << 1) | carryMinus | ~(matchOrMinus | shifted)
    verticalPlus[block] = nextPlus
    verticalMinus[block] = shifted & matchOrMinus
    keptPlus[at] = nextPlus
    horizontalPlus[at] = up
    diagonalZero[at] = zero | minus
    carryPlus = up >>> 31
    carryMinus = down >>> 31
    at += 1
  }
  differences.above += 1
  differences.below += carryPlus - carryMinus
}

/** D in the last row of the current column, where the last block is open. */
export function distanceNow(differences: Differences): number {
  const { blockCount, below, verticalPlus, verticalMinus, reference } = differences
  const last = blockCount - 1
  const usedRows = reference.length - 32 * last
  // The rows below the reference's end have differences too; they are taken off again.
  const unused = usedRows === 32 ? 0 : -1 << usedRows
  return (
    below -
    bitCount((verticalPlus[last] as number) & unused) +
    bitCount((verticalMinus[last] as number) & unused)
  )
}

/** @see Warren, Hacker's Delight, 5-1 */
export function bitCount(bits: number): number {
  let sums = bits - ((bits >>> 1) & 0x55555555)
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333)
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Rows of a token as a bit mask, 32 rows to a block. */
interface MatchMasks {
  /** Blocks of all tokens; those of the asked token begin at the returned offset, until the next call. */
  blocks: Int32Array
  /** Makes the blocks `first` to `last` of a token ready and returns their offset. */
  select(token: number, first: number, last: number): number
}

/**
 * The rows of every token of the reference.
 *
 * Tokens that fill more than an eighth of the blocks have all their blocks written out (at most 256 tokens,
 * since they share the rows); the rows of the others are listed, and set in one shared strip of blocks when
 * they are asked for. So memory is linear in the reference, and asking costs less than a pass over the blocks.
 */
function matchMasks(reference: Int32Array, vocabularySize: number): MatchMasks {
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
  const blocks = new Int32Array(size)
  for (let row = 0; row < reference.length; row += 1) {
    const offset = offsets[reference[row] as number] as number
    if (offset >= 0) setRow(blocks, offset, row)
  }
  const strip = stripOf(blocks, rows, starts)
  return {
    blocks,
    select(token, first, last) {
      const offset = offsets[token] as number
      if (offset >= 0) return offset
      strip(token, first, last)
      return 0
    },
  }
}

const smallBlockCount = 16

/** The blocks of all tokens, which are written out where the reference is short. */
function smallMasks(reference: Int32Array, vocabularySize: number, blockCount: number): MatchMasks {
  const blocks = masksOfPair(vocabularySize * blockCount).fill(0, 0, vocabularySize * blockCount)
  for (let row = 0; row < reference.length; row += 1) {
    setRow(blocks, (reference[row] as number) * blockCount, row)
  }
  return { blocks, select: (token) => token * blockCount }
}

function setRow(blocks: Int32Array, offset: number, row: number): void {
  const block = offset + (row >>> 5)
  blocks[block] = (blocks[block] as number) | (1 << (row & 31))
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
  blocks: Int32Array,
  rows: Int32Array,
  starts: Int32Array,
): (token: number, first: number, last: number) => void {
  let setFrom = 0
  let setTo = 0
  return (token, first, last) => {
    for (let index = setFrom; index < setTo; index += 1) blocks[(rows[index] as number) >>> 5] = 0
    const end = starts[token + 1] as number
    setFrom = firstAtLeast(rows, starts[token] as number, end, first * 32)
    setTo = setFrom
    const rowLimit = (last + 1) * 32
    while (setTo < end && (rows[setTo] as number) < rowLimit) {
      setRow(blocks, 0, rows[setTo] as number)
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
