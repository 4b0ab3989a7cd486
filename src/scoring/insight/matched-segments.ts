import type { AlignmentStep } from '../alignment/steps.ts'

/** The errors of two recognisers in one stretch of speech. */
export interface MatchedSegment {
  readonly firstErrors: number
  readonly secondErrors: number
}

/** So many words in a row that both have right end a segment. */
const rightWordsBetween = 2

/**
 * Cuts an utterance, aligned for two recognisers with the same reference, into the stretches in which either errs.
 * Two words that both have right lie between one stretch and the next, so that their errors can be taken as
 * independent; a word that either adds ends a row of right words as a wrong one does.
 *
 *   reference   we moved the staging cluster to Frankfurt last Tuesday
 *   first        =   =    =     S       =     =     =       =      D
 *   second       =   =    =     =       =     =     S       =      =
 *                              └─┘                  └───────────────┘      errors 1 and 0; 1 and 1
 *
 * @returns in reading order; the ends of the utterance also end a segment
 * @throws RangeError where the two alignments are not of the same reference
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481; NIST SCTK, mtchprs.c, with a minimum of two good words
 */
export function matchedSegments(
  first: readonly AlignmentStep[],
  second: readonly AlignmentStep[],
): readonly MatchedSegment[] {
  const [left, right] = [errorsByWord(first), errorsByWord(second)]
  if (left.words.join(' ') !== right.words.join(' ')) {
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
  for (let word = 0; word <= left.words.length; word += 1) {
    add(left.added[word] ?? 0, right.added[word] ?? 0)
    if (word === left.words.length) break
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
  readonly words: readonly string[]
  readonly isWrong: readonly boolean[]
  /** Words added before each word of the reference, and after its last. */
  readonly added: readonly number[]
}

function errorsByWord(steps: readonly AlignmentStep[]): WordErrors {
  const words: string[] = []
  const isWrong: boolean[] = []
  const added: number[] = [0]
  for (const step of steps) {
    if (step.kind === 'insertion') {
      added[words.length] = (added[words.length] ?? 0) + 1
      continue
    }
    words.push(step.reference)
    isWrong.push(step.kind !== 'hit')
    added.push(0)
  }
  return { words, isWrong, added }
}
