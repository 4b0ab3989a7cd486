import { countErrors } from '../alignment/align.ts'
import { addCounts, noErrors, timesCounts } from '../counts.ts'
import { normalise, type Profile } from '../profiles/profile.ts'
import type { ErrorCounts } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

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
    betweenRepeats = addCounts(betweenRepeats, compareEach(normalised, profile))
  }
  return { utteranceCount, unstableCount: unstableIds.length, unstableIds, betweenRepeats }
}

/** Every text against every later one. Equal texts are compared once: mostly all of them are equal. */
function compareEach(texts: readonly string[], profile: Profile): ErrorCounts {
  const words = new Map<string, string[]>()
  /** How often each text occurred so far: what is compared with the next one. */
  const before = new Map<string, number>()
  const times = new Map<string, Map<string, number>>()
  for (const later of texts) {
    words.set(later, words.get(later) ?? tokeniseWords(later, profile.words))
    for (const [earlier, count] of before) {
      const byLater = times.get(earlier) ?? new Map<string, number>()
      times.set(earlier, byLater.set(later, (byLater.get(later) ?? 0) + count))
    }
    before.set(later, (before.get(later) ?? 0) + 1)
  }
  let sum = noErrors
  for (const [earlier, byLater] of times) {
    for (const [later, count] of byLater) {
      const counts = countErrors(words.get(earlier) ?? [], words.get(later) ?? [])
      sum = addCounts(sum, timesCounts(counts, count))
    }
  }
  return sum
}
