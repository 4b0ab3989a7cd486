import { type AlignmentRule, align, countErrors } from './alignment/align.ts'
import { alignTranscripts } from './alignment/align-transcripts.ts'
import { hasChoice, plainWords, type TranscriptPart } from './alignment/network.ts'
import type { Alignment } from './alignment/steps.ts'
import { type ErrorCounts, errorCount, hypothesisLength, referenceLength } from './counts.ts'
import { normalise, type Profile } from './profiles/profile.ts'
import { type CharacterRule, tokeniseCharacters } from './tokens/characters.ts'
import { tokeniseWords } from './tokens/words.ts'

/** What was said, in one or several accepted ways, and what was recognised. */
export interface Utterance {
  /** Unique among what is scored together. */
  readonly id: string
  /** One text, several that are as right, or a transcript with choices. */
  readonly reference: string | readonly string[] | readonly TranscriptPart[]
  /** As written, or with choices of its own. Null where nothing came back: the request failed. */
  readonly hypothesis: string | readonly TranscriptPart[] | null
  readonly speaker?: string | null
  /** Named groups that it belongs to: language, source, noise … */
  readonly tags?: Readonly<Record<string, string>>
}

export interface ScoreOptions {
  readonly profile: Profile
  /** `canonical` unless told. */
  readonly alignment?: AlignmentRule
  /** `graphemes` unless told; code points for jiwer's alignment. */
  readonly characters?: CharacterRule
}

/** One utterance, counted. */
export interface UtteranceScore {
  readonly id: string
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** Null where the hypothesis is. */
  readonly words: ErrorCounts | null
  readonly characters: ErrorCounts | null
  /** Words and characters with an answer that failed counted as an empty one. */
  readonly wordsFailedAsEmpty: ErrorCounts
  /** The reference holds text, and the profile leaves none of it. */
  readonly isEmptied: boolean
}

/**
 * Counts one utterance, in the reading of its reference that is best for the hypothesis: the lowest error rate,
 * among those the most hits, among those the first.
 *
 * @returns never throws, whatever the texts hold
 */
export function scoreUtterance(utterance: Utterance, options: ScoreOptions): UtteranceScore {
  const { alignment = 'canonical' } = options
  const best = bestReading(utterance, options)
  const rule = characterRuleOf(options)
  const isAnswered = utterance.hypothesis !== null
  return {
    id: utterance.id,
    speaker: utterance.speaker ?? null,
    tags: utterance.tags ?? {},
    words: isAnswered ? best.words : null,
    characters: isAnswered
      ? countErrors(tokeniseCharacters(best.said, rule), tokeniseCharacters(best.heard, rule), alignment)
      : null,
    wordsFailedAsEmpty: best.words,
    isEmptied: referenceLength(best.words) === 0 && hasText(utterance.reference),
  }
}

/** What characters are with these options. */
export function characterRuleOf({ alignment, characters }: ScoreOptions): CharacterRule {
  return characters ?? (alignment === 'jiwer' ? 'code-points' : 'graphemes')
}

/** The word alignment of one utterance, in the reading that `scoreUtterance` takes. */
export function alignUtterance(utterance: Utterance, options: ScoreOptions): Alignment {
  const { alignment = 'canonical' } = options
  const [heard = emptyReading] = readingsOf(utterance.hypothesis ?? '', options.profile)
  const alignments = readingsOf(utterance.reference, options.profile).map((said) =>
    said.kind === 'text' && heard.kind === 'text'
      ? align(said.words, heard.words, alignment)
      : alignTranscripts(partsOf(said), partsOf(heard), alignment),
  )
  return alignments.reduce((a, b) => (isBetter(b.counts, a.counts) ? b : a))
}

/**
 * The text that `scoreUtterance` takes the reference for, as it is written: of several texts the best one; of
 * choices a reading with the same counts, the first branch of each choice that leads to them.
 *
 * @returns the reference itself where it is one text
 */
export function takenReading(utterance: Utterance, options: ScoreOptions): string {
  const { reference } = utterance
  if (typeof reference === 'string') return reference
  const texts = reference.filter((text) => typeof text === 'string')
  const parts = reference.filter((part) => typeof part !== 'string')
  const countsOf = (said: Utterance['reference']): ErrorCounts =>
    bestReading({ ...utterance, reference: said }, options).words
  if (parts.length === 0) return bestOf(texts, countsOf) ?? ''
  const wanted = countsOf(parts)
  // Of the ways through a choice one leads to the counts of the whole, so choices are settled one by one. Where a
  // stage of the profile looks across the border of a choice, no way may: then the best of them is taken.
  let settled = parts
  for (let at = settled.findIndex(isChoice); at >= 0; at = settled.findIndex(isChoice)) {
    const before = settled.slice(0, at)
    const after = settled.slice(at + 1)
    const ways = branchesOf(settled[at]).map((branch) => [...before, ...branch, ...after])
    settled = ways.find((way) => isSame(countsOf(way), wanted)) ??
      bestOf(ways, countsOf) ?? [...before, ...after]
  }
  return plainWords(settled).join(' ')
}

