import { editDistance } from './align.ts'

/** Both sides of a pair as lists of words. */
export interface WordPair {
  readonly reference: readonly string[]
  readonly hypothesis: readonly string[]
}

// Keeps the words of a compound apart from the same words elsewhere.
const wordJoiner = '\u2060'

/**
 * Writes compounds in the hypothesis as the reference writes them: “whitepaper” becomes “white paper” where two words of
 * the reference answer to it, and two words become one. The reference keeps its words, so its length does not change. The
 * fewest edits between the two results are those of `kaldialign.edit_distance(…, merge_compounds=True)`.
 *
 * The path is the cheapest one where a pair, a deletion and an insertion cost one, and any number of neighbours on one side
 * that are joined to the one word of the other side costs nothing. Of equally cheap moves a pair comes first, then an insertion,
 * then a deletion, then a compound. Time and memory O(n · m).
 *
 * @see https://github.com/pzelasko/kaldialign, “Compound word matching”
 */
export function mergeCompounds({ reference, hypothesis }: WordPair): WordPair {
  const joints = hasCompound(reference, hypothesis) ? compoundsOf(reference, hypothesis) : null
  if (joints === null || joints.compounds.length === 0) return { reference, hypothesis }
  const merged = rewrite({ reference, hypothesis }, joints.compounds, '')
  // The words of a compound could answer to other words than its own, at a lower cost than the path has.
  return editDistance(merged.reference, merged.hypothesis) === joints.cost
    ? merged
    : rewrite({ reference, hypothesis }, joints.compounds, wordJoiner)
}

/** Whether two neighbours on one side could begin a word of the other: mostly none do. */
function hasCompound(reference: readonly string[], hypothesis: readonly string[]): boolean {
  return joinsInto(reference, new Set(hypothesis)) || joinsInto(hypothesis, new Set(reference))
}

function joinsInto(words: readonly string[], wholes: ReadonlySet<string>): boolean {
  let longest = 0
  for (const whole of wholes) longest = Math.max(longest, whole.length)
  for (let first = 0; first < words.length; first += 1) {
    let joined = words[first] as string
    for (let at = first + 1; at < words.length && joined.length < longest; at += 1) {
      joined += words[at] as string
      if (wholes.has(joined)) return true
    }
  }
  return false
}

/** Words `from` up to `to` of one side that are one word of the other. */
interface Compound {
  readonly reference: readonly [from: number, to: number]
  readonly hypothesis: readonly [from: number, to: number]
}

/** One step back of the path: how many words of either side it takes. */
interface CellOrigin {
  readonly rows: number
  readonly columns: number
}

function compoundsOf(
  reference: readonly string[],
  hypothesis: readonly string[],
): { readonly cost: number; readonly compounds: readonly Compound[] } {
  const width = hypothesis.length + 1
  const costs = new Int32Array((reference.length + 1) * width)
  const joined = new Map<number, CellOrigin>()
  for (let column = 0; column < width; column += 1) costs[column] = column
  for (let row = 1; row <= reference.length; row += 1) {
    costs[row * width] = row
    for (let column = 1; column < width; column += 1) {
      const cell = row * width + column
      const isSame = reference[row - 1] === hypothesis[column - 1]
      const paired = (costs[cell - width - 1] as number) + (isSame ? 0 : 1)
      const gap = Math.min(costs[cell - width] as number, costs[cell - 1] as number) + 1
      costs[cell] = Math.min(paired, gap)
      const join = (rows: number, columns: number): void => {
        const cost = costs[cell - rows * width - columns] as number
        if (cost >= (costs[cell] as number)) return
        costs[cell] = cost
        joined.set(cell, { rows, columns })
      }
      for (const rows of joinedLengths(reference, row, hypothesis[column - 1] as string)) join(rows, 1)
      for (const columns of joinedLengths(hypothesis, column, reference[row - 1] as string)) join(1, columns)
    }
  }
  return {
    cost: costs.at(-1) as number,
    compounds: walkBack(costs, joined, reference, hypothesis),
  }
}

/** How many words that end before `end` make the whole word, two or more of them. */
function* joinedLengths(words: readonly string[], end: number, whole: string): Generator<number> {
  if (!whole.endsWith(words[end - 1] as string)) return
  let text = words[end - 1] as string
  for (let count = 2; count <= end; count += 1) {
    text = (words[end - count] as string) + text
    if (text.length > whole.length) return
    if (text === whole) yield count
  }
}

function walkBack(
  costs: Int32Array,
  joined: ReadonlyMap<number, CellOrigin>,
  reference: readonly string[],
  hypothesis: readonly string[],
): Compound[] {
  const width = hypothesis.length + 1
  const compounds: Compound[] = []
  let row = reference.length
  let column = hypothesis.length
  while (row > 0 && column > 0) {
    const cell = row * width + column
    const { rows, columns } =
      joined.get(cell) ?? plainOrigin(costs, cell, width, reference[row - 1] === hypothesis[column - 1])
    if (rows > 1 || columns > 1) {
      compounds.push({ reference: [row - rows, row], hypothesis: [column - columns, column] })
    }
    row -= rows
    column -= columns
  }
  return compounds.reverse()
}

function plainOrigin(costs: Int32Array, cell: number, width: number, isSame: boolean): CellOrigin {
  const paired = (costs[cell - width - 1] as number) + (isSame ? 0 : 1)
  const deleted = (costs[cell - width] as number) + 1
  const inserted = (costs[cell - 1] as number) + 1
  if (paired < inserted && paired < deleted) return { rows: 1, columns: 1 }
  return deleted < inserted ? { rows: 1, columns: 0 } : { rows: 0, columns: 1 }
}

function rewrite(
  { reference, hypothesis }: WordPair,
  compounds: readonly Compound[],
  mark: string,
): WordPair {
  const said: string[] = []
  const heard: string[] = []
  let row = 0
  let column = 0
  for (const compound of compounds) {
    const [first, last] = compound.reference
    const words = reference.slice(first, last).map((word) => word + mark)
    said.push(...reference.slice(row, first), ...words)
    heard.push(...hypothesis.slice(column, compound.hypothesis[0]), ...words)
    row = last
    column = compound.hypothesis[1]
  }
  return {
    reference: [...said, ...reference.slice(row)],
    hypothesis: [...heard, ...hypothesis.slice(column)],
  }
}

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

/** Where it begins and ends in the reference, and where in the hypothesis. */
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
    const maxPlaces = Math.floor(words.length / 100) + 1
    for (const [word, found] of places) if (found.length > maxPlaces) places.delete(word)
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
