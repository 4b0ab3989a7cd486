import { align, countErrors } from '../alignment/align.ts'
import { addCounts, addStep, noErrors } from '../counts.ts'
import type { Rung } from '../kinds.ts'
import { basic } from '../profiles/basic.ts'
import { pairTexts } from '../profiles/pairing.ts'
import { defineProfile, normaliseForPair, type Profile } from '../profiles/profile.ts'
import type { RememberedProfile } from '../profiles/remembered-profile.ts'
import { collapseWhitespace } from '../profiles/shared-stages.ts'
import { verbatim } from '../profiles/verbatim.ts'
import type { TextPair } from '../score-utterance.ts'
import type { AlignmentStep, CaseCounts, ErrorCounts } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'
import {
  formattedWords,
  type NameOutcome,
  nameOutcomes,
  type WrittenWord,
  writtenTokens,
  writtenWords,
} from './word-classes.ts'

/** How well punctuation and capitals were restored, judged only where the words are right. */
export interface FormattingCounts {
  /** By mark of the reference (of the hypothesis for insertions): hits, substitutions, deletions, insertions. */
  readonly punctuation: Readonly<Record<string, ErrorCounts>>
  readonly sentenceStarts: CaseCounts
  readonly otherWords: CaseCounts
  /** Words with capitals, and marks as separate words: the counts of a formatted word error rate. */
  readonly formatted: ErrorCounts
}

/**
 * Compares the punctuation and the capitals of a pair, as written, and says what became of the proper names.
 *
 * The words are aligned without either; then, after every word that was recognised, the marks that follow it on
 * both sides are compared, and its letters. So an error in a word never counts as one in its comma.
 *
 * @param knownSteps an alignment of the two by some profile: taken where its words are those that are aligned here
 * @see Meister et al. 2023, arXiv:2310.02943, for the punctuation error rate (S + D + I) / (H + S + D + I), which
 *   `matchErrorRate` gives of these counts; they align marks and words together, which lets words leak in
 */
export function compareWriting(
  reference: string,
  hypothesis: string,
  knownSteps: readonly AlignmentStep[] = [],
): { readonly formatting: FormattingCounts; readonly names: readonly NameOutcome[] } {
  const saidTokens = writtenTokens(reference)
  const heardTokens = writtenTokens(hypothesis)
  const said = writtenWords(saidTokens)
  const heard = writtenWords(heardTokens)
  const words = [said.map(({ word }) => word), heard.map(({ word }) => word)] as const
  const steps = isOf(knownSteps, ...words) ? knownSteps : align(...words).steps
  const punctuation: Record<string, ErrorCounts> = {}
  const sentenceStarts = { compared: 0, wrong: 0 }
  const otherWords = { compared: 0, wrong: 0 }
  let row = 0
  let column = 0
  for (const step of steps) {
    const expected = said[row]
    const actual = heard[column]
    if (step.reference !== null) row += 1
    if (step.hypothesis !== null) column += 1
    if (step.kind !== 'hit' || expected === undefined || actual === undefined) continue
    if (expected.marksAfter.length + actual.marksAfter.length > 0) {
      compareMarks(punctuation, expected.marksAfter, actual.marksAfter)
    }
    const startsSentence = endsSentence(said[row - 2])
    compareCase(startsSentence ? sentenceStarts : otherWords, expected.written, actual.written)
  }
  const formatted = countErrors(formattedWords(saidTokens), formattedWords(heardTokens))
  return {
    formatting: { punctuation, sentenceStarts, otherWords, formatted },
    names: nameOutcomes(steps, said, heard),
  }
}

function isOf(
  steps: readonly AlignmentStep[],
  reference: readonly string[],
  hypothesis: readonly string[],
): boolean {
  let row = 0
  let column = 0
  for (const step of steps) {
    if (step.reference !== null && step.reference !== reference[row++]) return false
    if (step.hypothesis !== null && step.hypothesis !== hypothesis[column++]) return false
  }
  return row === reference.length && column === hypothesis.length
}

/** The beginning of a text has no word before it. */
function endsSentence(word: WrittenWord | undefined): boolean {
  return word === undefined || word.marksAfter.some((mark) => /[.?!…]/.test(mark))
}

function compareMarks(
  punctuation: Record<string, ErrorCounts>,
  expected: readonly string[],
  actual: readonly string[],
): void {
  for (const { kind, reference, hypothesis } of align(expected, actual).steps) {
    const mark = reference ?? hypothesis ?? ''
    punctuation[mark] = addStep(punctuation[mark] ?? noErrors, kind)
  }
}

