import {
  type AlignmentStep,
  type CorpusScore,
  type ScoreOptions,
  startConfusions,
  startTally,
} from '#scoring/counting'
import type { ProfileChoice, TextScore } from './documents.ts'
import { ratesErrors } from './errors.ts'
import { type RateTally, startRateTally } from './rate-tally.ts'
import type { ScoredPair } from './scored-pair.ts'
import { startGroups } from './text-groups.ts'
import { type TextScoreOptions, textScoreFormatVersion } from './text-score.ts'

/** Adds utterances up that were counted elsewhere, in the order in which they are to be. */
export interface TextTally {
  /** @param errors word by word, where confusions are asked for */
  add(pair: ScoredPair, errors?: readonly AlignmentStep[]): void
  /** @throws BenchError GROUPING_UNKNOWN for a tag that no utterance has */
  result(): Omit<TextScore, 'worst'>
}

interface Rates {
  readonly words: RateTally
  readonly characters: RateTally
  /** Null as long as all were answered: then it is the same as `words`. */
  failedAsEmpty: RateTally | null
}

/**
 * Starts a sum, in memory that grows by a few bytes an utterance.
 *
 * @param scoring with which the utterances are counted
 */
export function startTextTally(options: TextScoreOptions, scoring: ScoreOptions): TextTally {
  const tally = startTally(scoring)
  const rates: Rates = { words: startRateTally(), characters: startRateTally(), failedAsEmpty: null }
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
      if (words === null) rates.failedAsEmpty ??= rates.words.copy()
      rates.failedAsEmpty?.add(score.wordsFailedAsEmpty, speaker)
      if (words !== null) rates.words.add(words, speaker)
      if (characters !== null) rates.characters.add(characters, speaker)
      if (words !== null) confused?.add({ id: score.id, steps: errors })
      for (const grouping of groupings) grouping.add(score)
      if (losesVowelSigns) vowelSignsLostCount += 1
      for (const name in score.tags) tagNames.add(name)
      if (speaker === null) isSpeakerUnknown = true
      else hasSpeakers = true
    },
    result() {
      checkGroupings(options.by ?? [], new Set([...tagNames, ...(hasSpeakers ? ['speaker'] : [])]))
      return {
        ...corpusPart(tally.result(), rates, options, !isSpeakerUnknown),
        sclite: scliteOf(options),
        profileBy: choiceOf(options, scoring),
        vowelSignsLostCount,
        tagNames: [...tagNames].sort(),
        groupings: groupings.map((grouping) => grouping.result(options.seed)),
        confusions: confused?.result(options.confusions) ?? null,
      }
    },
  }
}

/** What is said of all utterances together. */
function corpusPart(
  corpus: CorpusScore,
  rates: Rates,
  { seed, only }: TextScoreOptions,
  speakersKnown: boolean,
): Omit<
  TextScore,
  'sclite' | 'profileBy' | 'vowelSignsLostCount' | 'tagNames' | 'groupings' | 'confusions' | 'worst'
> {
  const intervals = { alignment: corpus.alignment, seed, replicates: 10_000 }
  const words = rates.words.result(intervals)
  return {
    formatVersion: textScoreFormatVersion,
    profile: corpus.profile,
    alignment: corpus.alignment,
    characterRule: corpus.characterRule,
    seed,
    utteranceCount: corpus.utteranceCount,
    speakerCount: speakersKnown ? corpus.speakerCount : null,
    coverage: corpus.coverage,
    words,
    characters: only === 'words' ? null : rates.characters.result(intervals),
    wordsFailedAsEmpty: rates.failedAsEmpty?.result(intervals) ?? words,
    wordRates: corpus.wordRates,
    sentenceErrorRate: corpus.sentenceErrorRate,
    meanUtteranceRate: corpus.meanUtteranceRate,
    silent: corpus.silent,
    emptiedReferences: corpus.emptied,
  }
}

function scliteOf({ alignment, sclite = {} }: TextScoreOptions): TextScore['sclite'] {
  if (alignment !== 'sclite') return null
  const { optionalDeletions = false, fragments = false } = sclite
  return { optionalDeletions, fragments }
}

function choiceOf({ profile, alignment, language }: TextScoreOptions, scoring: ScoreOptions): ProfileChoice {
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
