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
  const sums: Sums = {
    speakers: new Set(),
    emptied: [],
    words: noErrors,
    characters: noErrors,
    wordsFailedAsEmpty: noErrors,
    utteranceCount: 0,
    answeredCount: 0,
    wrongCount: 0,
    ratedCount: 0,
    rateSum: 0,
    silent: { utteranceCount: 0, answeredWithWords: 0, insertedWords: 0 },
  }
  return { add: (score) => addScore(sums, score), result: () => corpusScore(sums, options) }
}

interface Sums {
  readonly speakers: Set<string>
  readonly emptied: string[]
  words: ErrorCounts
  characters: ErrorCounts
  wordsFailedAsEmpty: ErrorCounts
  utteranceCount: number
  answeredCount: number
  wrongCount: number
  ratedCount: number
  rateSum: number
  silent: SilentUtterances
}

function addScore(sums: Sums, score: UtteranceScore): void {
  sums.utteranceCount += 1
  if (score.speaker !== null) sums.speakers.add(score.speaker)
  if (score.isEmptied) sums.emptied.push(score.id)
  sums.wordsFailedAsEmpty = addCounts(sums.wordsFailedAsEmpty, score.wordsFailedAsEmpty)
  if (referenceLength(score.wordsFailedAsEmpty) === 0) sums.silent = withSilent(sums.silent, score)
  if (score.words === null) return
  sums.answeredCount += 1
  sums.words = addCounts(sums.words, score.words)
  if (score.characters !== null) sums.characters = addCounts(sums.characters, score.characters)
  if (errorCount(score.words) > 0) sums.wrongCount += 1
  const rate = errorRate(score.words)
  if (rate === null) return
  sums.ratedCount += 1
  sums.rateSum += rate
}

function corpusScore(sums: Sums, options: ScoreOptions): CorpusScore {
  const { profile, alignment = 'canonical', only } = options
  const characters = only === 'words' ? null : sums.characters
  const share = (count: number, of: number): number | null => (of === 0 ? null : count / of)
  return {
    profile: { id: profile.id, fingerprint: profile.fingerprint, leads: profile.leads },
    alignment,
    characterRule: characterRuleOf(options),
    utteranceCount: sums.utteranceCount,
    speakerCount: sums.speakers.size,
    coverage: share(sums.answeredCount, sums.utteranceCount),
    words: sums.words,
    characters,
    wordRates: ratesOf(sums.words, alignment),
    characterRates: characters === null ? null : ratesOf(characters, alignment),
    wordsFailedAsEmpty: sums.wordsFailedAsEmpty,
    wordRateFailedAsEmpty: ratesOf(sums.wordsFailedAsEmpty, alignment).errorRate,
    sentenceErrorRate: share(sums.wrongCount, sums.answeredCount),
    meanUtteranceRate: share(sums.rateSum, sums.ratedCount),
    silent: sums.silent,
    emptied: [...sums.emptied],
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
