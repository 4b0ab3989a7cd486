import type { PlannedUtterance } from '#journal/plan-line'
import { addCounts, errorRate, noErrors, referenceLength, timesCounts } from '#scoring/counts'
import { keywordF1, keywordKey, keywordSearch } from '#scoring/error-analysis/keywords'
import { type EntityType, entityTypes, type WordClass, wordClasses } from '#scoring/kinds'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import type { Profile } from '#scoring/profiles/profile'
import type { KeywordCounts, NumberFindings } from '#scoring/shapes'
import type {
  ClassAnalysis,
  EntityAnalysis,
  KeywordAnalysis,
  NameAnalysis,
  NameCounts,
  NumberAnalysis,
} from '../documents/error-analysis.ts'
import type { Explained } from '../documents/error-rates.ts'
import type { AnswerTally } from './answer-facts.ts'
import { type IntervalOptions, nothingScored, type RateTally, startRate } from './counted-rate.ts'

const listedKeywords = 200

/** Makes something once for each profile: a corpus of several languages has one for each of them. */
function onceForEach<Made>(make: (profile: Profile) => Made): (profile: Profile) => Made {
  const byProfile = new Map<Profile, Made>()
  return (profile) => {
    const made = byProfile.get(profile) ?? make(profile)
    byProfile.set(profile, made)
    return made
  }
}

/**
 * Measures recall and precision of keywords: those of the vocabulary, and those that the corpus has for single
 * utterances. Terms of the vocabulary are searched in every reference. A keyword of an utterance is searched in its
 * own reference, but in the answers to all utterances, where it would be invented.
 *
 * @param corpusWide the vocabulary
 * @param utterances all utterances of the run
 * @returns null where there is nothing to look for
 */
export function startKeywords(
  corpusWide: readonly string[],
  utterances: Iterable<PlannedUtterance>,
  rules: Profile,
  options: IntervalOptions,
): AnswerTally<KeywordAnalysis> | null {
  const keywordsByKey = new Map<string, string>()
  const register = (keyword: string): void => {
    const key = keywordKey(keyword, rules)
    if (key !== '' && !keywordsByKey.has(key)) keywordsByKey.set(key, keyword)
  }
  for (const keyword of corpusWide) register(keyword)
  for (const { keywords = [] } of utterances) for (const keyword of keywords) register(keyword)
  if (keywordsByKey.size === 0) return null
  const searchIn = onceForEach((profile) => ({
    everywhere: new Set(corpusWide.map((keyword) => keywordKey(keyword, profile))),
    find: keywordSearch([...keywordsByKey.values()], profile),
  }))
  const sums = new Map<string, { found: number; missed: number; invented: number }>()
  const [recall, precision] = [startRate(options), startRate(options)]
  return {
    add({ utterance, times }, { steps }) {
      const profile = profileOfUtterance(rules, utterance.language)
      const { everywhere, find } = searchIn(profile)
      const utteranceKeys = new Set((utterance.keywords ?? []).map((keyword) => keywordKey(keyword, profile)))
      const total = { found: 0, missed: 0, invented: 0 }
      for (const { keyword, found, missed, invented } of find(steps)) {
        const key = keywordKey(keyword, profile)
        const isSought = everywhere.has(key) || utteranceKeys.has(key)
        const counts = isSought ? { found, missed, invented } : { found: 0, missed: 0, invented }
        if (counts.found + counts.missed + counts.invented === 0) continue
        const sum = sums.get(keyword) ?? { found: 0, missed: 0, invented: 0 }
        sums.set(keyword, sum)
        for (const counter of [sum, total]) {
          counter.found += counts.found * times
          counter.missed += counts.missed * times
          counter.invented += counts.invented * times
        }
      }
      recall.add(utterance, total.found, total.found + total.missed)
      precision.add(utterance, total.found, total.found + total.invented)
    },
    result() {
      const all = [...sums].map(([keyword, counts]): KeywordCounts => ({ keyword, ...counts }))
      const [recallRate, precisionRate] = [recall.rate(), precision.rate()]
      const found = recallRate.numerator
      const [missed, invented] = [recallRate.denominator - found, precisionRate.denominator - found]
      return {
        recall: recallRate,
        precision: precisionRate,
        f1: keywordF1({ keyword: '', found, missed, invented }),
        keywords: all.sort(mostWrong).slice(0, listedKeywords),
        keywordCount: keywordsByKey.size,
      }
    },
  }
}

function mostWrong(a: KeywordCounts, b: KeywordCounts): number {
  return b.missed + b.invented - (a.missed + a.invented) || (a.keyword < b.keyword ? -1 : 1)
}

const listedEntities = 20

interface TypeSums {
  readonly recall: RateTally
  readonly missed: RateTally
  readonly precision: RateTally
  invented: number
  readonly missedTexts: Map<string, number>
}

/**
 * Measures recall, precision and missed rate of the manifest's entities, by type. An entity is found where all its
 * words are consecutive hits. It can be missed only in its own utterance. It is invented in any answer that has it
 * although it was not spoken.
 *
 * @param utterances all utterances of the run
 * @returns empty where the manifest has no entities
 */
