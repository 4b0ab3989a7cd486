import { countKeywords, type KeywordCounts, keywordF1, type Profile } from '#scoring'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'
import type { KeywordInsight } from './insight.ts'

const listedKeywords = 200

/** Recall and precision of a vocabulary's words and phrases. */
export function startKeywords(
  vocabulary: readonly string[],
  profile: Profile,
  options: IntervalOptions,
): AnswerTally<KeywordInsight> {
  const sums = new Map<string, { found: number; missed: number; invented: number }>()
  const said: RateTerm[] = []
  const heard: RateTerm[] = []
  return {
    add({ utterance, times }, { steps }) {
      const counts = countKeywords(steps, vocabulary, profile)
      const total = { found: 0, missed: 0, invented: 0 }
      for (const { keyword, found, missed, invented } of counts) {
        if (found + missed + invented === 0) continue
        const sum = sums.get(keyword) ?? { found: 0, missed: 0, invented: 0 }
        sums.set(keyword, sum)
        for (const each of [sum, total]) {
          each.found += found * times
          each.missed += missed * times
          each.invented += invented * times
        }
      }
      said.push({ utterance, numerator: total.found, denominator: total.found + total.missed })
      heard.push({ utterance, numerator: total.found, denominator: total.found + total.invented })
    },
    result() {
      const all = [...sums].map(([keyword, counts]): KeywordCounts => ({ keyword, ...counts }))
      const recall = pooledRate(said, options)
      const precision = pooledRate(heard, options)
      const found = recall.numerator
      return {
        recall,
        precision,
        f1: keywordF1({
          keyword: '',
          found,
          missed: recall.denominator - found,
          invented: precision.denominator - found,
        }),
        keywords: all.sort(mostWrong).slice(0, listedKeywords),
        keywordCount: vocabulary.length,
      }
    },
  }
}

function mostWrong(a: KeywordCounts, b: KeywordCounts): number {
  return b.missed + b.invented - (a.missed + a.invented) || (a.keyword < b.keyword ? -1 : 1)
}
