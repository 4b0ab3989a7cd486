import type { AlignmentRule } from './alignment/align.ts'
import { addCounts, errorCount, errorRate, noErrors, type Rates, ratesOf, referenceLength } from './counts.ts'
import type { Profile } from './profiles/profile.ts'
import type { ScoreOptions, Utterance } from './read-pair.ts'
import { characterRuleOf, isInventedSpeech, scoreUtterance, type UtteranceScore } from './score-utterance.ts'
import type { ErrorCounts } from './shapes.ts'
import type { CharacterRule } from './tokens.ts'

/** Everything that is said of a set of utterances: sums, and the rates that are made from them. */
export interface CorpusScore {
  readonly profile: Pick<Profile, 'id' | 'fingerprint' | 'leads'>
  readonly alignment: AlignmentRule
  readonly characterRule: CharacterRule
  readonly utteranceCount: number
  readonly speakerCount: number
  /** Answered and scored / all; null without utterances. */
  readonly coverage: number | null
  /** Counts over all utterances that were answered. */
  readonly words: ErrorCounts
  /** Null where only words were counted. */
  readonly characters: ErrorCounts | null
  readonly wordRates: Rates
  readonly characterRates: Rates | null
  /** With every failure counted as an empty transcript: what rankings use. */
  readonly wordsFailedAsEmpty: ErrorCounts
  readonly wordRateFailedAsEmpty: number | null
  /** Share of answered utterances with a word error. */
  readonly sentenceErrorRate: number | null
  /** Mean of the utterances' own rates: shown second, never ranked by. */
  readonly meanUtteranceRate: number | null
  /** Utterances without a word to say: silence, noise. */
  readonly silent: SilentUtterances
  /** Ids of utterances whose reference the profile leaves nothing of. */
  readonly emptied: readonly string[]
}

/** A separate table for references that are empty after normalisation. */
export interface SilentUtterances {
  readonly utteranceCount: number
  /** Answered with words where nothing was said. */
  readonly answeredWithWords: number
  readonly insertedWords: number
}

/** Adds up utterances one by one, in memory that grows with speakers and emptied references alone. */
export interface ScoreTally {
  add(score: UtteranceScore): void
  result(): CorpusScore
}

/** Starts a sum for scores that were made with the same options. */
export function startTally(options: ScoreOptions): ScoreTally {
  const { profile, alignment = 'canonical', only } = options
  const speakers = new Set<string>()
  const emptied: string[] = []
  let [words, characters, wordsFailedAsEmpty] = [noErrors, noErrors, noErrors]
  let [utteranceCount, answeredCount, wrongCount, ratedCount, rateSum] = [0, 0, 0, 0, 0]
  let silent: SilentUtterances = { utteranceCount: 0, answeredWithWords: 0, insertedWords: 0 }
  const share = (count: number, of: number): number | null => (of === 0 ? null : count / of)
  return {
    add(score) {
      utteranceCount += 1
      if (score.speaker !== null) speakers.add(score.speaker)
      if (score.isEmptied) emptied.push(score.id)
      wordsFailedAsEmpty = addCounts(wordsFailedAsEmpty, score.wordsFailedAsEmpty)
      if (referenceLength(score.wordsFailedAsEmpty) === 0) silent = withSilent(silent, score)
      if (score.words === null) return
      answeredCount += 1
      words = addCounts(words, score.words)
      if (score.characters !== null) characters = addCounts(characters, score.characters)
      if (errorCount(score.words) > 0) wrongCount += 1
      const rate = errorRate(score.words)
      if (rate === null) return
      ratedCount += 1
      rateSum += rate
    },
    result: () => ({
      profile: { id: profile.id, fingerprint: profile.fingerprint, leads: profile.leads },
      alignment,
      characterRule: characterRuleOf(options),
      utteranceCount,
      speakerCount: speakers.size,
      coverage: share(answeredCount, utteranceCount),
      words,
      characters: only === 'words' ? null : characters,
      wordRates: ratesOf(words, alignment),
      characterRates: only === 'words' ? null : ratesOf(characters, alignment),
      wordsFailedAsEmpty,
      wordRateFailedAsEmpty: ratesOf(wordsFailedAsEmpty, alignment).errorRate,
      sentenceErrorRate: share(wrongCount, answeredCount),
      meanUtteranceRate: share(rateSum, ratedCount),
      silent,
      emptied: [...emptied],
    }),
  }
}

function withSilent(silent: SilentUtterances, { words }: UtteranceScore): SilentUtterances {
  const isInvented = words !== null && isInventedSpeech(words)
  return {
    utteranceCount: silent.utteranceCount + 1,
    answeredWithWords: silent.answeredWithWords + (isInvented ? 1 : 0),
    insertedWords: silent.insertedWords + (words?.insertions ?? 0),
  }
}

/**
 * Scores a set of utterances.
 *
 * @throws RangeError for an id that occurs twice: what is paired by id must have one
 */
export function score(
  utterances: Iterable<Utterance>,
  options: ScoreOptions,
): { readonly corpus: CorpusScore; readonly utterances: readonly UtteranceScore[] } {
  const tally = startTally(options)
  const ids = new Set<string>()
  const scores: UtteranceScore[] = []
  for (const utterance of utterances) {
    if (ids.has(utterance.id)) throw new RangeError(`the id ${utterance.id} occurs twice`)
    ids.add(utterance.id)
    const scored = scoreUtterance(utterance, options)
    tally.add(scored)
    scores.push(scored)
  }
  return { corpus: tally.result(), utterances: scores }
}
