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

/** Checks that every id of one file is there once. */
export interface IdCheck {
  /** Takes an id down; one that is there twice is reported. */
  add(transcript: { readonly id: string; readonly line: number }): void
}

/** Starts to check the ids of one file. */
export function checkIds(shownPath: string, problems: ProblemList): IdCheck {
  const register = startIdRegister()
  return {
    add({ id, line }) {
      const earlier = register.lineOf(id, line)
      if (earlier === null) return
      problems.report({
        where: `${shownPath}:${line}`,
        what: `the id "${id}" is on line ${earlier} already`,
        hint: 'give every utterance a unique id',
      })
    },
  }
}

/** Remembers which ids came before, and on which line, in 24 to 48 bytes an id. */
export interface IdRegister {
  /** @returns the line on which the id stood before; null for an id that is new, which is taken down */
  lineOf(id: string, line: number): number | null
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
  const grow = (): void => {
    const before = rows
    rows = new Uint32Array(2 * before.length)
    for (let row = 0; row < before.length; row += rowLength) {
      if (before[row + 3] === 0) continue
      const free = findPlace(
        rows,
        before[row] as number,
        before[row + 1] as number,
        before[row + 2] as number,
      )
      for (let part = 0; part < rowLength; part += 1) rows[free + part] = before[row + part] as number
    }
  }
  return {
    lineOf(id, line) {
      const [first, second, third] = [
        hashText(id, 0x9e3779b1),
        hashText(id, 0x85ebca77),
        hashText(id, 0xc2b2ae3d),
      ]
      const row = findPlace(rows, first, second, third)
      const known = rows[row + 3] as number
      if (known !== 0) return known
      rows.set([first, second, third, line], row)
      count += 1
      if (3 * count * rowLength > 2 * rows.length) grow()
      return null
    },
  }
}

/** Where the id of these hashes is, or may be put. */
function findPlace(rows: Uint32Array, first: number, second: number, third: number): number {
  // The number of rows is a power of two.
  const mask = rows.length / rowLength - 1
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
