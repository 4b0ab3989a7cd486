import type { AlignmentRule } from './alignment/align.ts'
import { alignTranscripts, type TranscriptAlignment } from './alignment/align-transcripts.ts'
import {
  hasChoice,
  isFragmentWord,
  literalOptions,
  plainWords,
  type ScliteOptions,
  type TranscriptPart,
  withoutUnsaid,
} from './alignment/networks.ts'
import { countTexts, errorCount, referenceLength } from './counts.ts'
import { profileOfUtterance } from './profiles/by-language.ts'
import { pairTexts } from './profiles/pairing.ts'
import { normalise, normaliseForPair, type Profile } from './profiles/profile.ts'
import { withoutReadings } from './profiles/readings.ts'
import type { ErrorCounts } from './shapes.ts'
import { type CharacterRule, tokeniseWords, type WordRule } from './tokens.ts'

/** One text, normalised. */
export interface PlainReading {
  readonly kind: 'text'
  readonly text: string
  /** How it becomes words: most texts are counted without being cut. */
  readonly rule: WordRule
}

export function wordsOf({ text, rule }: PlainReading): string[] {
  return tokeniseWords(text, rule)
}

/** A reading of a transcript, normalised. */
type Reading = PlainReading | { readonly kind: 'choices'; readonly parts: readonly TranscriptPart[] }

/** Both sides of an utterance as they are compared. */
export interface ReadPair {
  readonly said: Reading
  readonly heard: Reading
}

/**
 * Reads an utterance: of several texts that are as right, the one that alternatives in a transcript would choose.
 * That is the one with the fewest edits, among those the most hits, among those the longest, among those the first;
 * with sclite's alignment the one of the least cost, among those the first.
 */
export function readPair(utterance: Utterance, options: ScoreOptions): ReadPair {
  const { reference, hypothesis } = utterance
  const profile = profileOfUtterance(options.profile, utterance.language)
  if (profile !== options.profile) return readPair(utterance, { ...options, profile })
  if (typeof reference === 'string' && (typeof hypothesis === 'string' || hypothesis === null)) {
    const said = plainReading(reference, profile)
    const heard = hypothesis === reference ? said : plainReading(hypothesis ?? '', profile)
    return paired({ said, heard }, profile)
  }
  const [heard = emptyReading] = readingsOf(hypothesis ?? '', options)
  const [first = emptyReading, ...others] = readingsOf(reference, options)
  if (others.length === 0) return paired({ said: first, heard }, profile)
  const [pair, ...pairs] = [first, ...others].map((said) => paired({ said, heard }, profile))
  return bestOf([pair as ReadPair, ...pairs], (each) => choiceCounts(each, options), options)
}

/** Both texts, made comparable with each other where the profile does so; choices stay as they are. */
function paired(pair: ReadPair, { pairing }: Profile): ReadPair {
  const { said, heard } = pair
  if (pairing === undefined) return pair
  if (said.kind !== 'text' || heard.kind !== 'text')
    return pairing === 'readings' ? { said: inOneForm(said), heard: inOneForm(heard) } : pair
  const texts = pairTexts(said.text, heard.text, pairing)
  return { said: { ...said, text: texts.said }, heard: { ...heard, text: texts.heard } }
}

/** Keeps one form of what can be said in several ways: a text with choices is aligned with plain words only. */
function inOneForm(reading: Reading): Reading {
  return reading.kind === 'text' ? { ...reading, text: withoutReadings(reading.text) } : reading
}

/**
 * The first of those with the best counts.
 *
 * @param candidates at least one
 */
function bestOf<Candidate>(
  candidates: readonly [Candidate, ...Candidate[]],
  countsOf: (candidate: Candidate) => ErrorCounts,
  { alignment }: ScoreOptions,
): Candidate {
  const [first, ...others] = candidates
  let best = { candidate: first, counts: countsOf(first) }
  for (const candidate of others) {
    const counts = countsOf(candidate)
    if (isBetter(counts, best.counts, alignment)) best = { candidate, counts }
  }
  return best.candidate
}

/** The counts by which a reading is chosen. All rules but sclite's have unit costs, and choose as the canonical one does. */
function choiceCounts(pair: ReadPair, options: ScoreOptions): ErrorCounts {
  const { alignment } = options
  const rule = alignment === 'sclite' ? alignment : 'canonical'
  if (isPlainPair(pair, options)) return countTexts(pair.said.text, pair.heard.text, pair.said.rule, rule)
  return alignReadings(pair, { ...options, alignment: rule }).counts
}

function isBetter(counts: ErrorCounts, than: ErrorCounts, alignment: ScoreOptions['alignment']): boolean {
  if (alignment === 'sclite') return scliteCost(counts) < scliteCost(than)
  const edits = errorCount(counts) - errorCount(than)
  const hits = counts.hits - than.hits
  if (edits !== 0 || hits !== 0) return edits < 0 || (edits === 0 && hits > 0)
  return referenceLength(counts) > referenceLength(than)
}

