import { addCounts, errorRate, noErrors, referenceLength, timesCounts } from '#scoring'
import type { NameAnalysis, NameCounts } from '../documents/error-analysis/formatting.ts'
import type { Explained } from '../documents/error-analysis/rates.ts'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'

const listedNames = 200

/** What became of the names, over the answers in languages where a capital inside a sentence means one. */
export function startNames(options: IntervalOptions): AnswerTally<Explained<NameAnalysis>> {
  const byName = new Map<string, { name: string; said: number; wrong: number }>()
  const terms: RateTerm[] = []
  let counts = noErrors
  let isKnown = false
  return {
    add({ utterance, times }, { names }) {
      if (/^(?:de|lb|nds|gsw)(?:-|$)/i.test(utterance.language ?? '')) return
      isKnown = true
      let found = noErrors
      for (const { name, kind } of names) {
        found = addCounts(found, { ...noErrors, [`${kind}s`]: 1 })
        if (kind === 'insertion') continue
        const key = name.toLowerCase()
        const known = byName.get(key) ?? { name, said: 0, wrong: 0 }
        byName.set(key, known)
        known.said += times
        if (kind !== 'hit') known.wrong += times
      }
      counts = addCounts(counts, timesCounts(found, times))
      const { substitutions, deletions } = found
      terms.push({
        utterance,
        numerator: (substitutions + deletions) * times,
        denominator: referenceLength(found) * times,
      })
    },
    result() {
      if (!isKnown) return { reason: 'in this language every noun has a capital', rate: null }
      if (errorRate(counts) === null && counts.insertions === 0) {
        return { reason: 'no word has a capital inside a sentence', rate: null }
      }
      return {
        reason: null,
        rate: pooledRate(terms, options),
        counts,
        nameCount: byName.size,
        names: [...byName.values()].sort(mostWrong).slice(0, listedNames),
      }
    },
  }
}

function mostWrong(a: NameCounts, b: NameCounts): number {
  return b.wrong - a.wrong || b.said - a.said || (a.name < b.name ? -1 : 1)
}
