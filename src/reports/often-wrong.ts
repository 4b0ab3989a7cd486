import type { Evaluation } from '#analysis'
import type { Confusion } from '#scoring'
import { kindNames } from './details/answer-details.ts'
import { counted } from './units.ts'

const shown = 3

/** The most frequent confusions of phrases over all contenders, in words: `"cluster" → "classer" 3 times`. */
export function frequentConfusions({ insights }: Evaluation): readonly string[] {
  const counts = new Map<string, { readonly confusion: Confusion; count: number }>()
  for (const { confusions } of insights) {
    const { substitutions, deletions, insertions } = confusions.phrases
    for (const confusion of [...substitutions, ...deletions, ...insertions]) {
      const key = JSON.stringify([confusion.reference, confusion.hypothesis])
      const known = counts.get(key) ?? { confusion, count: 0 }
      known.count += confusion.count
      counts.set(key, known)
    }
  }
  return [...counts.values()]
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count)
    .slice(0, shown)
    .map(({ confusion, count }) => `${inWords(confusion)} ${counted(count, 'time')}`)
}

function inWords({ reference, hypothesis }: Confusion): string {
  if (reference === null) return `"${hypothesis}" put in`
  if (hypothesis === null) return `"${reference}" left out`
  return `"${reference}" → "${hypothesis}"`
}

/** Loops, hallucinations and missing parts, by contender. */
export function strayAnswers({ insights }: Evaluation): readonly string[] {
  return insights.flatMap(({ contenderId, pathologies }) => {
    const found = pathologies.filter(({ rate }) => rate.numerator > 0)
    if (found.length === 0) return []
    const what = found.map(
      ({ kind, rate }) => `${kindNames[kind]} in ${counted(rate.numerator, 'utterance')}`,
    )
    return [`${contenderId}: ${what.join(', ')}`]
  })
}