/** The first of those with the best counts; null where there is none. */
function bestOf<Way>(ways: readonly Way[], countsOf: (way: Way) => ErrorCounts): Way | null {
  let best: { readonly way: Way; readonly counts: ErrorCounts } | null = null
  for (const way of ways) {
    const counts = countsOf(way)
    if (best === null || isBetter(counts, best.counts)) best = { way, counts }
  }
  return best?.way ?? null
}

function isChoice(part: TranscriptPart): boolean {
  return part.kind !== 'words'
}

function branchesOf(part: TranscriptPart | undefined): readonly (readonly TranscriptPart[])[] {
  if (part === undefined) return []
  if (part.kind === 'optional') return [[{ kind: 'words', words: [part.word] }], []]
  return part.kind === 'alternatives' ? part.branches : [[part]]
}

function isSame(a: ErrorCounts, b: ErrorCounts): boolean {
  return a.hits === b.hits && errorCount(a) === errorCount(b) && referenceLength(a) === referenceLength(b)
}

/** A way to read a transcript, normalised. */
type Reading =
  | { readonly kind: 'text'; readonly text: string; readonly words: readonly string[] }
  | { readonly kind: 'choices'; readonly parts: readonly TranscriptPart[] }

const emptyReading: Reading = { kind: 'text', text: '', words: [] }

function partsOf(reading: Reading): readonly TranscriptPart[] {
  return reading.kind === 'text' ? [{ kind: 'words', words: reading.words }] : reading.parts
}

function readingsOf(reference: Utterance['reference'], profile: Profile): Reading[] {
  const texts = typeof reference === 'string' ? [reference] : reference
  const parts = texts.filter((text) => typeof text !== 'string')
  if (hasChoice(parts)) return [{ kind: 'choices', parts: normaliseParts(parts, profile) }]
  const written =
    parts.length > 0 ? [plainWords(parts).join(' ')] : texts.filter((text) => typeof text === 'string')
  return (written.length === 0 ? [''] : written).map((text) => {
    const normalised = normalise(text, profile)
    return { kind: 'text', text: normalised, words: tokeniseWords(normalised, profile.words) }
  })
}

/** A transcript with choices, each of its runs of words normalised for itself. */
function normaliseParts(parts: readonly TranscriptPart[], profile: Profile): TranscriptPart[] {
  const made = (text: string): string[] => tokeniseWords(normalise(text, profile), profile.words)
  return parts.flatMap((part): TranscriptPart[] => {
    if (part.kind === 'words') return [{ kind: 'words', words: made(part.words.join(' ')) }]
    if (part.kind === 'optional') return made(part.word).map((word) => ({ kind: 'optional', word }))
    return [
      { kind: 'alternatives', branches: part.branches.map((branch) => normaliseParts(branch, profile)) },
    ]
  })
}

/** What was counted, with the text of either side in the reading that was taken. */
interface CountedReading {
  readonly words: ErrorCounts
  readonly said: string
  readonly heard: string
}

function bestReading(
  utterance: Utterance,
  { profile, alignment = 'canonical' }: ScoreOptions,
): CountedReading {
  const [heard = emptyReading] = readingsOf(utterance.hypothesis ?? '', profile)
  return readingsOf(utterance.reference, profile)
    .map((said) => countReading(said, heard, alignment))
    .reduce((a, b) => (isBetter(b.words, a.words) ? b : a))
}

function countReading(said: Reading, heard: Reading, alignment: AlignmentRule): CountedReading {
  if (said.kind === 'text' && heard.kind === 'text') {
    return { words: countErrors(said.words, heard.words, alignment), said: said.text, heard: heard.text }
  }
  const { counts, steps } = alignTranscripts(partsOf(said), partsOf(heard), alignment)
  const side = (words: readonly (string | null)[]): string =>
    words.filter((word) => word !== null && word !== '').join(' ')
  return {
    words: counts,
    said: side(steps.map((step) => step.reference)),
    heard: side(steps.map((step) => step.hypothesis)),
  }
}

function isBetter(counts: ErrorCounts, than: ErrorCounts): boolean {
  const rate = (each: ErrorCounts): number => errorCount(each) / Math.max(1, referenceLength(each))
  const difference = rate(counts) - rate(than)
  return difference < 0 || (difference === 0 && counts.hits > than.hits)
}

function hasText(reference: Utterance['reference']): boolean {
  if (typeof reference === 'string') return reference.trim() !== ''
  return reference.some((part) => typeof part !== 'string' || part.trim() !== '')
}

/** Whether the hypothesis holds words where the reference holds none. */
export function isInventedSpeech(words: ErrorCounts): boolean {
  return referenceLength(words) === 0 && hypothesisLength(words) > 0
}
