import { addCounts, errorRate, noErrors, referenceLength } from '../counts.ts'
import type { UtteranceScore } from '../score-utterance.ts'
import type { ErrorCounts } from '../shapes.ts'

/** Under so many utterances a group's rate says little; it is shown, but not ranked. */
const smallGroup = 20

/** The answered utterances that have something in common. */
export interface Group {
  readonly name: string
  readonly utteranceCount: number
  readonly speakerCount: number
  readonly words: ErrorCounts
  readonly characters: ErrorCounts
  /** Null where the references hold no words. */
  readonly wordErrorRate: number | null
  /** Fewer than 20 utterances. */
  readonly isSmall: boolean
}

/**
 * Sums by group, the most words first.
 *
 * @param groupOf names the group of an utterance; null leaves it out
 */
export function breakDown(
  scores: Iterable<UtteranceScore>,
  groupOf: (score: UtteranceScore) => string | null,
): Group[] {
  const sums = new Map<
    string,
    { count: number; speakers: Set<string>; words: ErrorCounts; characters: ErrorCounts }
  >()
  for (const score of scores) {
    const name = groupOf(score)
    if (name === null || score.words === null || score.characters === null) continue
    const sum = sums.get(name) ?? { count: 0, speakers: new Set(), words: noErrors, characters: noErrors }
    sum.count += 1
    if (score.speaker !== null) sum.speakers.add(score.speaker)
    sum.words = addCounts(sum.words, score.words)
    sum.characters = addCounts(sum.characters, score.characters)
    sums.set(name, sum)
  }
  return [...sums]
    .map(([name, { count, speakers, words, characters }]) => ({
      name,
      utteranceCount: count,
      speakerCount: speakers.size,
      words,
      characters,
      wordErrorRate: errorRate(words),
      isSmall: count < smallGroup,
    }))
    .sort((a, b) => referenceLength(b.words) - referenceLength(a.words) || (a.name < b.name ? -1 : 1))
}

const bounds = [2, 5, 10, 30] as const

/** The bucket of a recording's length: `0-2 s`, `2-5 s`, `5-10 s`, `10-30 s`, `30 s and more`. */
export function durationBucket(seconds: number): string {
  const next = bounds.findIndex((bound) => seconds < bound)
  if (next < 0) return `${bounds.at(-1)} s and more`
  return `${bounds[next - 1] ?? 0}-${bounds[next]} s`
}
