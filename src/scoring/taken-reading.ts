import { plainWords, type TranscriptPart } from './alignment/networks.ts'
import { errorCount, referenceLength } from './counts.ts'
import { bestOf, choiceCounts, readPair } from './readings.ts'
import type { ErrorCounts } from './shapes.ts'
import type { ScoreOptions, Utterance } from './utterance.ts'

/**
 * The text that `scoreUtterance` takes the reference for, as it is written: of several texts the best one; of
 * choices a reading with the same counts, the first branch of each choice that leads to them.
 *
 * @returns the reference itself where it is one text
 */
export function takenReading(utterance: Utterance, options: ScoreOptions): string {
  const { reference } = utterance
  if (typeof reference === 'string') return reference
  const texts = reference.filter((text) => typeof text === 'string')
  const parts = reference.filter((part) => typeof part !== 'string')
  const countsOf = (said: Utterance['reference']): ErrorCounts =>
    choiceCounts(readPair({ ...utterance, reference: said }, options), options)
  if (parts.length === 0) {
    const [first = '', ...others] = texts
    return bestOf([first, ...others], countsOf, options)
  }
  const wanted = countsOf(parts)
  // Of the ways through a choice one leads to the counts of the whole, so choices are settled one by one. Where a
  // stage of the profile looks across the border of a choice, no way may: then the best of them is taken.
  let settled = parts
  for (let at = settled.findIndex(isChoice); at >= 0; at = settled.findIndex(isChoice)) {
    const before = settled.slice(0, at)
    const after = settled.slice(at + 1)
    const [first = [...before, ...after], ...others] = branchesOf(settled[at]).map((branch) => [
      ...before,
      ...branch,
      ...after,
    ])
    settled =
      [first, ...others].find((way) => isSame(countsOf(way), wanted)) ??
      bestOf([first, ...others], countsOf, options)
  }
  return plainWords(settled).join(' ')
}

function isChoice(part: TranscriptPart): boolean {
  return part.kind !== 'words'
}

function branchesOf(part: TranscriptPart | undefined): readonly (readonly TranscriptPart[])[] {
  if (part === undefined) return []
  if (part.kind === 'optional') return [[{ kind: 'words', words: [part.word] }], []]
  return part.kind === 'alternatives' ? part.branches : [[part]]
}

function isSame(a: ErrorCounts, b: ErrorCounts): boolean {
  return a.hits === b.hits && errorCount(a) === errorCount(b) && referenceLength(a) === referenceLength(b)
}
