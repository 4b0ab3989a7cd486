/** A run of equal words: where it begins on either side, and how long it is. */
interface Block {
  readonly reference: number
  readonly hypothesis: number
  readonly length: number
}

/** A part of both sides that is equal or not, in reading order. */
export interface Region {
  readonly isEqual: boolean
  readonly reference: readonly [from: number, to: number]
  readonly hypothesis: readonly [from: number, to: number]
}

/**
 * The equal and the different regions of two lists, as `difflib.SequenceMatcher(None, reference, hypothesis)` finds them:
 * the longest common run first, then those before and after it. In a hypothesis of 200 words and more, words that make up over
 * one per cent do not begin a run.
 *
 * @see https://docs.python.org/3/library/difflib.html; Ratcliff and Metzener 1988, “Pattern matching: the Gestalt approach”
 */
export function matchingRegions(reference: readonly string[], hypothesis: readonly string[]): Region[] {
  const places = placesOf(hypothesis)
  const blocks: Block[] = []
  const open: Range[] = [[0, reference.length, 0, hypothesis.length]]
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [low, high, otherLow, otherHigh] = range
    const found = longestRun({ reference, hypothesis, places }, range)
    if (found.length === 0) continue
    blocks.push(found)
    const { reference: row, hypothesis: column, length } = found
    if (low < row && otherLow < column) open.push([low, row, otherLow, column])
    if (row + length < high && column + length < otherHigh) {
      open.push([row + length, high, column + length, otherHigh])
    }
  }
  blocks.sort((a, b) => a.reference - b.reference || a.hypothesis - b.hypothesis)
  return regionsBetween(blocks, reference.length, hypothesis.length)
}

/** From and to in the reference, from and to in the hypothesis. */
type Range = readonly [number, number, number, number]

interface Sides {
  readonly reference: readonly string[]
  readonly hypothesis: readonly string[]
  readonly places: ReadonlyMap<string, readonly number[]>
}

function placesOf(words: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [at, word] of words.entries()) {
    const known = places.get(word)
    if (known === undefined) places.set(word, [at])
    else known.push(at)
  }
  if (words.length >= 200) {
    const most = Math.floor(words.length / 100) + 1
    for (const [word, found] of places) if (found.length > most) places.delete(word)
  }
  return places
}

function longestRun(
  { reference, hypothesis, places }: Sides,
  [low, high, otherLow, otherHigh]: Range,
): Block {
  let best: Block = { reference: low, hypothesis: otherLow, length: 0 }
  let lengths = new Map<number, number>()
  for (let row = low; row < high; row += 1) {
    const next = new Map<number, number>()
    for (const column of places.get(reference[row] as string) ?? []) {
      if (column < otherLow) continue
      if (column >= otherHigh) break
      const length = (lengths.get(column - 1) ?? 0) + 1
      next.set(column, length)
      if (length > best.length)
        best = { reference: row - length + 1, hypothesis: column - length + 1, length }
    }
    lengths = next
  }
  let { reference: row, hypothesis: column, length } = best
  // Words that are too frequent to begin a run still belong to one.
  while (row > low && column > otherLow && reference[row - 1] === hypothesis[column - 1]) {
    row -= 1
    column -= 1
    length += 1
  }
  while (
    row + length < high &&
    column + length < otherHigh &&
    reference[row + length] === hypothesis[column + length]
  ) {
    length += 1
  }
  return { reference: row, hypothesis: column, length }
}

function regionsBetween(blocks: readonly Block[], rows: number, columns: number): Region[] {
  const regions: Region[] = []
  let row = 0
  let column = 0
  for (const block of [...blocks, { reference: rows, hypothesis: columns, length: 0 }]) {
    if (row < block.reference || column < block.hypothesis) {
      regions.push({
        isEqual: false,
        reference: [row, block.reference],
        hypothesis: [column, block.hypothesis],
      })
    }
    row = block.reference + block.length
    column = block.hypothesis + block.length
    if (block.length > 0) {
      regions.push({
        isEqual: true,
        reference: [block.reference, row],
        hypothesis: [block.hypothesis, column],
      })
    }
  }
  return regions
}
