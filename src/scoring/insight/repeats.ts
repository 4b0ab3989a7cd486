import { countErrors } from '../alignment/align.ts'
import { addCounts, type ErrorCounts, noErrors } from '../counts.ts'
import { normalise, type Profile } from '../profiles/profile.ts'
import { tokeniseWords } from '../tokens/words.ts'

/** What came back when the same recording was sent again. */
export interface RepeatedUtterance {
  readonly id: string
  /** One text per round that answered. */
  readonly texts: readonly string[]
}

/** How far an engine agrees with itself; no reference is needed. */
export interface Flakiness {
  /** Utterances with at least two answers. */
  readonly utteranceCount: number
  /** Of those, with answers that differ after normalisation. */
  readonly unstableCount: number
  readonly unstableIds: readonly string[]
  /** Each answer against each later one of the same utterance, summed: a word error rate between repeats. */
  readonly betweenRepeats: ErrorCounts
}

/** Compares the answers to the same recordings with each other. */
export function measureFlakiness(utterances: Iterable<RepeatedUtterance>, profile: Profile): Flakiness {
  let utteranceCount = 0
  let betweenRepeats = noErrors
  const unstableIds: string[] = []
  for (const { id, texts } of utterances) {
    if (texts.length < 2) continue
    utteranceCount += 1
    const normalised = texts.map((text) => normalise(text, profile))
    if (new Set(normalised).size > 1) unstableIds.push(id)
    const words = normalised.map((text) => tokeniseWords(text, profile.words))
    for (const [index, earlier] of words.entries()) {
      for (const later of words.slice(index + 1))
        betweenRepeats = addCounts(betweenRepeats, countErrors(earlier, later))
    }
  }
  return { utteranceCount, unstableCount: unstableIds.length, unstableIds, betweenRepeats }
}
