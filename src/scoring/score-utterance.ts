import type { Alignment } from './alignment/align.ts'
import { type AlignmentRule, align } from './alignment/align.ts'
import type { TranscriptPart } from './alignment/networks.ts'
import { countCharacters, countTexts, hypothesisLength, referenceLength } from './counts.ts'
import { profileOfUtterance } from './profiles/by-language.ts'
import type { Profile } from './profiles/profile.ts'
import {
  alignReadings,
  isPlainPair,
  type ReadPair,
  readPair,
  type ScoreOptions,
  type Utterance,
  wordsOf,
} from './read-pair.ts'
import type { ErrorCounts } from './shapes.ts'
import type { CharacterRule } from './tokens.ts'

export interface UtteranceScore {
  readonly id: string
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** Null where the hypothesis is. */
  readonly words: ErrorCounts | null
  /** Null where the hypothesis is, and where only words were counted. */
  readonly characters: ErrorCounts | null
  /** Words, with an answer that failed counted as an empty one. */
  readonly wordsFailedAsEmpty: ErrorCounts
  /** The reference holds text, and the profile leaves none of it. */
  readonly isEmptied: boolean
}

/**
 * Counts one utterance, in the reading of its reference that is best for the hypothesis: the fewest edits, among
 * those the most hits, among those the longest. Characters are those of the reading that the words took.
 *
 * @returns never throws, whatever the texts hold
 */
export function scoreUtterance(utterance: Utterance, options: ScoreOptions): UtteranceScore {
  const { words, said, heard } = countPair(readPair(utterance, options), options)
  const profile = profileOfUtterance(options.profile, utterance.language)
  const rule = characterRuleOf({ ...options, profile })
  const isAnswered = utterance.hypothesis !== null
  return {
    id: utterance.id,
    speaker: utterance.speaker ?? null,
    tags: utterance.tags ?? {},
    words: isAnswered ? words : null,
    characters:
      isAnswered && options.only !== 'words' ? countCharacters(said, heard, rule, options.alignment) : null,
    wordsFailedAsEmpty: words,
    isEmptied: referenceLength(words) === 0 && hasText(utterance.reference),
  }
}

/** The rule that is asked for, else code points for jiwer's alignment, else that of the profile. */
export function characterRuleOf({ profile, alignment, characters }: ScoreOptions): CharacterRule {
  return characters ?? (alignment === 'jiwer' ? 'code-points' : profile.characters)
}

/** The word alignment of one utterance, in the reading that `scoreUtterance` takes. */
export function alignUtterance(utterance: Utterance, options: ScoreOptions): Alignment {
  const pair = readPair(utterance, options)
  return isPlainPair(pair, options)
    ? align(wordsOf(pair.said), wordsOf(pair.heard), options.alignment)
    : alignReadings(pair, options)
}

/** What was counted, with the text of either side in the reading that was taken. */
interface CountedPair {
  readonly words: ErrorCounts
  readonly said: string
  readonly heard: string
}

function countPair(pair: ReadPair, options: ScoreOptions): CountedPair {
  if (isPlainPair(pair, options)) {
    const { said, heard } = pair
    return {
      words: countTexts(said.text, heard.text, said.rule, options.alignment),
      said: said.text,
      heard: heard.text,
    }
  }
  const { counts, said, heard } = alignReadings(pair, options)
  return { words: counts, said: said.join(' '), heard: heard.join(' ') }
}

function hasText(reference: Utterance['reference']): boolean {
  if (typeof reference === 'string') return reference.trim() !== ''
  return reference.some((part) => (typeof part === 'string' ? part.trim() !== '' : saysWords(part)))
}

/** An `@` says nothing, alone or as the only choice. */
function saysWords(part: TranscriptPart): boolean {
  return part.kind !== 'alternatives' || part.branches.some((branch) => branch.some(saysWords))
}

/** Whether the hypothesis holds words where the reference holds none. */
export function isInventedSpeech(words: ErrorCounts): boolean {
  return referenceLength(words) === 0 && hypothesisLength(words) > 0
}

/** What was said and what was recognised, as written, before any normalisation. */
export interface TextPair {
  readonly reference: string
  readonly hypothesis: string
}

export interface PairOptions {
  /** Default: `canonical`. */
  readonly alignment?: AlignmentRule
  /** Default: those of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule
}

export interface PairScore {
  readonly words: ErrorCounts
  readonly characters: ErrorCounts
  /** The texts as the profile made them. An empty `reference` from a written one says that it was emptied. */
  readonly normalised: TextPair
}

/**
 * Counts the word and character errors of one pair, both texts made comparable by the same profile.
 *
 * @returns counts, to be summed and then divided. Never throws, whatever the texts hold.
 */
export function scorePair(pair: TextPair, profile: Profile, options: PairOptions = {}): PairScore {
  const scoring = { profile, ...options }
  const { words, said, heard } = countPair(readPair({ id: '', ...pair }, scoring), scoring)
  return {
    words,
    characters: countCharacters(said, heard, characterRuleOf(scoring), scoring.alignment),
    normalised: { reference: said, hypothesis: heard },
  }
}

/** The word alignment of one pair, for showing where the errors are. */
export function alignPair(
  pair: TextPair,
  profile: Profile,
  alignment: AlignmentRule = 'canonical',
): Alignment {
  return alignUtterance({ id: '', ...pair }, { profile, alignment })
}
