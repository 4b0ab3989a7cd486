import { type AlignmentRule, countErrors, countNumbered } from './alignment/align.ts'
import { type NumberedPair, numberWords } from './alignment/numbered-pair.ts'
import type { ErrorLevel } from './profiles/profile.ts'
import type { AlignmentStep, ErrorCounts } from './shapes.ts'
import { type CharacterRule, tokeniseCharacters, tokeniseWords, type WordRule } from './tokens.ts'

/** The counts of nothing: where a sum starts. */
export const noErrors: ErrorCounts = { hits: 0, substitutions: 0, deletions: 0, insertions: 0 }

/** Counts of two texts taken together. Rates are made from such sums, never averaged. */
export function addCounts(a: ErrorCounts, b: ErrorCounts): ErrorCounts {
  return {
    hits: a.hits + b.hits,
    substitutions: a.substitutions + b.substitutions,
    deletions: a.deletions + b.deletions,
    insertions: a.insertions + b.insertions,
  }
}

const countsByKind = {
  hit: 'hits',
  substitution: 'substitutions',
  deletion: 'deletions',
  insertion: 'insertions',
} as const satisfies Record<AlignmentStep['kind'], keyof ErrorCounts>

/** Counts with one more step of an alignment. */
export function addStep(counts: ErrorCounts, kind: AlignmentStep['kind']): ErrorCounts {
  const field = countsByKind[kind]
  return { ...counts, [field]: counts[field] + 1 }
}

/** Counts of so many equal texts taken together. */
export function timesCounts(counts: ErrorCounts, times: number): ErrorCounts {
  return {
    hits: counts.hits * times,
    substitutions: counts.substitutions * times,
    deletions: counts.deletions * times,
    insertions: counts.insertions * times,
  }
}

/** Counts of any number of texts taken together. */
export function sumCounts(all: Iterable<ErrorCounts>): ErrorCounts {
  let sum = noErrors
  for (const counts of all) sum = addCounts(sum, counts)
  return sum
}

/** Substitutions, deletions and insertions together. */
export function errorCount(counts: ErrorCounts): number {
  return counts.substitutions + counts.deletions + counts.insertions
}

/** Tokens of the reference: hits + substitutions + deletions. */
export function referenceLength(counts: ErrorCounts): number {
  return counts.hits + counts.substitutions + counts.deletions
}

/** Tokens of the hypothesis: hits + substitutions + insertions. */
export function hypothesisLength(counts: ErrorCounts): number {
  return counts.hits + counts.substitutions + counts.insertions
}

/**
 * Word or character error rate, by what was counted: (S + D + I) / (H + S + D). Above 1 where more was
 * inserted than the reference holds.
 *
 * @returns null for an empty reference, which has errors but no rate
 */
export function errorRate(counts: ErrorCounts): number | null {
  return ratio(errorCount(counts), referenceLength(counts))
}

/**
 * Match error rate: (S + D + I) / (H + S + D + I), the share of aligned positions that are wrong, in 0..1.
 * It depends on how ties between alignments are resolved; name the alignment next to it.
 *
 * @returns null where reference and hypothesis are both empty
 * @see Morris, Maier and Green 2004, "From WER and RIL to MER and WIL", Interspeech
 */
export function matchErrorRate(counts: ErrorCounts): number | null {
  return ratio(errorCount(counts), counts.hits + errorCount(counts))
}

/**
 * Word information preserved: (H / N) · (H / P), with N words in the reference and P in the hypothesis; 0..1.
 * Zero where only one of the two is empty.
 *
 * @returns null where both are empty
 * @see Morris, Maier and Green 2004
 */
export function wordInformationPreserved(counts: ErrorCounts): number | null {
  const references = referenceLength(counts)
  const hypotheses = hypothesisLength(counts)
  if (references === 0 && hypotheses === 0) return null
  if (references === 0 || hypotheses === 0) return 0
  return (counts.hits / references) * (counts.hits / hypotheses)
}

/** Word information lost: 1 - `wordInformationPreserved`. */
export function wordInformationLost(counts: ErrorCounts): number | null {
  const preserved = wordInformationPreserved(counts)
  return preserved === null ? null : 1 - preserved
}

export interface Rates {
  readonly errorRate: number | null
  readonly matchErrorRate: number | null
  readonly wordInformationLost: number | null
  readonly wordInformationPreserved: number | null
}

/**
 * The rates by the convention that goes with an alignment. jiwer gives numbers where there is nothing to divide
 * by: the number of insertions for the error rate of an empty reference, and 0 or 1 for the others.
 *
 * @see jiwer 4.0, process_words
 */
export function ratesOf(counts: ErrorCounts, alignment: AlignmentRule = 'canonical'): Rates {
  const isEmpty = alignment === 'jiwer' && referenceLength(counts) === 0
  const preserved = wordInformationPreserved(counts) ?? (isEmpty ? 1 : null)
  return {
    errorRate: isEmpty ? counts.insertions : errorRate(counts),
    matchErrorRate: matchErrorRate(counts) ?? (isEmpty ? 0 : null),
    wordInformationLost: preserved === null ? null : 1 - preserved,
    wordInformationPreserved: preserved,
  }
}

