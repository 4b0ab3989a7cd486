import type { AlignmentStep } from '#scoring/shapes'

/** Results of one system for every utterance, in columns, for the comparison of systems. */
export interface System {
  readonly name: string
  readonly speakers: readonly (string | null)[]
  /** Word errors per utterance; a failed answer counts as an empty one. */
  readonly errors: readonly number[]
  /** Words of each reference. */
  readonly lengths: readonly number[]
  /** Alignment of each utterance, with one letter per step. */
  readonly operations: readonly string[]
  /** Hash of the reference's words, in the reading that was aligned. */
  readonly readings: readonly number[]
}

export interface AlignedSummary {
  readonly operations: string
  readonly reading: number
}

export function summariseSteps(steps: readonly AlignmentStep[]): AlignedSummary {
  let hash = 0x811c9dc5
  for (const { reference } of steps) {
    if (reference === null) continue
    for (let at = 0; at < reference.length; at += 1)
      hash = Math.imul(hash ^ reference.charCodeAt(at), 0x01000193)
    // A separator after each word distinguishes "a bc" from "ab c".
    hash = Math.imul(hash ^ 0x20, 0x01000193)
  }
  return { operations: writeOperations(steps), reading: hash >>> 0 }
}

export interface MatchedSegment {
  readonly firstErrors: number
  readonly secondErrors: number
}

/** Number of consecutive words that both recognisers have right and that end a segment. */
const rightWordsBetween = 2

const letters = { hit: '=', substitution: 'S', deletion: 'D', insertion: 'I' } as const

/** Writes an alignment with one letter per step: `=`, `S`, `D` or `I`. */
export function writeOperations(steps: readonly AlignmentStep[]): string {
  // An optional hypothesis word that was not said aligns with no reference word.
  return steps
    .map((step) => (step.kind === 'hit' && step.reference === '' ? '' : letters[step.kind]))
    .join('')
}

/**
 * Cuts an utterance, aligned for two recognisers with the same reference, into segments in which either errs.
 * Segments are separated by two words that both have right, so that their errors can be treated as independent. An
 * inserted word interrupts a row of right words as a wrong word does.
 *
 *   reference   we moved the staging cluster to Frankfurt last Tuesday
 *   first        =   =    =     S       =     =     =       =      D
 *   second       =   =    =     =       =     =     S       =      =
 *                              └─┘                  └───────────────┘      errors 1 and 0; 1 and 1
 *
 * @param first the letters of `writeOperations`
 * @returns segments in reading order; the ends of the utterance also end a segment
 * @throws RangeError for references of different lengths
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481; NIST SCTK, mtchprs.c, with a minimum of two good words
 */
export function matchedSegments(first: string, second: string): readonly MatchedSegment[] {
  const [left, right] = [errorsByWord(first), errorsByWord(second)]
  if (left.isWrong.length !== right.isWrong.length) {
    throw new RangeError('matched segments need two alignments of one reference')
  }
  const segments: MatchedSegment[] = []
  let open: { firstErrors: number; secondErrors: number } | null = null
  let rightInARow = 0
  const add = (firstErrors: number, secondErrors: number): void => {
    if (firstErrors + secondErrors === 0) return
    open ??= { firstErrors: 0, secondErrors: 0 }
    open.firstErrors += firstErrors
    open.secondErrors += secondErrors
    rightInARow = 0
  }
  const wordCount = left.isWrong.length
  for (let word = 0; word <= wordCount; word += 1) {
    add(left.added[word] ?? 0, right.added[word] ?? 0)
    if (word === wordCount) break
    const [isFirstWrong, isSecondWrong] = [left.isWrong[word] === true, right.isWrong[word] === true]
    add(Number(isFirstWrong), Number(isSecondWrong))
    if (!isFirstWrong && !isSecondWrong) rightInARow += 1
    if (open !== null && rightInARow === rightWordsBetween) {
      segments.push(open)
      open = null
    }
  }
  if (open !== null) segments.push(open)
  return segments
}

interface WordErrors {
  readonly isWrong: readonly boolean[]
  /** Number of inserted words before each reference word, and after the last. */
  readonly added: readonly number[]
}

function errorsByWord(operations: string): WordErrors {
  const isWrong: boolean[] = []
  const added: number[] = [0]
  for (const operation of operations) {
    if (operation === letters.insertion) {
      added[isWrong.length] = (added[isWrong.length] ?? 0) + 1
      continue
    }
    isWrong.push(operation !== letters.hit)
    added.push(0)
  }
  return { isWrong, added }
}
