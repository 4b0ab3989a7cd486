import { defineErrors, type ErrorTable, ownValue } from '#prelude'
import type { AlignmentRule } from '#scoring/alignment/align'
import { addCounts, errorCount, hypothesisLength, noErrors, ratesOf, referenceLength } from '#scoring/counts'
import { durationBucket, startConfusions } from '#scoring/error-analysis/confusions'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { ScoreOptions } from '#scoring/read-pair'
import { type ScoreTally, startTally } from '#scoring/score-corpus'
import type { UtteranceScore } from '#scoring/score-utterance'
import type { AlignmentStep, ErrorCounts } from '#scoring/shapes'
import type { RatioTerm } from '#statistics/bootstrap'
import type { ErrorRate, ProfileChoice, TextGroup, TextGrouping, TextScore } from './documents.ts'
import { believableInterval, resampledInterval } from './error-rate.ts'
import { languageTag, type ScoredPair, type TextScoreOptions, textScoreFormatVersion } from './scored-pair.ts'

/** Adds up scored utterances, in the order of the calls. */
export interface TextTally {
  /** @param errors alignment steps of its words, if confusions are counted */
  add(pair: ScoredPair, errors?: readonly AlignmentStep[]): void
  /** @throws BenchError GROUPING_UNKNOWN for a tag that no utterance has */
  result(): Omit<TextScore, 'worst'>
}

/**
 * Starts a tally, whose memory grows by a few bytes per utterance.
 *
 * @param scoring options with which the utterances are scored
 */
export function startTextTally(options: TextScoreOptions, scoring: ScoreOptions): TextTally {
  const tally = startTally(scoring)
  const [ofWords, ofCharacters] = [startRateTally(), startRateTally()]
  /** Null while every utterance was answered, because it would equal `ofWords`. */
  let failedAsEmpty: RateTally | null = null
  const fields = options.by ?? []
  const isEachLanguage = scoring.profile.ofLanguage !== undefined && !fields.includes('language')
  const groupings = [...(isEachLanguage ? ['language'] : []), ...fields].map((by) => startGroups(by, scoring))
  const confused = options.confusions === undefined ? null : startConfusions()
  const tagNames = new Set<string>()
  let vowelSignsLostCount = 0
  let isSpeakerUnknown = false
  let hasSpeakers = false
  return {
    add({ score, losesVowelSigns }, errors = []) {
      const { words, characters, speaker } = score
      tally.add(score)
      if (words === null) failedAsEmpty ??= ofWords.copy()
      failedAsEmpty?.add(score.wordsFailedAsEmpty, speaker)
      if (words !== null) ofWords.add(words, speaker)
      if (characters !== null) ofCharacters.add(characters, speaker)
      if (words !== null) confused?.add({ id: score.id, steps: errors })
      for (const grouping of groupings) grouping.add(score)
      if (losesVowelSigns) vowelSignsLostCount += 1
      for (const name in score.tags) tagNames.add(name)
      if (speaker === null) isSpeakerUnknown = true
      else hasSpeakers = true
    },
    result() {
      checkGroupings(options.by ?? [], new Set([...tagNames, ...(hasSpeakers ? ['speaker'] : [])]))
      const { seed, only } = options
      const corpus = tally.result()
      const intervals = { alignment: corpus.alignment, seed, replicates: 10_000 }
      const words = ofWords.result(intervals)
      return {
        formatVersion: textScoreFormatVersion,
        profile: corpus.profile,
        alignment: corpus.alignment,
        characterRule: corpus.characterRule,
        seed,
        utteranceCount: corpus.utteranceCount,
        speakerCount: isSpeakerUnknown ? null : corpus.speakerCount,
        coverage: corpus.coverage,
        words,
        characters: only === 'words' ? null : ofCharacters.result(intervals),
        wordsFailedAsEmpty: failedAsEmpty?.result(intervals) ?? words,
        wordRates: corpus.wordRates,
        sentenceErrorRate: corpus.sentenceErrorRate,
        meanUtteranceRate: corpus.meanUtteranceRate,
        silent: corpus.silent,
        emptiedReferences: corpus.emptied,
        sclite: readScliteOptions(options),
        profileBy: describeChoice(options, scoring),
        vowelSignsLostCount,
        tagNames: [...tagNames].sort(),
        groupings: groupings.map((grouping) => grouping.result(seed)),
        confusions: confused?.result(options.confusions) ?? null,
      }
    },
  }
}

function readScliteOptions({ alignment, sclite = {} }: TextScoreOptions): TextScore['sclite'] {
  if (alignment !== 'sclite') return null
  const { optionalDeletions = false, fragments = false } = sclite
  return { optionalDeletions, fragments }
}

function describeChoice(
  { profile, alignment, language }: TextScoreOptions,
  scoring: ScoreOptions,
): ProfileChoice {
  if (profile !== undefined) return 'name'
  if (alignment === 'jiwer' || alignment === 'sclite') return 'alignment'
  if (language !== undefined) return 'language'
  if (scoring.profile.ofLanguage !== undefined) return 'languages'
  return scoring.profile.leads === 'characters' ? 'script' : 'nothing'
}

