import { type AlignmentRule, align } from './alignment/align.ts'
import type { Alignment } from './alignment/moves.ts'
import { countCharacters, countTexts } from './count-texts.ts'
import { pairTexts } from './profiles/pairing.ts'
import { normaliseForPair, type Profile } from './profiles/profile.ts'
import type { ErrorCounts } from './shapes.ts'
import { type CharacterRule, tokeniseWords } from './tokens.ts'

/** What was said and what was recognised, as written, before any normalisation. */
export interface TextPair {
  readonly reference: string
  readonly hypothesis: string
}

export interface PairOptions {
  /** Default: `canonical`. */
  readonly alignment?: AlignmentRule
  /** Default: those of the profile. */
  readonly characters?: CharacterRule
}

/** A pair, counted. */
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
  const normalised = normalisePair(pair, profile)
  const { reference, hypothesis } = normalised
  const { alignment, characters = profile.characters } = options
  return {
    words: countTexts(reference, hypothesis, profile.words, alignment),
    characters: countCharacters(reference, hypothesis, characters, alignment),
    normalised,
  }
}

/** The word alignment of one pair, for showing where the errors are. */
export function alignPair(pair: TextPair, profile: Profile, alignment?: AlignmentRule): Alignment {
  const normalised = normalisePair(pair, profile)
  return align(
    tokeniseWords(normalised.reference, profile.words),
    tokeniseWords(normalised.hypothesis, profile.words),
    alignment,
  )
}

function normalisePair(pair: TextPair, profile: Profile): TextPair {
  const reference = normaliseForPair(pair.reference, profile)
  const hypothesis = normaliseForPair(pair.hypothesis, profile)
  if (profile.pairing === undefined) return { reference, hypothesis }
  const { said, heard } = pairTexts(reference, hypothesis, profile.pairing)
  return { reference: said, hypothesis: heard }
}
