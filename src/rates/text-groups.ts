import {
  durationBucket,
  type ErrorLevel,
  type ScoreOptions,
  type ScoreTally,
  startTally,
  type UtteranceScore,
} from '#scoring/counting'
import type { TextGroup, TextGrouping } from './documents.ts'
import { languageTag } from './language-tag.ts'
import { type RateTally, startRateTally } from './rate-tally.ts'

/** Under so many utterances a group's rate says little; it is shown, and flagged. */
const smallGroup = 20
// Of every group: 2,000 give the interval to about a twentieth of its width.
const groupReplicates = 2000

/** Sums utterances up by group, in memory that grows with the groups. */
export interface GroupTally {
  add(score: UtteranceScore): void
  result(seed: number): TextGrouping
}

interface Sums {
  readonly tally: ScoreTally
  readonly rates: Readonly<Record<ErrorLevel, RateTally>>
  isSpeakerUnknown: boolean
}

/** Starts sums by speaker, by the bucket of a `duration` in seconds, or by any other tag. */
export function startGroups(by: string, options: ScoreOptions): GroupTally {
  const sums = new Map<string | null, Sums>()
  return {
    add(score) {
      const name = groupOf(score, by)
      const sum = sums.get(name) ?? {
        tally: startTally(options),
        rates: { words: startRateTally(), characters: startRateTally() },
        isSpeakerUnknown: false,
      }
      sums.set(name, sum)
      sum.tally.add(score)
      if (score.words !== null) sum.rates.words.add(score.words, score.speaker)
      if (score.characters !== null) sum.rates.characters.add(score.characters, score.speaker)
      if (score.speaker === null) sum.isSpeakerUnknown = true
    },
    result: (seed) => ({
      by,
      groups: [...sums]
        .map(([name, sum]) => {
          const profile = by === 'language' ? options.profile.ofLanguage?.(languageTag(name)) : undefined
          return {
            ...groupResult(name, sum, options, seed),
            profile: profile?.id ?? null,
            leads: profile?.leads ?? null,
          }
        })
        .sort((a, b) => b.words.referenceLength - a.words.referenceLength || compare(a.name, b.name)),
    }),
  }
}

function groupOf({ speaker, tags }: UtteranceScore, by: string): string | null {
  if (by === 'speaker') return speaker
  const tag = tags[by] ?? null
  if (by !== 'duration' || tag === null || tag.trim() === '') return tag
  const seconds = Number(tag)
  return seconds >= 0 ? durationBucket(seconds) : tag
}

function groupResult(
  name: string | null,
  { tally, rates, isSpeakerUnknown }: Sums,
  { alignment = 'canonical', only }: ScoreOptions,
  seed: number,
): Omit<TextGroup, 'profile' | 'leads'> {
  const corpus = tally.result()
  const intervals = { alignment, seed, replicates: groupReplicates }
  return {
    name,
    utteranceCount: corpus.utteranceCount,
    speakerCount: isSpeakerUnknown ? null : corpus.speakerCount,
    coverage: corpus.coverage,
    words: rates.words.result(intervals),
    characters: only === 'words' ? null : rates.characters.result(intervals),
    sentenceErrorRate: corpus.sentenceErrorRate,
    isSmall: corpus.utteranceCount < smallGroup,
  }
}

/** By code units: the same order under every locale. */
function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : 1
}
