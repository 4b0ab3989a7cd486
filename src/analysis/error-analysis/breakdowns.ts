import type { PlannedUtterance } from '#journal'
import type { Rows } from '#prelude'
import { clusteringsOf, pooledErrorRate, speakerCountOf } from '#rates'
import { durationBucket, errorCount, errorRate, type Profile, profileOfUtterance, sumCounts } from '#scoring'
import type { Breakdown, BreakdownGroup } from '../documents/error-analysis/rates.ts'
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

/** What a group is made of. */
interface Member {
  readonly utterance: PlannedUtterance
  readonly score: TranscriptScore | null
  readonly wasAsked: boolean
}

/**
 * Error rates by the fields of the corpus. Where all are of one group, as of one language, that group is
 * alone; where no utterance has the field, there is no breakdown.
 */
export function breakdownsOf(
  scored: Rows<ScoredRequest>,
  seed: number,
  rules: Profile,
): readonly Breakdown[] {
  const requests = scored.map(({ resolved: { utterance, status }, score }): Member => {
    return { utterance, score, wasAsked: status === 'scored' || status === 'failed' }
  })
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
  requests: readonly Member[],
  namesOf: (utterance: PlannedUtterance) => readonly (string | null)[],
): ReadonlyMap<string | null, Member[]> {
  const groups = new Map<string | null, Member[]>()
  for (const request of requests) {
    for (const name of new Set(namesOf(request.utterance))) {
      const members = groups.get(name)
      if (members === undefined) groups.set(name, [request])
      else members.push(request)
    }
  }
  return groups
}

function groupOf(name: string | null, members: readonly Member[], seed: number): BreakdownGroup {
  const scored = members.flatMap(({ utterance, score }) => (score === null ? [] : [{ utterance, score }]))
  const utterances = [...new Set(members.map(({ utterance }) => utterance))]
  const characters = sumCounts(scored.map(({ score }) => score.characters))
  const wrong = scored.filter(({ score }) => errorCount(score.words) > 0).length
  return {
    name,
    utteranceCount: utterances.length,
    speakerCount: speakerCountOf(utterances),
    askedCount: members.filter(({ wasAsked }) => wasAsked).length,
    scoredCount: scored.length,
    words: pooledErrorRate(
      scored.map(({ utterance, score }) => ({ counts: score.words, utterance })),
      clusteringsOf(utterances),
      seed,
      secondaryReplicates,
    ),
    characters,
    characterErrorRate: errorRate(characters),
    sentenceErrorRate: scored.length === 0 ? null : wrong / scored.length,
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
