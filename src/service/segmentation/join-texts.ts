/** At most this many words of each text are compared: more than the overlap can hold. */
const maxWords = 24

interface Word {
  readonly folded: string
  /** Offset of the character behind it. */
  readonly end: number
}

/** Joins the texts before and after a cut with a single blank. */
export function joinTexts(before: string, after: string): string {
  return [before.trim(), after.trim()].filter((text) => text !== '').join(' ')
}

/**
 * Joins two texts that share some words: the end of the first is repeated at the beginning of the second.
 * The adjacent words that both texts share are the seam; what the first has after it and the
 * second before it was cut in the middle of a word.
 *
 *   before  … and then the mouse ran u
 *   after              a mouse ran up the clock
 *   joined  … and then the mouse ran up the clock
 *
 * @returns both, one after the other, where they share no word
 */
export function joinOverlapping(before: string, after: string): string {
  const [left, right] = [wordsOf(before).slice(-maxWords), wordsOf(after).slice(0, maxWords)]
  const seam = findSeam(left, right)
  if (seam === null) return joinTexts(before, after)
  const rest = after.slice(seam.rightEnd)
  const joined = before.slice(0, seam.leftEnd) + rest
  return joined.trim()
}

/** Where the first text ends and the second goes on: offsets in characters, both behind the last shared word. */
interface Seam {
  readonly leftEnd: number
  readonly rightEnd: number
}

/**
 * The longest run of shared words; among those, the one that leaves out the fewest. Few words alike by chance
 * are no reason to leave out many: two for each at most.
 */
function findSeam(left: readonly Word[], right: readonly Word[]): Seam | null {
  let best: (Seam & { readonly length: number; readonly leftOut: number }) | null = null
  for (let leftAt = 0; leftAt < left.length; leftAt += 1) {
    for (let rightAt = 0; rightAt < right.length; rightAt += 1) {
      const length = runLength(left, leftAt, right, rightAt)
      const leftOut = left.length - leftAt - length + rightAt
      if (length === 0 || leftOut > 2 * length) continue
      if (best !== null && (length < best.length || (length === best.length && leftOut >= best.leftOut)))
        continue
      const leftEnd: number = left[leftAt + length - 1]?.end ?? 0
      const rightEnd: number = right[rightAt + length - 1]?.end ?? 0
      best = { length, leftOut, leftEnd, rightEnd }
    }
  }
  return best
}

function runLength(left: readonly Word[], leftAt: number, right: readonly Word[], rightAt: number): number {
  let length = 0
  while (isSameWord(left[leftAt + length], right[rightAt + length])) length += 1
  return length
}

function isSameWord(one: Word | undefined, other: Word | undefined): boolean {
  return one !== undefined && one.folded === other?.folded
}

/** Words with their places. Also of languages that write no blanks. */
function wordsOf(text: string): Word[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment, index }) => ({
      folded: segment.normalize('NFKC').toLowerCase(),
      end: index + segment.length,
    }))
}
