import {
  type AlignmentRule,
  type AlignmentStep,
  alignUtterance,
  type CharacterRule,
  type Confusions,
  type CorpusScore,
  defaultProfile,
  type ErrorCounts,
  errorRate,
  findProfile,
  normalise,
  type ScliteOptions,
  type ScoreOptions,
  type SilentUtterances,
  scoreUtterance,
  startConfusions,
  startTally,
  type TranscriptPart,
  type Utterance,
  type UtteranceScore,
} from '#scoring'
import { analysisErrors } from './errors.ts'
import type { ErrorRate } from './evaluation.ts'
import { extended, type NamedRules } from './scoring-rules.ts'
import { startGroups, type TextGrouping } from './text-groups.ts'
import { type RateTally, startRateTally } from './text-rate.ts'

/** Version of the document that `asrbench wer --json` prints. */
export const textScoreFormatVersion = 3

/** One utterance, counted. */
export interface ScoredText {
  readonly id: string
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** As written; several accepted texts stand in braces, with slashes between them. */
  readonly reference: string
  /** Null where nothing came back. */
  readonly hypothesis: string | null
  /** Null where the hypothesis is. */
  readonly words: ErrorCounts | null
  readonly characters: ErrorCounts | null
  /** Null where the reference holds no words, and where nothing came back. */
  readonly wordErrorRate: number | null
  /** The words of the alignment, all missing where nothing came back; null where only counts were asked for. */
  readonly steps: readonly AlignmentStep[] | null
}

// Devanagari to Myanmar, and Khmer: their vowels are signs on consonants.
const signedScript = /[\u0900-\u109f\u1780-\u17ff]/
const signedWord = 'की'

/** A profile is named, or it follows the other scorer, or the language, of which perhaps nothing is known. */
export type ProfileChoice = 'name' | 'alignment' | 'language' | 'nothing'

/** Two sets of texts held against each other, without a service. */
export interface TextScore {
  readonly formatVersion: number
  readonly profile: { readonly id: string; readonly fingerprint: string }
  /** Whether somebody named the profile, or what decided instead. */
  readonly profileBy: ProfileChoice
  readonly alignment: AlignmentRule
  readonly characterRule: CharacterRule
  /** Null for any alignment but sclite's. */
  readonly sclite: Required<ScliteOptions> | null
  readonly seed: number
  readonly utteranceCount: number
  /** Null where a speaker is unknown. */
  readonly speakerCount: number | null
  /** Answered / all, 0..1; null without utterances. */
  readonly coverage: number | null
  /** Over what was answered. */
  readonly words: ErrorRate
  readonly characters: ErrorRate
  /** With what was not answered as an empty transcript. */
  readonly wordsFailedAsEmpty: ErrorRate
  /** Match error rate, and word information lost and preserved. */
  readonly wordRates: CorpusScore['wordRates']
  /** Share of answered utterances with at least one word error, 0..1; null without any. */
  readonly sentenceErrorRate: number | null
  /** Mean of the utterances' own rates: not what rankings use. */
  readonly meanUtteranceRate: number | null
  /** Utterances without a word to say. */
  readonly silent: SilentUtterances
  /** References in a script with vowel signs, under a profile that drops them: their rates say little. */
  readonly vowelSignsLostCount: number
  /** Ids of references that hold text and of which the profile leaves nothing. */
  readonly emptiedReferences: readonly string[]
  readonly groupings: readonly TextGrouping[]
  /** The most frequent ones; null where not asked for. */
  readonly confusions: Confusions | null
  /** Null where not asked for. */
  readonly rows: readonly ScoredText[] | null
}

export interface TextScoreOptions {
  /** Id; by language and alignment unless told. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
  /** BCP-47 tag, for the default profile. */
  readonly language?: string | undefined
  /** `canonical` unless told. */
  readonly alignment?: AlignmentRule | undefined
  /** Graphemes by default; code points for jiwer's alignment. */
  readonly characters?: CharacterRule | undefined
  /** Both are off by default. Only for sclite's alignment. */
  readonly sclite?: ScliteOptions | undefined
  /** Of the intervals. */
  readonly seed: number
  /** `speaker`, `duration` or names of tags. */
  readonly by?: readonly string[] | undefined
  /** How many of the most frequent ones; none unless told. */
  readonly confusions?: number | undefined
  /** `none` keeps memory small whatever the number of utterances; `counts` unless told. */
  readonly rows?: 'none' | 'counts' | 'aligned' | undefined
}

/** Scores texts as they come. */
export interface TextScorer {
  add(utterance: Utterance): void
  /** @throws BenchError GROUPING_UNKNOWN for a tag that no utterance has */
  result(): TextScore
}

/**
 * Scores sets of texts. The totals are the sums of the rows.
 *
 * @throws BenchError as `startTextScore` and its result
 */
export function scoreTexts(utterances: Iterable<Utterance>, options: TextScoreOptions): TextScore {
  const scorer = startTextScore(options)
  for (const utterance of utterances) scorer.add(utterance)
  return scorer.result()
}

