import { defineErrors, type ErrorTable } from '#prelude'
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

/** Adds utterances up that were counted elsewhere, in the order in which they are to be. */
export interface TextTally {
  /** @param errors word by word, where confusions are asked for */
  add(pair: ScoredPair, errors?: readonly AlignmentStep[]): void
  /** @throws BenchError GROUPING_UNKNOWN for a tag that no utterance has */
  result(): Omit<TextScore, 'worst'>
}

/**
 * Starts a sum, in memory that grows by a few bytes an utterance.
 *
 * @param scoring with which the utterances are counted
 */
export function startTextTally(options: TextScoreOptions, scoring: ScoreOptions): TextTally {
  const tally = startTally(scoring)
  const [ofWords, ofCharacters] = [startRateTally(), startRateTally()]
  /** Null as long as all were answered: then it is the same as `ofWords`. */
  let failedAsEmpty: RateTally | null = null
  const asked = options.by ?? []
  const isEachLanguage = scoring.profile.ofLanguage !== undefined && !asked.includes('language')
  const groupings = [...(isEachLanguage ? ['language'] : []), ...asked].map((by) => startGroups(by, scoring))
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

function checkGroupings(by: readonly string[], known: ReadonlySet<string>): void {
  const unknown = by.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const there = [...known].sort()
  throw ratesErrors.make('GROUPING_UNKNOWN', {
    message: `no utterance has ${unknown.map((name) => `"${name}"`).join(' or ')} to group by`,
    hint:
      there.length === 0
        ? 'give rows of {"id", "reference", "hypothesis"} with further fields: they become tags'
        : `there are: ${there.join(', ')}`,
  })
}

/** Under so many utterances a group's rate says little; it is shown, and flagged. */
const smallGroup = 20
// Of every group: 2,000 give the interval to about a twentieth of its width.
const groupReplicates = 2000

/** Sums utterances up by group, in memory that grows with the groups. */
interface GroupTally {
  add(score: UtteranceScore): void
  result(seed: number): TextGrouping
}

interface GroupSums {
  readonly tally: ScoreTally
  readonly rates: Readonly<Record<ErrorLevel, RateTally>>
  isSpeakerUnknown: boolean
}

/** Starts sums by speaker, by the bucket of a `duration` in seconds, or by any other tag. */
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
  const tag = tags[by] ?? null
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

/** By code units: the same order under every locale. */
function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** Sums utterances up to an error rate with its interval, in memory that does not grow with them. */
interface RateTally {
  add(counts: ErrorCounts, speaker: string | null): void
  /** Another sum that begins with what was added so far. */
  copy(): RateTally
  /** @param replicates of the bootstrap, where there are too few utterances to compute what it tends to */
  result(options: {
    readonly alignment: AlignmentRule
    readonly seed: number
    readonly replicates: number
  }): ErrorRate
}

/**
 * Starts a sum. The interval is resampled by speaker where the speaker of every utterance is known, else by utterance.
 * Errors and lengths are small whole numbers: a million utterances hold some thousand different pairs of them, and
 * only those are kept, each with how often it came.
 */
function startRateTally(): RateTally {
  return tallyFrom({
    terms: [],
    counted: [],
    indexes: new Map(),
    bySpeaker: new Map(),
    isSpeakerUnknown: false,
    counts: noErrors,
  })
}

interface Sums {
  readonly terms: RatioTerm[]
  /** How often each term came. */
  readonly counted: number[]
  /** Where each term is, by its key. */
  readonly indexes: Map<number, number>
  readonly bySpeaker: Map<string, RatioTerm>
  isSpeakerUnknown: boolean
  counts: ErrorCounts
}

function tallyFrom(sums: Sums): RateTally {
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
      tallyFrom({
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

/** Two whole numbers as one, as Cantor paired them: exact while their sum is below a hundred million. */
function pairKey(numerator: number, denominator: number): number {
  const both = numerator + denominator
  return (both * (both + 1)) / 2 + denominator
}

function addTerm(sum: RatioTerm | undefined, numerator: number, denominator: number): RatioTerm {
  if (sum === undefined) return { numerator, denominator }
  return { numerator: sum.numerator + numerator, denominator: sum.denominator + denominator }
}

/** What can be wrong with what texts are grouped by. */
export const ratesErrors: ErrorTable<'GROUPING_UNKNOWN'> = defineErrors({ GROUPING_UNKNOWN: 'badInput' })