function scliteCost({ substitutions, deletions, insertions }: ErrorCounts): number {
  return 4 * substitutions + 3 * (deletions + insertions)
}

/** Whether both sides are words alone, each of which is right or wrong as a whole. */
export function isPlainPair(
  pair: ReadPair,
  options: ScoreOptions,
): pair is { said: PlainReading; heard: PlainReading }
export function isPlainPair({ said, heard }: ReadPair, { alignment, sclite }: ScoreOptions): boolean {
  if (said.kind !== 'text' || heard.kind !== 'text') return false
  if (alignment !== 'sclite' || sclite?.fragments !== true) return true
  return ![...wordsOf(said), ...wordsOf(heard)].some(isFragmentWord)
}

export function alignReadings(
  { said, heard }: ReadPair,
  { alignment, sclite }: ScoreOptions,
): TranscriptAlignment {
  return alignTranscripts(partsOf(said), partsOf(heard), alignment, sclite)
}

const emptyReading: Reading = { kind: 'text', text: '', rule: 'spaces' }

function partsOf(reading: Reading): readonly TranscriptPart[] {
  return reading.kind === 'text' ? [{ kind: 'words', words: wordsOf(reading) }] : reading.parts
}

function readingsOf(
  transcript: Utterance['reference'],
  { profile, alignment, sclite }: ScoreOptions,
): Reading[] {
  if (typeof transcript === 'string') return [plainReading(transcript, profile)]
  const written = transcript.filter((text) => typeof text !== 'string')
  const choices = alignment === 'sclite' ? written : withoutUnsaid(written)
  const isLiteral = alignment === 'sclite' && sclite?.optionalDeletions !== true
  const parts = isLiteral ? literalOptions(choices) : choices
  if (hasChoice(parts)) return [{ kind: 'choices', parts: normaliseParts(parts, profile) }]
  const texts = transcript.filter((text) => typeof text === 'string')
  const readings = parts.length > 0 ? [plainWords(parts).join(' ')] : texts
  return (readings.length === 0 ? [''] : readings).map((text) => plainReading(text, profile))
}

function plainReading(written: string, profile: Profile): PlainReading {
  return { kind: 'text', text: normaliseForPair(written, profile), rule: profile.words }
}

/** A transcript with choices, each of its runs of words normalised for itself. */
function normaliseParts(parts: readonly TranscriptPart[], profile: Profile): TranscriptPart[] {
  const tokensOf = (text: string): string[] => tokeniseWords(normalise(text, profile), profile.words)
  return parts.flatMap((part): TranscriptPart[] => {
    if (part.kind === 'words') return [{ kind: 'words', words: tokensOf(part.words.join(' ')) }]
    if (part.kind === 'optional') return tokensOf(part.word).map((word) => ({ kind: 'optional', word }))
    return [
      { kind: 'alternatives', branches: part.branches.map((branch) => normaliseParts(branch, profile)) },
    ]
  })
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
    choiceCounts(readPair({ ...utterance, reference: said }, options), options)
  if (parts.length === 0) {
    const [first = '', ...others] = texts
    return bestOf([first, ...others], countsOf, options)
  }
  const wanted = countsOf(parts)
  // Of the paths through a choice one leads to the counts of the whole, so choices are made one by one. Where a
  // stage of the profile looks across the border of a choice, no path may: then the best of them is taken.
  let chosen = parts
  for (let at = chosen.findIndex(isChoice); at >= 0; at = chosen.findIndex(isChoice)) {
    const before = chosen.slice(0, at)
    const after = chosen.slice(at + 1)
    const [first = [...before, ...after], ...others] = branchesOf(chosen[at]).map((branch) => [
      ...before,
      ...branch,
      ...after,
    ])
    chosen =
      [first, ...others].find((candidate) => isSame(countsOf(candidate), wanted)) ??
      bestOf([first, ...others], countsOf, options)
  }
  return plainWords(chosen).join(' ')
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

/** What was said, in one or several accepted ways, and what was recognised. */
export interface Utterance {
  /** Unique among what is scored together. */
  readonly id: string
  /** One text, several that are as right, or a transcript with choices. */
  readonly reference: string | readonly string[] | readonly TranscriptPart[]
  /** As written, or with alternatives. Null where the request failed. */
  readonly hypothesis: string | readonly TranscriptPart[] | null
  readonly speaker?: string | null
  /** BCP 47; decides the profile where there is one for each language. */
  readonly language?: string | null
  /** Named groups that it belongs to: language, source, noise … */
  readonly tags?: Readonly<Record<string, string>>
}

export interface ScoreOptions {
  readonly profile: Profile
  /** `canonical` by default. */
  readonly alignment?: AlignmentRule
  /** Default: those of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule
  /** For the alignment `sclite` alone. */
  readonly sclite?: ScliteOptions
  /** Characters are not counted: they take longer than words. */
  readonly only?: 'words'
}
