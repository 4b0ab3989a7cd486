import type { PlannedUtterance } from '#journal'
import {
  type EntityType,
  entityTypes,
  keywordKey,
  keywordSearch,
  type Profile,
  profileOfUtterance,
} from '#scoring'
import type { EntityAnalysis } from '../documents/error-analysis/answers.ts'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'

const listedEntities = 20

interface TypeSums {
  readonly said: RateTerm[]
  readonly missed: RateTerm[]
  readonly heard: RateTerm[]
  invented: number
  readonly missedTexts: Map<string, number>
}

/**
 * Recall, precision and missed rate of the entities of a manifest, by type. An entity is found where all its words are hits in
 * a row. It is missed in its own utterance alone, and invented in any that recognises it where it was not spoken.
 *
 * @param utterances all that were asked for
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
  const sums = new Map(types.map((type) => [type, emptySums()] as const))
  const searches = new Map<Profile, ReadonlyMap<EntityType, ReturnType<typeof keywordSearch>>>()
  const searchOf = (profile: Profile): ReadonlyMap<EntityType, ReturnType<typeof keywordSearch>> => {
    const known =
      searches.get(profile) ??
      new Map(types.map((type) => [type, keywordSearch([...(texts.get(type) ?? [])], profile)]))
    searches.set(profile, known)
    return known
  }
  return {
    add({ utterance, times }, { steps }) {
      if (types.length === 0) return
      const profile = profileOfUtterance(rules, utterance.language)
      for (const [type, search] of searchOf(profile)) {
        const own = new Set(
          (utterance.entities ?? [])
            .filter((entity) => entity.type === type)
            .map(({ text }) => keywordKey(text, profile)),
        )
        const sum = sums.get(type) as TypeSums
        let [found, missed, invented] = [0, 0, 0]
        for (const counts of search(steps)) {
          invented += counts.invented
          if (!own.has(keywordKey(counts.keyword, profile))) continue
          found += counts.found
          missed += counts.missed
          if (counts.missed === 0) continue
          sum.missedTexts.set(
            counts.keyword,
            (sum.missedTexts.get(counts.keyword) ?? 0) + counts.missed * times,
          )
        }
        sum.said.push({ utterance, numerator: found * times, denominator: (found + missed) * times })
        sum.missed.push({ utterance, numerator: missed * times, denominator: (found + missed) * times })
        sum.heard.push({ utterance, numerator: found * times, denominator: (found + invented) * times })
        sum.invented += invented * times
      }
    },
    result: () => [...sums].map(([type, sum]) => analysisOf(type, sum, options)),
  }
}

function emptySums(): TypeSums {
  return { said: [], missed: [], heard: [], invented: 0, missedTexts: new Map() }
}

function analysisOf(type: EntityType, sum: TypeSums, options: IntervalOptions): EntityAnalysis {
  return {
    type,
    recall: pooledRate(sum.said, options),
    missedRate: pooledRate(sum.missed, options),
    precision: pooledRate(sum.heard, options),
    invented: sum.invented,
    missed: [...sum.missedTexts]
      .map(([text, count]) => ({ text, count }))
      .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
      .slice(0, listedEntities),
  }
}
