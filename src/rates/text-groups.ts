import {
  durationBucket,
  type ErrorLevel,
  type ScoreOptions,
  type ScoreTally,
  startTally,
  type UtteranceScore,
} from '#scoring'
import type { ErrorRate } from './error-rate.ts'
import { type RateTally, startRateTally } from './rate-tally.ts'

/** Under so many utterances a group's rate says little; it is shown, and flagged. */
const smallGroup = 20
// Of every group: 2,000 tell the interval to about a twentieth of its width.
const groupReplicates = 2000

/** The utterances that have something in common. */
export interface TextGroup {
  /** Null for those that lack what is grouped by. */
  readonly name: string | null
  readonly utteranceCount: number
  /** Null where a speaker is unknown. */
  readonly speakerCount: number | null
  /** Answered / all, 0..1. */
  readonly coverage: number | null
  readonly words: ErrorRate
  /** Null where only words were counted. */
  readonly characters: ErrorRate | null
  /** Share of answered utterances with a word error, 0..1. */
  readonly sentenceErrorRate: number | null
  /** Fewer than 20 utterances. */
  readonly isSmall: boolean
}

/** One way to group, with its groups, the most words first. */
export interface TextGrouping {
  /** `speaker`, `duration` or the name of a tag. */
  readonly by: string
  readonly groups: readonly TextGroup[]
}

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
        .map(([name, sum]) => groupResult(name, sum, options, seed))
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
): TextGroup {
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
