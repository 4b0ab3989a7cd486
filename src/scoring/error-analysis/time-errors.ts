import { align } from '../alignment/align.ts'
import { normalise, type Profile } from '../profiles/profile.ts'
import type { AlignmentStep, TimedText } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

/**
 * A time that differs by at most so much counts as right.
 *
 * @see Bain et al. 2023, arXiv:2303.00747 (WhisperX), which takes the same collar
 */
export const closeTimeMs = 200

/** What one answer adds to the errors of its times. */
export interface TimeErrors {
  /** Words that the alignment matches. */
  readonly matchedCount: number
  /** Matched words with a start or an end on both sides. */
  readonly comparedCount: number
  /** Compared words of which every compared time is right within `closeTimeMs`. */
  readonly closeCount: number
  readonly startCount: number
  /** Sum of the absolute differences. */
  readonly startErrorMs: number
  readonly endCount: number
  readonly endErrorMs: number
}

/** When a word begins and ends; null where that is not known. */
interface WordTimes {
  startSeconds: number | null
  endSeconds: number | null
}

/**
 * Compares the times of the words that an alignment matches. Times are those of words or of segments: a segment has the
 * start of its first word and the end of its last.
 *
 *   said    the 0.1–0.3   cat 0.3–0.7   sat 0.8–1.2      start errors  100, 0, 50 ms
 *   heard   the 0.2–0.3   cat 0.3–0.7   sat 0.85–1.5     end errors      0, 0, 300 ms; two of three words within 200 ms
 *
 * @param steps the word alignment of both texts by the profile
 * @param said in the order of speech, as `heard`
 */
export function compareTimes(
  steps: readonly AlignmentStep[],
  said: readonly TimedText[],
  heard: readonly TimedText[],
  profile: Profile,
): TimeErrors {
  const expected = timesOfWords(wordsOf(steps, 'reference'), said, profile)
  const actual = timesOfWords(wordsOf(steps, 'hypothesis'), heard, profile)
  const errors = { matchedCount: 0, comparedCount: 0, closeCount: 0 }
  const sums = { startCount: 0, startErrorMs: 0, endCount: 0, endErrorMs: 0 }
  let [row, column] = [0, 0]
  for (const { kind, reference, hypothesis } of steps) {
    const ours = expected[row]
    const theirs = actual[column]
    if (reference !== null) row += 1
    if (hypothesis !== null) column += 1
    if (kind !== 'hit' || ours === undefined || theirs === undefined) continue
    const startMs = differenceMs(ours.startSeconds, theirs.startSeconds)
    const endMs = differenceMs(ours.endSeconds, theirs.endSeconds)
    errors.matchedCount += 1
    if (startMs !== null) sums.startCount += 1
    if (endMs !== null) sums.endCount += 1
    sums.startErrorMs += startMs ?? 0
    sums.endErrorMs += endMs ?? 0
    if (startMs === null && endMs === null) continue
    errors.comparedCount += 1
    if (Math.max(startMs ?? 0, endMs ?? 0) <= closeTimeMs) errors.closeCount += 1
  }
  return { ...errors, ...sums }
}

function wordsOf(steps: readonly AlignmentStep[], side: 'reference' | 'hypothesis'): readonly string[] {
  return steps.map((step) => step[side]).filter((word) => word !== null)
}

/** Rounds to a microsecond: 1.2 - 1 is less than 0.2, and 0.3 - 0.1 is more. */
function differenceMs(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round(Math.abs(a - b) * 1e6) / 1e3
}

/**
 * Gives the words of a whole text the times of its parts. A part that is normalised alone can have other words than in its
 * text, where “twenty” “five” is 25: such a stretch keeps its first start and its last end.
 */
function timesOfWords(
  words: readonly string[],
  parts: readonly TimedText[],
  profile: Profile,
): readonly WordTimes[] {
  const times = words.map((): WordTimes => ({ startSeconds: null, endSeconds: null }))
  const timedWords = parts.flatMap((part) => wordsOfPart(part, profile))
  const { steps } = align(
    words,
    timedWords.map(({ word }) => word),
  )
  let [row, column, at] = [0, 0, 0]
  while (at < steps.length) {
    const [firstRow, firstColumn] = [row, column]
    const isHit = steps[at]?.kind === 'hit'
    do {
      if (steps[at]?.reference !== null) row += 1
      if (steps[at]?.hypothesis !== null) column += 1
      at += 1
    } while (!isHit && at < steps.length && steps[at]?.kind !== 'hit')
    const [first, last] = [times[firstRow], times[row - 1]]
    if (first === undefined || last === undefined || row === firstRow || column === firstColumn) continue
    first.startSeconds = timedWords[firstColumn]?.startSeconds ?? null
    last.endSeconds = timedWords[column - 1]?.endSeconds ?? null
  }
  return times
}

function wordsOfPart(
  { text, startSeconds, endSeconds }: TimedText,
  profile: Profile,
): readonly (WordTimes & { readonly word: string })[] {
  const words = tokeniseWords(normalise(text, profile), profile.words)
  return words.map((word, at) => ({
    word,
    startSeconds: at === 0 ? startSeconds : null,
    endSeconds: at === words.length - 1 ? endSeconds : null,
  }))
}
