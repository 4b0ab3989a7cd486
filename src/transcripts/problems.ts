import type { Problem } from '#prelude'

/** What is wrong with files of transcripts, in memory that does not grow with them. */
export interface ProblemList {
  readonly count: number
  /** Ready to be passed on by itself. */
  readonly report: (problem: Problem) => void
  all(): readonly Problem[]
}

const listedProblems = 1000

/** What is said of a file without content. */
export const noLines: Omit<Problem, 'where'> = {
  what: 'has no lines',
  hint: 'give every utterance a line, a blank one where nothing was recognised; or name another file',
}

/** Starts a list that is empty. Beyond the first thousand problems, it counts. */
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

/** @returns checks that every id of one file is there once: takes one down, and reports it the second time */
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

/** Remembers which ids came before, and on which line, in 24 to 48 bytes an id. */
export interface IdRegister {
  /** @returns the line on which the id was before; null for an id that is new, which is taken down */
  add(id: string, line: number): number | null
  /** @returns the line with which the id was taken down; null where it was not */
  lineOf(id: string): number | null
}

// A row is three hashes of the id and its line; a line of nought is an empty row.
const rowLength = 4
const firstRows = 1024

/**
 * Starts a register that is empty.
 *
 * Ids are held by 96 bits of hash, not as text: a million of them as text in a Map take more than a hundred megabytes.
 * That two of a hundred million different ids have the same hash is a chance of one in ten to the thirteenth.
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
      const known = rows[row + 3] as number
      if (known !== 0) return known
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

/** Where the id is whose hashes begin at a place of a list, or where it may be put. */
function findRow(rows: Uint32Array, keys: Uint32Array, from: number): number {
  // The number of rows is a power of two.
  const mask = rows.length / rowLength - 1
  const [first, second, third] = [keys[from] as number, keys[from + 1], keys[from + 2]]
  for (let place = first & mask; ; place = (place + 1) & mask) {
    const row = place * rowLength
    if (rows[row + 3] === 0) return row
    if (rows[row] === first && rows[row + 1] === second && rows[row + 2] === third) return row
  }
}

/**
 * 32 bits of a text: multiply and rotate by each code unit, then mix.
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

/** What is not scored is for the references to say: else an engine could leave out what it got wrong. */
export function wantsOut({ line }: { readonly line: number }, shownPath: string): Problem {
  return {
    where: `${shownPath}:${line}`,
    what: 'asks not to be scored, and its reference does not',
    hint: 'write what was recognised, or IGNORE_TIME_SEGMENT_IN_SCORING into the reference',
  }
}