export function startEntities(
  utterances: Iterable<PlannedUtterance>,
  rules: Profile,
  options: IntervalOptions,
): AnswerTally<readonly EntityAnalysis[]> {
  const texts = new Map<EntityType, Set<string>>()
  for (const { entities = [] } of utterances) {
    for (const { type, text } of entities) texts.set(type, (texts.get(type) ?? new Set()).add(text))
  }
  const types = entityTypes.filter((type) => texts.has(type))
  const sums = new Map(
    types.map((type): [EntityType, TypeSums] => {
      const [recall, missed, precision] = [startRate(options), startRate(options), startRate(options)]
      return [type, { recall, missed, precision, invented: 0, missedTexts: new Map() }]
    }),
  )
  const searchesIn = onceForEach(
    (profile) => new Map(types.map((type) => [type, keywordSearch([...(texts.get(type) ?? [])], profile)])),
  )
  return {
    add({ utterance, times }, { steps }) {
      if (types.length === 0) return
      const profile = profileOfUtterance(rules, utterance.language)
      for (const [type, search] of searchesIn(profile)) {
        const entityKeys = new Set(
          (utterance.entities ?? [])
            .filter((entity) => entity.type === type)
            .map(({ text }) => keywordKey(text, profile)),
        )
        const sum = sums.get(type) as TypeSums
        let [found, missed, invented] = [0, 0, 0]
        for (const counts of search(steps)) {
          invented += counts.invented
          if (!entityKeys.has(keywordKey(counts.keyword, profile))) continue
          found += counts.found
          missed += counts.missed
          if (counts.missed === 0) continue
          const missedBefore = sum.missedTexts.get(counts.keyword) ?? 0
          sum.missedTexts.set(counts.keyword, missedBefore + counts.missed * times)
        }
        sum.recall.add(utterance, found * times, (found + missed) * times)
        sum.missed.add(utterance, missed * times, (found + missed) * times)
        sum.precision.add(utterance, found * times, (found + invented) * times)
        sum.invented += invented * times
      }
    },
    result: () =>
      [...sums].map(([type, { recall, missed, precision, invented, missedTexts }]) => ({
        type,
        recall: recall.rate(),
        missedRate: missed.rate(),
        precision: precision.rate(),
        invented,
        missed: [...missedTexts]
          .map(([text, count]) => ({ text, count }))
          .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
          .slice(0, listedEntities),
      })),
  }
}

/** Compares the numbers in English answers. */
export function startNumbers(options: IntervalOptions): AnswerTally<Explained<NumberAnalysis>> {
  const sum = { right: 0, formatOnly: 0, wrong: 0, missing: 0, invented: 0 }
  const byClass = new Map(wordClasses.map((each) => [each, noErrors]))
  const missedRate = startRate(options)
  let hasAnswers = false
  let isHeard = false
  return {
    add({ utterance, times }, { figures }) {
      hasAnswers = true
      if (figures === null) return
      isHeard = true
      const { numbers: found, classes: counts } = figures
      for (const kind of Object.keys(sum) as (keyof NumberFindings)[]) sum[kind] += found[kind] * times
      for (const wordClass of wordClasses) {
        const classCounts = byClass.get(wordClass) ?? noErrors
        byClass.set(wordClass, addCounts(classCounts, timesCounts(counts[wordClass], times)))
      }
      const errors = found.wrong + found.missing
      const said = found.right + found.formatOnly + errors
      missedRate.add(utterance, errors * times, said * times)
    },
    result() {
      if (!isHeard) {
        return { reason: hasAnswers ? 'spoken numbers are only known in English' : nothingScored, rate: null }
      }
      const isSilent = [...byClass.values()].every((counts) => Object.values(counts).every((n) => n === 0))
      if (isSilent) return { reason: 'no number, sum or date was said or recognised', rate: null }
      const analysis = (wordClass: WordClass): ClassAnalysis => {
        const counts = byClass.get(wordClass) ?? noErrors
        return { counts, rate: errorRate(counts) }
      }
      return {
        ...sum,
        reason: null,
        rate: missedRate.rate(),
        classes: {
          number: analysis('number'),
          money: analysis('money'),
          percent: analysis('percent'),
          ordinal: analysis('ordinal'),
          date: analysis('date'),
        },
      }
    },
  }
}

const listedNames = 200

/** Compares names, in the answers in languages where a capital inside a sentence marks a name. */
export function startNames(options: IntervalOptions): AnswerTally<Explained<NameAnalysis>> {
  const byName = new Map<string, { name: string; said: number; wrong: number }>()
  const wrongRate = startRate(options)
  let counts = noErrors
  let hasAnswers = false
  let isKnown = false
  return {
    add({ utterance, times }, { names }) {
      hasAnswers = true
      if (names === null) return
      isKnown = true
      let found = noErrors
      for (const { name, kind } of names) {
        found = addCounts(found, { ...noErrors, [`${kind}s`]: 1 })
        if (kind === 'insertion') continue
        const key = name.toLowerCase()
        const nameCounts = byName.get(key) ?? { name, said: 0, wrong: 0 }
        byName.set(key, nameCounts)
        nameCounts.said += times
        if (kind !== 'hit') nameCounts.wrong += times
      }
      counts = addCounts(counts, timesCounts(found, times))
      const { substitutions, deletions } = found
      wrongRate.add(utterance, (substitutions + deletions) * times, referenceLength(found) * times)
    },
    result() {
      if (!isKnown) {
        return {
          reason: hasAnswers ? 'in this language every noun has a capital' : nothingScored,
          rate: null,
        }
      }
      if (errorRate(counts) === null && counts.insertions === 0) {
        return { reason: 'no word has a capital inside a sentence', rate: null }
      }
      return {
        reason: null,
        rate: wrongRate.rate(),
        counts,
        nameCount: byName.size,
        names: [...byName.values()].sort(mostWrongName).slice(0, listedNames),
      }
    },
  }
}

function mostWrongName(a: NameCounts, b: NameCounts): number {
  return b.wrong - a.wrong || b.said - a.said || (a.name < b.name ? -1 : 1)
}