function compareCase(
  counts: { compared: number; wrong: number },
  expected: string | null,
  actual: string | null,
): void {
  if (expected === null || actual === null) return
  const hasCase = expected.toLowerCase() !== expected.toUpperCase()
  if (!hasCase || expected.toLowerCase() !== actual.toLowerCase()) return
  counts.compared += 1
  if (expected !== actual) counts.wrong += 1
}

/** Sums of many pairs. */
export function sumFormatting(all: Iterable<FormattingCounts>): FormattingCounts {
  const punctuation: Record<string, ErrorCounts> = {}
  const sentenceStarts = { compared: 0, wrong: 0 }
  const otherWords = { compared: 0, wrong: 0 }
  let formatted = noErrors
  for (const counts of all) {
    for (const [mark, found] of Object.entries(counts.punctuation)) {
      punctuation[mark] = addCounts(punctuation[mark] ?? noErrors, found)
    }
    sentenceStarts.compared += counts.sentenceStarts.compared
    sentenceStarts.wrong += counts.sentenceStarts.wrong
    otherWords.compared += counts.otherWords.compared
    otherWords.wrong += counts.otherWords.wrong
    formatted = addCounts(formatted, counts.formatted)
  }
  return { punctuation, sentenceStarts, otherWords, formatted }
}

/** The word errors that are left when so much does not count. */
export interface RungCounts {
  readonly rung: Rung
  readonly words: ErrorCounts
}

const withoutCapitals: Profile = /* @__PURE__ */ defineProfile({
  id: 'without-capitals',
  version: 1,
  purpose: 'As written, but capitals do not count.',
  stages: [
    {
      name: 'lower case',
      does: "Unicode's own lower case.",
      example: ['The END.', 'the end.'],
      apply: (text) => text.toLowerCase(),
    },
    collapseWhitespace,
  ],
  words: verbatim.words,
  quirks: [],
})

interface TextOnRung {
  readonly text: string
  readonly words: readonly string[]
}

/**
 * How much of a word error rate is a matter of writing: the errors of a pair when capitals, then punctuation, then
 * numbers and contractions, then spellings do not count.
 *
 * The ladder is for pairs that share texts, as all answers to one recording share its reference: what a text is on
 * each rung is found once, and kept with the ladder.
 *
 * @param language the profile of their language, which the last two rungs are of; null for one without rules
 */
export function makeLadder(language: RememberedProfile | null): (pair: TextPair) => RungCounts[] {
  const rungs = rungsOf(language)
  const rungsByText = new Map<string, readonly TextOnRung[]>()
  const onRungs = (text: string): readonly TextOnRung[] => {
    const found = rungsByText.get(text) ?? textOnRungs(text, rungs)
    rungsByText.set(text, found)
    return found
  }
  return ({ reference, hypothesis }) => {
    const said = onRungs(reference)
    const heard = onRungs(hypothesis)
    let words = noErrors
    return rungs.map(([rung, profile], index) => {
      // Mostly a rung takes nothing away from either text; then it has the errors of the one below.
      if (index === 0 || said[index] !== said[index - 1] || heard[index] !== heard[index - 1]) {
        words = countOnRung(said[index], heard[index], profile)
      }
      return { rung, words }
    })
  }
}

function countOnRung(
  said: TextOnRung | undefined,
  heard: TextOnRung | undefined,
  { pairing, words }: Profile,
): ErrorCounts {
  if (pairing === undefined) return countErrors(said?.words ?? [], heard?.words ?? [])
  const pair = pairTexts(said?.text ?? '', heard?.text ?? '', pairing)
  return countErrors(tokeniseWords(pair.said, words), tokeniseWords(pair.heard, words))
}

function rungsOf(language: RememberedProfile | null): readonly (readonly [Rung, Profile])[] {
  const rungs = [
    ['as written', verbatim],
    ['capitals', withoutCapitals],
    ['punctuation', basic],
  ] as const
  if (language === null) return rungs
  const { profile, withoutSpellings } = language
  return [...rungs, ['numbers and contractions', withoutSpellings], ['spellings', profile]]
}

function textOnRungs(written: string, rungs: readonly (readonly [Rung, Profile])[]): readonly TextOnRung[] {
  let below: (TextOnRung & { readonly rule: Profile['words'] }) | null = null
  return rungs.map(([, profile]) => {
    const text = normaliseForPair(written, profile)
    if (below === null || below.text !== text || below.rule !== profile.words) {
      below = { text, words: tokeniseWords(text, profile.words), rule: profile.words }
    }
    return below
  })
}
