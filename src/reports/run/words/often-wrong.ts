import { type Evaluation, fewestReplaced } from '#analysis'
import type { Confusion } from '#scoring'
import { counted } from '../../layout/units.ts'
import { pathologyNames } from './pathology-names.ts'

const shown = 3
/** Of a phrase, in characters. */
const longest = 60

/**
 * The most frequent confusions of phrases over all contenders and rounds, in words: `"cluster" → "classer" 3 times`. One word that was
 * heard for several is summed over them: `"uh" for 14 words 37 times`.
 */
export function frequentConfusions(evaluation: Evaluation): readonly string[] {
  const counts = new Map<string, { readonly confusion: Confusion; count: number }>()
  for (const confusion of confusionsOf(evaluation, 'phrases')) {
    const key = JSON.stringify([confusion.reference, confusion.hypothesis])
    const known = counts.get(key) ?? { confusion, count: 0 }
    known.count += confusion.count
    counts.set(key, known)
  }
  const intruders = intrudersOf(confusionsOf(evaluation, 'words'))
  const others = [...counts.values()].filter(
    ({ confusion: { hypothesis, reference } }) =>
      reference === null || hypothesis === null || !intruders.has(hypothesis),
  )
  const lines = [
    ...others.map(({ confusion, count }) => ({ text: inWords(confusion), count })),
    ...[...intruders].map(([word, { references, count }]) => ({
      text: `${quoted(word)} for ${counted(references.size, 'word')}`,
      count,
    })),
  ]
  return lines
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count)
    .slice(0, shown)
    .map(({ text, count }) => `${text} ${counted(count, 'time')}`)
}

function confusionsOf({ errorAnalyses }: Evaluation, level: 'words' | 'phrases'): readonly Confusion[] {
  return errorAnalyses.flatMap(({ confusions }) => {
    const { substitutions, deletions, insertions } = confusions[level]
    return [...substitutions, ...deletions, ...insertions]
  })
}

/** Words that were heard for several different ones, with how often. */
function intrudersOf(
  words: readonly Confusion[],
): ReadonlyMap<string, { readonly references: ReadonlySet<string>; readonly count: number }> {
  const found = new Map<string, { readonly references: Set<string>; count: number }>()
  for (const { reference, hypothesis, count } of words) {
    if (reference === null || hypothesis === null) continue
    const known = found.get(hypothesis) ?? { references: new Set<string>(), count: 0 }
    known.references.add(reference)
    known.count += count
    found.set(hypothesis, known)
  }
  return new Map([...found].filter(([, { references }]) => references.size >= fewestReplaced))
}

function inWords({ reference, hypothesis }: Confusion): string {
  if (reference === null) return `${quoted(hypothesis)} inserted`
  if (hypothesis === null) return `${quoted(reference)} deleted`
  return `${quoted(reference)} → ${quoted(hypothesis)}`
}

/** A loop without a blank may be a word of thousands of letters. */
function quoted(phrase: string | null): string {
  const letters = [...(phrase ?? '')]
  return letters.length > longest ? `"${letters.slice(0, longest - 1).join('')}…"` : `"${phrase}"`
}

/** Counts of loops, hallucinations and truncations, by contender. */
export function degenerateOutputs({ errorAnalyses }: Evaluation): readonly string[] {
  return errorAnalyses.flatMap(({ contenderId, pathologies }) => {
    const found = pathologies.filter(({ rate }) => rate.numerator > 0)
    if (found.length === 0) return []
    const what = found.map(
      ({ kind, rate }) => `${pathologyNames[kind]} in ${counted(rate.numerator, 'utterance')}`,
    )
    return [`${contenderId}: ${what.join(', ')}`]
  })
}
