import type { Problem } from '#prelude'

/** Problems of transcript files, in memory that does not grow with the files. */
export interface ProblemList {
  readonly count: number
  /** Works without its object, so that it can be passed as a callback. */
  readonly report: (problem: Problem) => void
  all(): readonly Problem[]
}

const listedProblems = 1000

/** Problem of a file without content. */
export const noLines: Omit<Problem, 'where'> = {
  what: 'has no lines',
  hint: 'give every utterance a line, a blank one where nothing was recognised; or name another file',
}

/** Starts an empty list. It keeps the first 1000 problems, and counts the others. */
export function startProblems(): ProblemList {
  const listed: Problem[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    report(problem) {
      count += 1
      if (listed.length < listedProblems) listed.push(problem)
    },
    all() {
      const more = count - listed.length
      return more === 0 ? listed : [...listed, { where: null, what: `and ${more} more of the like` }]
    },
  }
}

/** @returns a check for repeated ids in one file, which reports an id from its second occurrence on */
export function idChecker(
  shownPath: string,
  { report }: ProblemList,
): (transcript: { readonly id: string; readonly line: number }) => void {
  const register = startIdRegister()
  return ({ id, line }) => {
    const earlier = register.add(id, line)
    if (earlier === null) return
    const what = `the id "${id}" is on line ${earlier} already`
    report({ where: `${shownPath}:${line}`, what, hint: 'give every utterance a unique id' })
  }
}

/** Remembers ids with their lines, in 24 to 48 bytes per id. */
export interface IdRegister {
  /** @returns the line of an earlier occurrence; null for a new id, which is added */
  add(id: string, line: number): number | null
  /** @returns the line of the id; null for an unknown id */
  lineOf(id: string): number | null
}

// A row is three hashes of the id and its line. Line 0 marks an empty row.
const rowLength = 4
const firstRows = 1024

/**
 * Starts an empty register.
 *
 * Ids are stored as 96-bit hashes, because a million ids as text in a Map take more than 100 MB. The probability
 * that two of 100 million ids have the same hash is about 1e-13.
 */
export function startIdRegister(): IdRegister {
  let rows = new Uint32Array(firstRows * rowLength)
  let count = 0
  const key = new Uint32Array(rowLength)
  const find = (id: string): number => {
    key[0] = hashText(id, 0x9e3779b1)
    key[1] = hashText(id, 0x85ebca77)
    key[2] = hashText(id, 0xc2b2ae3d)
    return findRow(rows, key, 0)
  }
  return {
    add(id, line) {
      const row = find(id)
      const firstLine = rows[row + 3] as number
      if (firstLine !== 0) return firstLine
      key[3] = line
      rows.set(key, row)
      count += 1
      if (3 * count * rowLength > 2 * rows.length) rows = doubled(rows)
      return null
    },
    lineOf: (id) => rows[find(id) + 3] || null,
  }
}

function doubled(rows: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * rows.length)
  for (let from = 0; from < rows.length; from += rowLength) {
    if (rows[from + 3] === 0) continue
    const to = findRow(larger, rows, from)
    for (let part = 0; part < rowLength; part += 1) larger[to + part] = rows[from + part] as number
  }
  return larger
}

/** Returns the row of the id whose hashes start at `from` in `keys`, or the empty row for it. */
function findRow(rows: Uint32Array, keys: Uint32Array, from: number): number {
  // The number of rows is a power of two, so the mask replaces a modulo.
  const mask = rows.length / rowLength - 1
  const [first, second, third] = [keys[from] as number, keys[from + 1], keys[from + 2]]
  for (let place = first & mask; ; place = (place + 1) & mask) {
    const row = place * rowLength
    if (rows[row + 3] === 0) return row
    if (rows[row] === first && rows[row + 1] === second && rows[row + 2] === third) return row
  }
}

/**
 * Hashes a text to 32 bits: multiply and rotate by each code unit, then mix.
 *
 * @see Appleby, MurmurHash3, for the rotation and the final mix
 */
function hashText(text: string, seed: number): number {
  let hash = seed ^ text.length
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995 ^ seed)
    hash = (hash << 13) | (hash >>> 19)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Only references may exclude segments. Otherwise an engine could exclude what it got wrong. */
export function wantsOut({ line }: { readonly line: number }, shownPath: string): Problem {
  return {
    where: `${shownPath}:${line}`,
    what: 'asks not to be scored, and its reference does not',
    hint: 'write what was recognised, or IGNORE_TIME_SEGMENT_IN_SCORING into the reference',
  }
}
