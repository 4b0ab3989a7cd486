import { editDistance } from './align.ts'
import { numberTokens } from './numbered-pair.ts'

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
 * then a deletion, then a compound. Time O(n · m), memory O(√n · m).
 *
 * @see https://github.com/pzelasko/kaldialign, “Compound word matching”
 */
export function mergeCompounds({ reference, hypothesis }: WordPair): WordPair {
  const { reference: said, hypothesis: heard } = numberTokens(reference, hypothesis)
  const joins = {
    rows: findJoins(reference, new Map(hypothesis.map((word, at) => [word, heard[at] as number]))),
    columns: findJoins(hypothesis, new Map(reference.map((word, at) => [word, said[at] as number]))),
  }
  // Mostly no neighbours on one side are a word of the other.
  const path = joins.rows.size + joins.columns.size === 0 ? null : findCompounds(said, heard, joins)
  if (path === null || path.compounds.length === 0) return { reference, hypothesis }
  const merged = rewrite({ reference, hypothesis }, path.compounds, '')
  // The words of a compound could answer to other words than its own, at a lower cost than the path has.
  return editDistance(merged.reference, merged.hypothesis) === path.cost
    ? merged
    : rewrite({ reference, hypothesis }, path.compounds, wordJoiner)
}

/** By the place after the last of them: how many neighbours, two or more, make each word of the other side. */
type Joins = ReadonlyMap<number, ReadonlyMap<number, number>>

/** @param wholes words of the other side with their numbers */
function findJoins(words: readonly string[], wholes: ReadonlyMap<string, number>): Joins {
  const lengths = new Set(Array.from(wholes.keys(), ({ length }) => length))
  const longest = [...lengths].reduce((max, length) => Math.max(max, length), 0)
  const joins = new Map<number, Map<number, number>>()
  for (let end = 2; end <= words.length; end += 1) {
    let letters = (words[end - 1] as string).length
    for (let count = 2; count <= end; count += 1) {
      letters += (words[end - count] as string).length
      if (letters > longest) break
      const whole = lengths.has(letters) ? wholes.get(words.slice(end - count, end).join('')) : undefined
      if (whole === undefined) continue
      const ended = joins.get(end) ?? new Map<number, number>()
      joins.set(end, ended.set(whole, count))
    }
  }
  return joins
}

/** Words `from` up to `to` of one side that are one word of the other. */
interface Compound {
  readonly reference: readonly [from: number, to: number]
  readonly hypothesis: readonly [from: number, to: number]
}

/** One step back of the path: how many words of either side it takes. */
interface Step {
  readonly rows: number
  readonly columns: number
}

const insertion: Step = { rows: 0, columns: 1 }
const deletion: Step = { rows: 1, columns: 0 }
const pairing: Step = { rows: 1, columns: 1 }
const plainSteps = [insertion, deletion, pairing] as const

/** The steps into the cells of some rows, those of compounds apart. */
interface Steps {
  readonly plain: Uint8Array
  readonly joined: Map<number, Step>
}

/** Rows whose steps are in memory together; those of a longer text are computed a second time, block by block. */
const minBlockRows = 512

function findCompounds(
  said: Int32Array,
  heard: Int32Array,
  joins: Readonly<Record<'rows' | 'columns', Joins>>,
): { readonly cost: number; readonly compounds: readonly Compound[] } {
  const [height, width] = [said.length, heard.length + 1]
  const columnJoins = Array.from({ length: width }, (_, column) => joins.columns.get(column))
  // The last rows of costs, as many as a compound reaches back.
  let kept = 2
  for (const ended of joins.rows.values())
    for (const count of ended.values()) kept = Math.max(kept, count + 1)
  const blockRows = Math.max(minBlockRows, kept, Math.ceil(Math.sqrt(height)))
  const fill = (costs: readonly Int32Array[], from: number, to: number, steps: Steps | null): void => {
    const rowOf = (row: number): Int32Array => costs[row % kept] as Int32Array
    for (let row = from + 1; row <= to; row += 1) {
      const [above, current] = [rowOf(row - 1), rowOf(row)]
      const word = said[row - 1] as number
      const rowJoins = joins.rows.get(row)
      current[0] = row
      for (let column = 1; column < width; column += 1) {
        const paired = (above[column - 1] as number) + (word === heard[column - 1] ? 0 : 1)
        const deleted = (above[column] as number) + 1
        const inserted = (current[column - 1] as number) + 1
        let cost = Math.min(paired, deleted, inserted)
        const cell = (row - from - 1) * width + column
        if (steps !== null)
          steps.plain[cell] = paired < inserted && paired < deleted ? 2 : deleted < inserted ? 1 : 0
        const rows = rowJoins?.get(heard[column - 1] as number)
        const costOfRows = rows === undefined ? cost : (rowOf(row - rows)[column - 1] as number)
        if (rows !== undefined && costOfRows < cost) {
          cost = costOfRows
          steps?.joined.set(cell, { rows, columns: 1 })
        }
        const columns = columnJoins[column]?.get(word)
        const costOfColumns = columns === undefined ? cost : (above[column - columns] as number)
        if (columns !== undefined && costOfColumns < cost) {
          cost = costOfColumns
          steps?.joined.set(cell, { rows: 1, columns })
        }
        current[column] = cost
      }
    }
  }
  const stepsFor = (from: number, to: number): Steps => ({
    plain: new Uint8Array((to - from) * width),
    joined: new Map(),
  })
  const costs = Array.from({ length: kept }, () => new Int32Array(width).map((_, column) => column))
  const blocks = Array.from({ length: Math.ceil(height / blockRows) }, (_, index) => {
    const [from, to] = [index * blockRows, Math.min(height, (index + 1) * blockRows)]
    const before = to < height ? costs.map((row) => row.slice()) : null
    const steps = before === null ? stepsFor(from, to) : null
    fill(costs, from, to, steps)
    return { from, to, before, steps }
  })
  const compounds: Compound[] = []
  let [row, column] = [height, width - 1]
  for (const { from, to, before, steps: last } of blocks.reverse()) {
    const steps = last ?? stepsFor(from, to)
    if (before !== null) fill(before, from, to, steps)
    while (row > from && column > 0) {
      const cell = (row - from - 1) * width + column
      const { rows, columns } = steps.joined.get(cell) ?? (plainSteps[steps.plain[cell] as 0 | 1 | 2] as Step)
      if (rows > 1 || columns > 1)
        compounds.push({ reference: [row - rows, row], hypothesis: [column - columns, column] })
      row -= rows
      column -= columns
    }
  }
  return { cost: costs[height % kept]?.[width - 1] ?? 0, compounds: compounds.reverse() }
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
