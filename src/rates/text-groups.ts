import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  durationBucket,
  type ErrorLevel,
  type ScoreOptions,
  type ScoreTally,
  startTally,
  type UtteranceScore,
} from '#scoring'
import { errorRateSchema } from './error-rate.ts'
import { languageTag } from './language-tag.ts'
import { type RateTally, startRateTally } from './rate-tally.ts'

/** Under so many utterances a group's rate says little; it is shown, and flagged. */
const smallGroup = 20
// Of every group: 2,000 give the interval to about a twentieth of its width.
const groupReplicates = 2000

const share = z.number().min(0).max(1).nullable()

const textGroup = z
  .strictObject({
    name: z
      .string()
      .nullable()
      .describe('Name of the group; null for utterances without what is grouped by.'),
    utteranceCount: z.int().min(0).describe('Utterances.'),
    speakerCount: z.int().nullable().describe('Speakers; null where a speaker is unknown.'),
    coverage: share.describe('Answered / all, 0..1; null without utterances.'),
    words: errorRateSchema.describe('Word errors, over what was answered.'),
    characters: errorRateSchema.nullable().describe('Character errors; null where only words were counted.'),
    sentenceErrorRate: share.describe(
      'Share of answered utterances with a word error, 0..1; null without any.',
    ),
    isSmall: z.boolean().describe('Whether it has fewer than 20 utterances.'),
    profile: z
      .string()
      .nullable()
      .describe('Of a language in a corpus of several: the profile that scores it; null otherwise.'),
  })
  .meta({ id: 'TextGroup', description: 'The utterances that have something in common.' })
export type TextGroup = DeepReadonly<z.infer<typeof textGroup>>

export const textGroupingSchema = z
  .strictObject({
    by: z.string().describe('`speaker`, `duration` or the name of a tag.'),
    groups: z.array(textGroup).describe('The groups, in order of their words, most first.'),
  })
  .meta({ id: 'TextGrouping', description: 'One way to group, with its groups.' })
export type TextGrouping = DeepReadonly<z.infer<typeof textGroupingSchema>>

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
        .map(([name, sum]) => ({
          ...groupResult(name, sum, options, seed),
          profile: by === 'language' ? (options.profile.ofLanguage?.(languageTag(name)).id ?? null) : null,
        }))
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
): Omit<TextGroup, 'profile'> {
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
