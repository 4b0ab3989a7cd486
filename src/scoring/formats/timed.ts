import { hasChoice, plainWords, type TranscriptPart } from '../alignment/networks.ts'
import type { TimedChoice, TimedWord } from './ctm.ts'
import type { TranscriptRecord } from './record.ts'
import { asksToBeIgnored, type Segment } from './stm.ts'
import { readToken } from './transcript-markup.ts'

/** Words by the segment that they were said in, as transcripts that pair with the segments by id. */
export interface AssignedWords {
  /** Those that are scored, in the order of their file. */
  readonly segments: readonly Segment[]
  /** One for each of them. */
  readonly hypotheses: readonly TranscriptRecord[]
  /** Segments that ask to be left out, with the words in them. */
  readonly ignored: { readonly segmentCount: number; readonly wordCount: number }
  /** Scored words whose middle lies in no segment: each counts in the segment after it, behind the last in that one. */
  readonly between: readonly TimedWord[]
  /** Words that begin before the word above them in the file. */
  readonly unsorted: readonly TimedWord[]
  /** Words with a tag behind a semicolon, which is not scored. */
  readonly taggedCount: number
  /** Words of files and channels that no segment has. */
  readonly unknown: readonly TimedWord[]
  /** A segment of each file and channel without a word. */
  readonly unheard: readonly Segment[]
  /** Files and channels that segments have. */
  readonly placeCount: number
}

/**
 * Assigns every word to a segment as sclite does. File names and channels are compared without regard to case. Of
 * one channel the words go, in the order of their file, to the first segment that ends behind their middle; the last
 * segment takes all that are left. So words between two segments count in the later one.
 *
 *   segments        |— 1 —|       |— 2 —|
 *   words         a    b     c      d      e          1: a b, 2: c d e
 *
 * A choice goes where the middle of its latest word lies.
 *
 * @returns in time linear in segments and words
 * @see SCTK, stm2ctm.c (segment_hyp_for_utt)
 */
export function assignWords(
  segments: readonly Segment[],
  parts: readonly (TimedWord | TimedChoice)[],
): AssignedWords {
  const heardByPlace = Map.groupBy(parts, placeOf)
  const places = Map.groupBy(segments, placeOf)
  const heardOf = new Map<Segment, readonly (TimedWord | TimedChoice)[]>()
  const between: TimedWord[] = []
  for (const [place, own] of places) {
    for (const [segment, heard] of cut(own, heardByPlace.get(place) ?? [])) {
      heardOf.set(segment, heard)
      if (asksToBeIgnored(segment.text)) continue
      for (const part of heard) if (!liesIn(part, segment)) between.push(...wordsOf(part))
    }
  }
  const countIn = (segment: Segment): number => (heardOf.get(segment) ?? []).flatMap(wordsOf).length
  const ignored = segments.filter(({ text }) => asksToBeIgnored(text))
  const scored = segments.filter(({ text }) => !asksToBeIgnored(text))
  return {
    segments: scored,
    hypotheses: scored.map((segment) => ({ ...segment, ...transcriptOf(heardOf.get(segment) ?? []) })),
    ignored: {
      segmentCount: ignored.length,
      wordCount: ignored.reduce((sum, segment) => sum + countIn(segment), 0),
    },
    between,
    unsorted: [...heardByPlace.values()].flatMap(unsortedOf),
    taggedCount: parts.flatMap(wordsOf).filter(({ word }) => readToken(word).isTagged).length,
    unknown: [...heardByPlace].flatMap(([place, heard]) => (places.has(place) ? [] : heard.flatMap(wordsOf))),
    unheard: [...places].flatMap(([place, own]) => (heardByPlace.has(place) ? [] : own.slice(0, 1))),
    placeCount: places.size,
  }
}

function placeOf({ file, channel }: { readonly file: string; readonly channel: string }): string {
  return `${file} ${channel}`.toLowerCase()
}

function* cut(
  segments: readonly Segment[],
  parts: readonly (TimedWord | TimedChoice)[],
): Generator<readonly [Segment, readonly (TimedWord | TimedChoice)[]]> {
  const inTime = segments.toSorted((a, b) => a.startSeconds - b.startSeconds)
  let next = 0
  for (const [index, segment] of inTime.entries()) {
    const first = next
    const isLast = index === inTime.length - 1
    while (next < parts.length && (isLast || middleOf(parts[next] as TimedWord) < endOf(segment))) next += 1
    yield [segment, parts.slice(first, next)]
  }
}

function middleOf(part: TimedWord | TimedChoice): number {
  return wordsOf(part).reduce(
    (latest, { startSeconds, durationSeconds }) => Math.max(latest, startSeconds + durationSeconds / 2),
    0,
  )
}

/** In single precision, as sclite holds it: that decides where a word belongs whose middle is the very end. */
function endOf({ endSeconds }: Segment): number {
  return Math.fround(endSeconds)
}

function liesIn(part: TimedWord | TimedChoice, segment: Segment): boolean {
  const middle = middleOf(part)
  return middle >= segment.startSeconds && middle < endOf(segment)
}

function wordsOf(part: TimedWord | TimedChoice): readonly TimedWord[] {
  return 'branches' in part ? part.branches.flat() : [part]
}

function unsortedOf(parts: readonly (TimedWord | TimedChoice)[]): readonly TimedWord[] {
  const words = parts.flatMap((part) => ('branches' in part ? [] : [part]))
  return words.filter(({ startSeconds }, index) => startSeconds < (words[index - 1]?.startSeconds ?? 0))
}

function transcriptOf(parts: readonly (TimedWord | TimedChoice)[]): Pick<TranscriptRecord, 'text' | 'parts'> {
  const read = parts.flatMap((part): readonly TranscriptPart[] =>
    'branches' in part
      ? [{ kind: 'alternatives', branches: part.branches.map((branch) => branch.flatMap(partOf)) }]
      : partOf(part),
  )
  // Most hypotheses are words alone: those are text, as in every other format.
  return hasChoice(read)
    ? { text: parts.map(writtenOf).join(' '), parts: read }
    : { text: plainWords(read).join(' '), parts: null }
}

function partOf({ word }: TimedWord): readonly TranscriptPart[] {
  const { part } = readToken(word)
  return part === null ? [] : [part]
}

function writtenOf(part: TimedWord | TimedChoice): string {
  if (!('branches' in part)) return part.word
  const branches = part.branches.map((branch) => branch.map(({ word }) => word).join(' ') || '@')
  return `{ ${branches.join(' / ')} }`
}