/**
 * Starts to score texts one by one, in memory that grows by a few bytes an utterance where no rows are asked for.
 *
 * @throws BenchError SCORING_PROFILE_UNKNOWN
 */
export function startTextScore(options: TextScoreOptions): TextScorer {
  const scoring = scoreOptions(options)
  const rows: ScoredText[] | null = options.rows === 'none' ? null : []
  const tally = startTally(scoring)
  const rates = { words: startRateTally(), characters: startRateTally(), failedAsEmpty: startRateTally() }
  const groupings = (options.by ?? []).map((by) => startGroups(by, scoring))
  const confused = (options.confusions ?? 0) > 0 ? startConfusions() : null
  const tagNames = new Set<string>()
  const dropsSigns = normalise(signedWord, scoring.profile) !== signedWord
  let vowelSignsLostCount = 0
  let isSpeakerUnknown = false
  return {
    add(utterance) {
      const score = scoreUtterance(utterance, scoring)
      const { words, characters, speaker } = score
      tally.add(score)
      if (words !== null) rates.words.add(words, speaker)
      if (characters !== null) rates.characters.add(characters, speaker)
      rates.failedAsEmpty.add(score.wordsFailedAsEmpty, speaker)
      for (const grouping of groupings) grouping.add(score)
      if (dropsSigns && signedScript.test(writtenText(utterance.reference))) vowelSignsLostCount += 1
      for (const name in score.tags) tagNames.add(name)
      if (speaker === null) isSpeakerUnknown = true
      else tagNames.add('speaker')
      const isAligned = options.rows === 'aligned' || (words !== null && confused !== null)
      const steps = isAligned ? alignUtterance(utterance, scoring).steps : null
      if (steps !== null && words !== null) confused?.add({ id: utterance.id, steps })
      rows?.push(rowOf(utterance, score, options.rows === 'aligned' ? steps : null))
    },
    result() {
      checkGroupings(options.by ?? [], tagNames)
      return {
        ...corpusPart(tally.result(), rates, options.seed, !isSpeakerUnknown),
        sclite: scliteOf(options),
        profileBy: choiceOf(options),
        vowelSignsLostCount,
        groupings: groupings.map((grouping) => grouping.result(options.seed)),
        confusions: confused?.result(options.confusions ?? 0) ?? null,
        rows,
      }
    },
  }
}

/** What is said of all utterances together. */
function corpusPart(
  corpus: CorpusScore,
  rates: Readonly<Record<'words' | 'characters' | 'failedAsEmpty', RateTally>>,
  seed: number,
  speakersKnown: boolean,
): Omit<TextScore, 'sclite' | 'profileBy' | 'vowelSignsLostCount' | 'groupings' | 'confusions' | 'rows'> {
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
    characters: rates.characters.result(intervals),
    wordsFailedAsEmpty: corpus.coverage === 1 ? words : rates.failedAsEmpty.result(intervals),
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

function choiceOf({ profile, alignment, language }: TextScoreOptions): ProfileChoice {
  if (profile !== undefined) return 'name'
  if (alignment === 'jiwer' || alignment === 'sclite') return 'alignment'
  return language === undefined ? 'nothing' : 'language'
}

function scoreOptions(options: TextScoreOptions): ScoreOptions {
  const { profile, language, alignment, characters, sclite, rules = [] } = options
  const chosen = profile === undefined ? defaultProfile(language ?? null, alignment) : findProfile(profile)
  return {
    profile: extended(chosen, rules).profile,
    ...(alignment === undefined ? {} : { alignment }),
    ...(characters === undefined ? {} : { characters }),
    ...(sclite === undefined ? {} : { sclite }),
  }
}

function checkGroupings(by: readonly string[], known: ReadonlySet<string>): void {
  const unknown = by.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const there = [...known].sort()
  throw analysisErrors.make('GROUPING_UNKNOWN', {
    message: `no utterance has ${unknown.map((name) => `"${name}"`).join(' or ')} to group by`,
    hint:
      there.length === 0
        ? 'give rows of {"id", "reference", "hypothesis"} with further fields: they become tags'
        : `there are: ${there.join(', ')}`,
  })
}

function rowOf(
  { reference, hypothesis }: Utterance,
  { id, speaker, tags, words, characters }: UtteranceScore,
  steps: ScoredText['steps'],
): ScoredText {
  return {
    id,
    speaker,
    tags,
    reference: writtenText(reference),
    hypothesis: hypothesis === null ? null : writtenText(hypothesis),
    words,
    characters,
    wordErrorRate: words === null ? null : errorRate(words),
    steps,
  }
}

function writtenText(text: Utterance['reference']): string {
  if (typeof text === 'string') return text
  const written = text.map((part) => (typeof part === 'string' ? part : writtenPart(part)))
  const isList = text.length > 1 && typeof text[0] === 'string'
  return isList ? `{ ${written.join(' / ')} }` : written.join(' ')
}

function writtenPart(part: TranscriptPart): string {
  if (part.kind === 'words') return part.words.join(' ')
  if (part.kind === 'optional') return `(${part.word})`
  const branches = part.branches.map((branch) => branch.map(writtenPart).join(' ') || '@')
  return `{ ${branches.join(' / ')} }`
}
