import type { PlannedUtterance } from '#journal'
import { clusteringsOf, type ErrorRate, pooledErrorRate, speakerCountOf } from '#rates'
import { durationBucket, type Profile, profileOfUtterance } from '#scoring'
import type { Breakdown, BreakdownGroup } from '../documents/error-analysis/rates.ts'
import { wrongShare } from '../figures/contender-evaluation.ts'
import type { ScoredRequest } from '../requests/scored-request.ts'
import type { TranscriptScore } from '../requests/transcript-scorer.ts'
import { secondaryReplicates } from './counted-rate.ts'

/** Under so many utterances a group's rate says little. */
const smallGroup = 20
const listedGroups = 100

const groupings: Readonly<
  Record<Breakdown['by'], (utterance: PlannedUtterance) => readonly (string | null)[]>
> = {
  speaker: ({ speaker }) => [speaker],
  tag: ({ tags }) => (tags.length === 0 ? [null] : tags),
  language: ({ language }) => [language],
  source: ({ source }) => [source],
  duration: ({ durationSeconds }) => [durationBucket(durationSeconds)],
}

/**
 * Error rates by the fields of the corpus. Where all are of one group, as of one language, that group is
 * alone; where no utterance has the field, there is no breakdown.
 */
export function breakdownsOf(
  scored: readonly ScoredRequest[],
  seed: number,
  rules: Profile,
): readonly Breakdown[] {
  const requests = scored.map((request) => request)
  return (Object.keys(groupings) as Breakdown['by'][]).flatMap((by) => {
    const groups = groupRequests(requests, groupings[by])
    if (groups.size === 0 || (groups.size === 1 && groups.has(null))) return []
    const all = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, listedGroups)
    const isScoredEach = by === 'language' && rules.ofLanguage !== undefined
    const made = all.map(([name, members]) => ({
      ...groupOf(name, members, seed),
      ...(isScoredEach ? { profile: profileOf(name, rules) } : {}),
    }))
    return [{ by, groupCount: groups.size, groups: made.sort(by === 'duration' ? byLength : byWords) }]
  })
}

function profileOf(language: string | null, rules: Profile): NonNullable<BreakdownGroup['profile']> {
  const { id, leads } = profileOfUtterance(rules, language)
  return { id, leads }
}

function groupRequests(
  requests: readonly ScoredRequest[],
  namesOf: (utterance: PlannedUtterance) => readonly (string | null)[],
): ReadonlyMap<string | null, ScoredRequest[]> {
  const groups = new Map<string | null, ScoredRequest[]>()
  for (const request of requests) {
    for (const name of new Set(namesOf(request.resolved.utterance))) {
      const members = groups.get(name)
      if (members === undefined) groups.set(name, [request])
      else members.push(request)
    }
  }
  return groups
}

function groupOf(name: string | null, members: readonly ScoredRequest[], seed: number): BreakdownGroup {
  const utterances = [...new Set(members.map(({ resolved }) => resolved.utterance))]
  const rateOf = (level: keyof TranscriptScore, replicates: number): ErrorRate => {
    const terms = members.flatMap(({ resolved: { utterance }, score, weight }) =>
      score === null ? [] : [{ counts: score[level], utterance, weight }],
    )
    return pooledErrorRate(terms, clusteringsOf(utterances), seed, replicates)
  }
  const characters = rateOf('characters', 0)
  return {
    name,
    utteranceCount: utterances.length,
    speakerCount: speakerCountOf(utterances),
    askedCount: members.filter(({ resolved: { status } }) => status === 'scored' || status === 'failed')
      .length,
    scoredCount: members.filter(({ score }) => score !== null).length,
    words: rateOf('words', secondaryReplicates),
    characters: characters.counts,
    characterErrorRate: characters.rate,
    sentenceErrorRate: wrongShare(members),
    isSmall: utterances.length < smallGroup,
  }
}

function byWords(a: BreakdownGroup, b: BreakdownGroup): number {
  return b.words.referenceLength - a.words.referenceLength || ((a.name ?? '') < (b.name ?? '') ? -1 : 1)
}

/** `0-2 s` before `10-30 s`. */
function byLength(a: BreakdownGroup, b: BreakdownGroup): number {
  return Number.parseInt(a.name ?? '', 10) - Number.parseInt(b.name ?? '', 10) || byWords(b, a)
}