function checkGroupings(by: readonly string[], available: ReadonlySet<string>): void {
  const unknown = by.filter((name) => !available.has(name))
  if (unknown.length === 0) return
  const listed = [...available].sort()
  throw ratesErrors.make('GROUPING_UNKNOWN', {
    message: `no utterance has ${unknown.map((name) => `"${name}"`).join(' or ')} to group by`,
    hint:
      listed.length === 0
        ? 'give rows of {"id", "reference", "hypothesis"} with further fields: they become tags'
        : `there are: ${listed.join(', ')}`,
  })
}

/** Number of utterances below which a group is flagged, because its rate says little. */
const smallGroup = 20
// Replicates per group; 2,000 give the interval to about a twentieth of its width.
const groupReplicates = 2000

/** Adds up utterances per group, in memory that grows with the number of groups. */
interface GroupTally {
  add(score: UtteranceScore): void
  result(seed: number): TextGrouping
}

interface GroupSums {
  readonly tally: ScoreTally
  readonly rates: Readonly<Record<ErrorLevel, RateTally>>
  isSpeakerUnknown: boolean
}

/** Starts tallies by speaker, by the bucket of a `duration` in seconds, or by any other tag. */
function startGroups(by: string, options: ScoreOptions): GroupTally {
  const sums = new Map<string | null, GroupSums>()
  return {
    add(score) {
      const name = findGroup(score, by)
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

function findGroup({ speaker, tags }: UtteranceScore, by: string): string | null {
  if (by === 'speaker') return speaker
  const tag = ownValue(tags, by) ?? null
  if (by !== 'duration' || tag === null || tag.trim() === '') return tag
  const seconds = Number(tag)
  return seconds >= 0 ? durationBucket(seconds) : tag
}

function groupResult(
  name: string | null,
  { tally, rates, isSpeakerUnknown }: GroupSums,
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

/** Compares by code units, so that the order is the same in every locale. */
function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** Adds up utterances to an error rate with its interval, in memory that does not grow with their number. */
interface RateTally {
  add(counts: ErrorCounts, speaker: string | null): void
  /** Returns an independent tally that starts with the current sums. */
  copy(): RateTally
  /** @param replicates number of bootstrap replicates, used with few utterances; with many the interval is computed */
  result(options: {
    readonly alignment: AlignmentRule
    readonly seed: number
    readonly replicates: number
  }): ErrorRate
}

/**
 * Starts a tally. The interval is resampled by speaker where every speaker is known, otherwise by utterance. Errors
 * and lengths are small whole numbers: a million utterances have some thousand different pairs. Only these are
 * kept, each with its frequency.
 */
function startRateTally(sums: Sums = emptySums()): RateTally {
  return {
    add(counts, speaker) {
      sums.counts = addCounts(sums.counts, counts)
      const numerator = errorCount(counts)
      const denominator = referenceLength(counts)
      const key = pairKey(numerator, denominator)
      let index = sums.indexes.get(key)
      if (index === undefined) {
        index = sums.terms.push({ numerator, denominator }) - 1
        sums.indexes.set(key, index)
        sums.counted.push(0)
      }
      sums.counted[index] = (sums.counted[index] as number) + 1
      if (speaker === null) sums.isSpeakerUnknown = true
      else sums.bySpeaker.set(speaker, addTerm(sums.bySpeaker.get(speaker), numerator, denominator))
    },
    copy: () =>
      startRateTally({
        ...sums,
        terms: [...sums.terms],
        counted: [...sums.counted],
        indexes: new Map(sums.indexes),
        bySpeaker: new Map(sums.bySpeaker),
      }),
    result: ({ alignment, ...intervals }) => ({
      rate: ratesOf(sums.counts, alignment).errorRate,
      ...believableInterval(
        resampledInterval(
          sums.terms,
          sums.counted,
          sums.isSpeakerUnknown ? null : [...sums.bySpeaker.values()],
          intervals,
        ),
        sums.counts,
      ),
      counts: sums.counts,
      referenceLength: referenceLength(sums.counts),
      hypothesisLength: hypothesisLength(sums.counts),
    }),
  }
}

type Sums = ReturnType<typeof emptySums>

function emptySums() {
  return {
    terms: [] as RatioTerm[],
    /** Frequency of each term. */
    counted: [] as number[],
    indexes: new Map<number, number>(),
    bySpeaker: new Map<string, RatioTerm>(),
    isSpeakerUnknown: false,
    counts: noErrors,
  }
}

/** Combines two whole numbers into one by Cantor's pairing function; exact while their sum is below 100 million. */
function pairKey(numerator: number, denominator: number): number {
  const both = numerator + denominator
  return (both * (both + 1)) / 2 + denominator
}

function addTerm(sum: RatioTerm | undefined, numerator: number, denominator: number): RatioTerm {
  if (sum === undefined) return { numerator, denominator }
  return { numerator: sum.numerator + numerator, denominator: sum.denominator + denominator }
}

export const ratesErrors: ErrorTable<'GROUPING_UNKNOWN'> = defineErrors({ GROUPING_UNKNOWN: 'badInput' })