function ratio(numerator: number, denominator: number): number | null {
  return denominator === 0 ? null : numerator / denominator
}

export type LevelCounts = Readonly<Record<ErrorLevel, ErrorCounts>>

export const rateMetrics: Readonly<Record<ErrorLevel, 'wer' | 'cer'>> = { words: 'wer', characters: 'cer' }

/** Both levels, the leading one first: the order of rates on every screen and in every table. */
export function leadingFirst(leads: ErrorLevel): readonly [leading: ErrorLevel, other: ErrorLevel] {
  return leads === 'words' ? ['words', 'characters'] : ['characters', 'words']
}

/** The rates of a contender that rankings look at. */
interface RankedRates<Rate> {
  readonly wordsWithFailuresAsEmpty: Rate
  readonly charactersWithFailuresAsEmpty: Rate
}

/** An error rate with every failed request as an empty transcript: contenders are ranked by it. */
export function rateOfAll<Rate>(rates: RankedRates<Rate>, level: ErrorLevel): Rate {
  return level === 'words' ? rates.wordsWithFailuresAsEmpty : rates.charactersWithFailuresAsEmpty
}

// Texts in which a space, and nothing else, ends a word: no other white space, no two spaces in a row or at an end, no
// script that is written without spaces.
const space = 0x20
const notPlain = /[^ -~\u00a1-\u00b6\u00b8-\u02ff\u0370-\u0dff]/

/**
 * The word errors of two normalised texts: the same as of their words, faster. What both begin and end with is neither
 * cut into words nor aligned.
 */
export function countTexts(
  said: string,
  heard: string,
  words: WordRule | undefined,
  rule: AlignmentRule = 'canonical',
): ErrorCounts {
  // Nothing says that the alignments of other scorers match what both texts begin and end with.
  const isTrimmed = rule === 'canonical' || rule === 'jiwer'
  if (!isTrimmed || !isPlain(said) || !isPlain(heard)) {
    return countErrors(tokeniseWords(said, words), tokeniseWords(heard, words), rule)
  }
  const { matched, saidMiddle, heardMiddle } = commonEnds(said, heard)
  const counts =
    saidMiddle === '' || heardMiddle === ''
      ? countErrors(wordsOf(saidMiddle), wordsOf(heardMiddle), rule)
      : countNumbered(numberWords(saidMiddle, heardMiddle), rule)
  return { ...counts, hits: counts.hits + matched }
}

function isPlain(text: string): boolean {
  return (
    text.charCodeAt(0) !== space &&
    text.charCodeAt(text.length - 1) !== space &&
    !text.includes('  ') &&
    !notPlain.test(text)
  )
}

function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

interface CommonEnds {
  /** Whole words that both texts begin and end with. */
  readonly matched: number
  readonly saidMiddle: string
  readonly heardMiddle: string
}

function commonEnds(said: string, heard: string): CommonEnds {
  const shorter = Math.min(said.length, heard.length)
  let matched = 0
  // Both texts are the same before `start`, which is where a word begins.
  let start = 0
  let at = 0
  for (; at < shorter; at += 1) {
    const code = said.charCodeAt(at)
    if (code !== heard.charCodeAt(at)) break
    if (code !== space) continue
    matched += 1
    start = at + 1
  }
  if (at === said.length && at === heard.length) {
    return { matched: at === 0 ? 0 : matched + 1, saidMiddle: '', heardMiddle: '' }
  }
  // And the same in their last `end` characters, which begin with a space or are all that is left.
  let end = 0
  const maxEnd = shorter - start
  for (let length = 1; length <= maxEnd; length += 1) {
    const code = said.charCodeAt(said.length - length)
    if (code !== heard.charCodeAt(heard.length - length)) break
    if (code !== space) continue
    matched += 1
    end = length
  }
  return {
    matched,
    saidMiddle: said.slice(start, said.length - end),
    heardMiddle: heard.slice(start, heard.length - end),
  }
}

// Every code unit of such a text is a character by all rules, and there are few different ones.
const notSimple = /[^ -\u02ff\u0370-\u0482\u048a-\u058f\u05d0-\u05ea]/

/** The character errors of two normalised texts: the same as of their characters, faster. */
export function countCharacters(
  said: string,
  heard: string,
  characters: CharacterRule,
  rule: AlignmentRule = 'canonical',
): ErrorCounts {
  const isTrimmed = rule === 'canonical' || rule === 'jiwer'
  if (!isTrimmed || notSimple.test(said) || notSimple.test(heard)) {
    return countErrors(tokeniseCharacters(said, characters), tokeniseCharacters(heard, characters), rule)
  }
  const [ours, theirs] =
    characters === 'no-spaces' ? [withoutSpaces(said), withoutSpaces(heard)] : [said, heard]
  return countNumbered(numberCodes(ours, theirs), rule)
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '')
}

function numberCodes(said: string, heard: string): NumberedPair {
  let largest = 0
  const codesOf = (text: string): Int32Array => {
    const codes = new Int32Array(text.length)
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      codes[at] = code
      if (code > largest) largest = code
    }
    return codes
  }
  return { reference: codesOf(said), hypothesis: codesOf(heard), vocabularySize: largest + 1 }
}
