import type { PlannedUtterance } from '#journal'
import { type KeywordCounts, keywordF1, keywordKey, keywordSearch, type Profile } from '#scoring'
import type { KeywordAnalysis } from '../documents/error-analysis/answers.ts'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'

const listedKeywords = 200

/**
 * Recall and precision of keywords: words and phrases of the vocabulary, and those that the corpus gives for
 * single utterances. What is of the vocabulary is looked for in every reference; a keyword of an utterance only
 * in its own, but in the answers to all: there it would be made up.
 *
 * @param corpusWide the vocabulary
 * @param utterances all that were asked for
 * @returns null where there is nothing to look for
 */
export function startKeywords(
  corpusWide: readonly string[],
  utterances: Iterable<PlannedUtterance>,
  profile: Profile,
  options: IntervalOptions,
): AnswerTally<KeywordAnalysis> | null {
  const everywhere = new Set(corpusWide.map((keyword) => keywordKey(keyword, profile)))
  const known = new Map<string, string>()
  const note = (keyword: string): void => {
    const key = keywordKey(keyword, profile)
    if (key !== '' && !known.has(key)) known.set(key, keyword)
  }
  for (const keyword of corpusWide) note(keyword)
  for (const { keywords = [] } of utterances) for (const keyword of keywords) note(keyword)
  if (known.size === 0) return null
  const search = keywordSearch([...known.values()], profile)
  const sums = new Map<string, { found: number; missed: number; invented: number }>()
  const said: RateTerm[] = []
  const heard: RateTerm[] = []
  return {
    add({ utterance, times }, { steps }) {
      const own = new Set((utterance.keywords ?? []).map((keyword) => keywordKey(keyword, profile)))
      const total = { found: 0, missed: 0, invented: 0 }
      for (const { keyword, found, missed, invented } of search(steps)) {
        const key = keywordKey(keyword, profile)
        const isSought = everywhere.has(key) || own.has(key)
        const counts = isSought ? { found, missed, invented } : { found: 0, missed: 0, invented }
        if (counts.found + counts.missed + counts.invented === 0) continue
        const sum = sums.get(keyword) ?? { found: 0, missed: 0, invented: 0 }
        sums.set(keyword, sum)
        for (const each of [sum, total]) {
          each.found += counts.found * times
          each.missed += counts.missed * times
          each.invented += counts.invented * times
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
        keywordCount: known.size,
      }
    },
  }
}

function mostWrong(a: KeywordCounts, b: KeywordCounts): number {
  return b.missed + b.invented - (a.missed + a.invented) || (a.keyword < b.keyword ? -1 : 1)
}
