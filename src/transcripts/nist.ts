import type { Problem } from '#prelude'
import { counted, sumOf } from '#prelude'
import { parseKaldiText, type TranscriptRecord } from '#scoring/formats/plain-text'
import {
  type AssignedWords,
  asksToBeIgnored,
  assignWords,
  parseCtm,
  parseStm,
  placeOf,
  type Segment,
  type TimedWord,
} from '#scoring/formats/timed'
import { parseTrn } from '#scoring/formats/trn'
import { type Input, type LineBlock, readWholeText } from './input.ts'
import { type ProblemList, wantsOut } from './problems.ts'
import type { ParsedTranscripts, Transcript, TranscriptPair } from './rows.ts'

/** Segments paired with the words recognised in them, and notes about what is not scored. */
export interface TimedTranscripts {
  readonly pairs: readonly TranscriptPair[]
  readonly bytesRead: number
  readonly notes: readonly string[]
}

/**
 * Reads segments (stm) and timed words (ctm), and assigns the words to the segments as sclite does. Both files are
 * held in memory, because their orders may differ.
 */
export async function readTimed(
  references: Input,
  hypotheses: Input,
  problems: ProblemList,
): Promise<TimedTranscripts> {
  const { segments, bytesRead } = await readStm(references, problems)
  const heard = await readWholeText(hypotheses, problems.report)
  const { parts, problems: wrongWords } = parseCtm(heard.text)
  reportAt(hypotheses, problems, wrongWords)
  const assigned = assignWords(segments, parts)
  reportAt(hypotheses, problems, unknownPlaces(assigned.unknown, references.shownPath))
  const numbered = numberSameIds(assigned.segments)
  return {
    pairs: numbered.map((segment, index) => ({
      reference: transcriptOfRecord(segment),
      hypothesis: transcriptOfRecord({ ...segment, ...assigned.hypotheses[index], id: segment.id }),
    })),
    bytesRead: bytesRead + heard.bytesRead,
    notes: listNotes(assigned, segments, parts.length === 0, [references.shownPath, hypotheses.shownPath]),
  }
}

/** Max difference between the starts of one segment in two files, in seconds. */
const equalSeconds = 0.1

/**
 * Pairs the segments of two stm files by time. A reference segment is paired with a hypothesis segment of the same
 * file and channel, ignoring case, that starts within 0.1 s. It prefers the same speaker, then the nearest start.
 * Both files are held in memory.
 */
export async function readSegments(
  references: Input,
  hypotheses: Input,
  problems: ProblemList,
): Promise<TimedTranscripts> {
  const [said, heard] = [await readStm(references, problems), await readStm(hypotheses, problems)]
  const free = startIndexes(heard.segments)
  const pairs: TranscriptPair[] = []
  let [ignoredCount, ignoredHypotheses, shiftedCount, furthestSeconds] = [0, 0, 0, 0]
  for (const segment of numberSameIds(said.segments)) {
    const candidates = free.get(placeOf(segment))
    const isIgnored = asksToBeIgnored(segment.text)
    if (isIgnored) ignoredCount += 1
    const found = candidates?.takePartner(segment) ?? null
    if (found === null) {
      if (!isIgnored) problems.report(withoutPartner(segment, candidates, [references, hypotheses]))
      continue
    }
    if (isIgnored) {
      ignoredHypotheses += 1
      continue
    }
    if (asksToBeIgnored(found.text)) problems.report(wantsOut(found, hypotheses.shownPath))
    const apart = Math.abs(found.startSeconds - segment.startSeconds)
    if (apart > 0) shiftedCount += 1
    furthestSeconds = Math.max(furthestSeconds, apart)
    pairs.push({
      reference: transcriptOfRecord(segment),
      hypothesis: transcriptOfRecord({ ...found, id: segment.id }),
    })
  }
  const saidAt = startIndexes(said.segments)
  const left = [...free.values()].flatMap((candidates) => candidates.list())
  for (const segment of left.toSorted((a, b) => a.line - b.line))
    problems.report(withoutPartner(segment, saidAt.get(placeOf(segment)), [hypotheses, references]))
  const taggedCount = countTags([...said.segments, ...heard.segments])
  return {
    pairs,
    bytesRead: said.bytesRead + heard.bytesRead,
    notes: [
      ignoredCount > 0 &&
        `${counted(ignoredCount, 'segment')} of ${references.shownPath} not scored, as the file asks; ` +
          `${ignoredHypotheses} of them had a hypothesis`,
      shiftedCount > 0 &&
        `${counted(shiftedCount, 'segment')} of ${hypotheses.shownPath} paired by time with one that begins up to ` +
          `${Number(furthestSeconds.toFixed(3))} s earlier or later`,
      taggedCount > 0 && taggedNote(taggedCount),
    ].filter((note) => note !== false),
  }
}

async function readStm(
  input: Input,
  problems: ProblemList,
): Promise<{ readonly segments: readonly Segment[]; readonly bytesRead: number }> {
  const before = problems.count
  const { text, bytesRead } = await readWholeText(input, problems.report)
  const { segments, problems: wrong } = parseStm(text)
  reportAt(input, problems, wrong)
  if (segments.length === 0 && problems.count === before)
    problems.report({ where: input.shownPath, what: 'has no segments' })
  return { segments, bytesRead }
}

/** The segments of one file and channel that are left, found by the time at which they start. */
interface StartIndex {
  /** Removes and returns the partner of a segment; null if none starts within 0.1 s. */
  takePartner(segment: Segment): Segment | null
  /** The segment with the nearest start, and of several the first in the file. */
  nearest(startSeconds: number): Segment | null
  list(): readonly Segment[]
}

function startIndexes(segments: readonly Segment[]): ReadonlyMap<string, StartIndex> {
  return new Map([...Map.groupBy(segments, placeOf)].map(([place, within]) => [place, startIndex(within)]))
}

/** Sorts the segments once, because a search through all of them for each takes quadratic time. */
function startIndex(segments: readonly Segment[]): StartIndex {
  const sorted = segments.toSorted((a, b) => a.startSeconds - b.startSeconds)
  // Each position links to itself, or, once its segment is taken, to the next one in the direction.
  const after = Int32Array.from({ length: sorted.length + 1 }, (_, position) => position)
  const before = after.slice()
  /** The positions of `before` are greater by one, so that 0 means none. */
  const follow = (links: Int32Array, from: number): number => {
    let at = from
    for (let next = links[at] ?? at; next !== at; next = links[at] ?? at) {
      links[at] = links[next] ?? next
      at = next
    }
    return at
  }
  const firstWhere = (isReached: (startSeconds: number) => boolean): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isReached(sorted[middle]?.startSeconds ?? 0)) high = middle
      else low = middle + 1
    }
    return low
  }
  const firstFrom = (startSeconds: number) => firstWhere((start) => start >= startSeconds)
  return {
    takePartner({ startSeconds, speaker }) {
      const apart = (segment: Segment): number => Math.abs(segment.startSeconds - startSeconds)
      const isOther = (segment: Segment): number =>
        Number(segment.speaker?.toLowerCase() !== speaker?.toLowerCase())
      let best: readonly [Segment, number] | null = null
      const first = firstWhere((start) => startSeconds - start <= equalSeconds + 1e-9)
      for (let at = follow(after, first); ; at = follow(after, at + 1)) {
        const segment = sorted[at]
        if (segment === undefined || apart(segment) > equalSeconds + 1e-9) break
        const order =
          best &&
          (isOther(segment) - isOther(best[0]) ||
            apart(segment) - apart(best[0]) ||
            segment.line - best[0].line)
        if (order === null || order < 0) best = [segment, at]
      }
      if (best === null) return null
      const [found, at] = best
      after[at] = at + 1
      before[at + 1] = at
      return found
    },
    nearest(startSeconds) {
      const next = firstFrom(startSeconds)
      const earlier = sorted[follow(before, next) - 1]
      const positions = [...(earlier === undefined ? [] : [firstFrom(earlier.startSeconds)]), next]
      const found = positions.flatMap((position) => sorted[follow(after, position)] ?? [])
      const apart = (segment: Segment): number => Math.abs(segment.startSeconds - startSeconds)
      return found.toSorted((a, b) => apart(a) - apart(b) || a.line - b.line)[0] ?? null
    },
    list: () => sorted.filter((_, position) => after[position] === position),
  }
}

/** @param others segments of the same file and channel */
function withoutPartner(
  segment: Segment,
  others: StartIndex | undefined,
  [input, other]: readonly [Input, Input],
): Problem {
  const { file, channel, startSeconds, line } = segment
  const nearest = others?.nearest(startSeconds) ?? null
  return {
    where: `${input.shownPath}:${line}`,
    what: `${other.shownPath} has no segment of file ${file}, channel ${channel}, that begins at ${startSeconds} s`,
    hint:
      nearest === null
        ? 'add it, with an empty text where nothing was recognised'
        : `the nearest that is left begins at ${nearest.startSeconds} s; add it, or give the words with their times as a ctm`,
  }
}

/** Appends a number to repeated ids, because segments of two speakers may start at the same time. */
function numberSameIds<Segment extends { readonly id: string }>(segments: readonly Segment[]): Segment[] {
  const times = new Map<string, number>()
  return segments.map((segment) => {
    const time = (times.get(segment.id) ?? 0) + 1
    times.set(segment.id, time)
    return time === 1 ? segment : { ...segment, id: `${segment.id}#${time}` }
  })
}

/** Lists what sclite's rules skip and what the references exclude, with counts. */
function listNotes(
  { ignored, between, unsorted, unheard, placeCount, taggedCount }: AssignedWords,
  segments: readonly Segment[],
  isEmpty: boolean,
  [references, hypotheses]: readonly [string, string],
): readonly string[] {
  const tags = taggedCount + countTags(segments)
  const at = ({ word, startSeconds, line }: TimedWord): string =>
    `“${word}” at ${startSeconds} s (line ${line})`
  const [firstBetween] = between
  const [firstUnsorted] = unsorted
  const [firstUnheard] = unheard
  return [
    ignored.segmentCount > 0 &&
      `${counted(ignored.segmentCount, 'segment')} of ${references} not scored, as the file asks ` +
        `(IGNORE_TIME_SEGMENT_IN_SCORING), with ${counted(ignored.wordCount, 'recognised word')}`,
    firstBetween !== undefined &&
      `${counted(between.length, 'word')} of ${hypotheses} in no segment of ${references}, first ` +
        `${at(firstBetween)}: counted in the next segment, after the last one in that, as sclite does`,
    firstUnsorted !== undefined &&
      `${counted(unsorted.length, 'word')} of ${hypotheses} not sorted by start time, first ` +
        `${at(firstUnsorted)}: scored in the order of the file, as sclite does`,
    firstUnheard !== undefined &&
      (isEmpty
        ? `${hypotheses} has no words: all words of ${references} count as deleted`
        : `${hypotheses} has no words for ${unheard.length} of ${counted(placeCount, 'channel')} of ` +
          `${references}, first ${firstUnheard.file} ${firstUnheard.channel}: their words count as deleted`),
    tags > 0 && taggedNote(tags),
  ].filter((note) => note !== false)
}

function countTags(records: readonly { readonly taggedCount?: number }[]): number {
  return sumOf(records, (record) => record.taggedCount ?? 0)
}

/** Formats the note on words with tags: `word;tag`. */
export function taggedNote(count: number): string {
  return `${counted(count, 'word')} with a tag after a semicolon: the tag is not scored, as in sclite`
}

/** Reports one problem for each file and channel that the references lack. */
function unknownPlaces(words: readonly TimedWord[], references: string): readonly Problem[] {
  return [...Map.groupBy(words, placeOf).values()].flatMap(([first, ...others]): readonly Problem[] => {
    if (first === undefined) return []
    const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more word')}`
    return [
      {
        where: String(first.line),
        what: `${references} has no segment of file ${first.file}, channel ${first.channel} (“${first.word}”${more})`,
        hint: 'add its segments, or remove its words',
      },
    ]
  })
}

function reportAt({ shownPath }: Input, problems: ProblemList, found: readonly Problem[]): void {
  for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
}

/** Parsers of formats whose lines contain the ids of their transcripts. */
export const lineParsers: Readonly<Record<'trn' | 'kaldi' | 'stm', (block: LineBlock) => ParsedTranscripts>> =
  {
    trn: ({ text, firstLine }) => {
      // Lines are parsed one by one, because a carriage return inside of one must not change the numbers of the others.
      const lines = text.split('\n').map((line, index) => parseTrn(line, firstLine + index))
      return {
        ...asParsed(lines.flatMap(({ records }) => records)),
        problems: lines.flatMap(({ problems }) => problems),
      }
    },
    kaldi({ text, firstLine }) {
      const records = text.split('\n').flatMap((line, index) => parseKaldiText(line, firstLine + index))
      return { ...asParsed(records), problems: [] }
    },
    stm({ text, firstLine }) {
      const { segments, problems } = parseStm(text, firstLine)
      const { transcripts, taggedCount } = asParsed(segments)
      return {
        transcripts: transcripts.map((transcript, index) =>
          asksToBeIgnored(segments[index]?.text ?? '') ? { ...transcript, isIgnored: true } : transcript,
        ),
        problems,
        taggedCount,
      }
    },
  }

function asParsed(
  records: readonly TranscriptRecord[],
): Required<Pick<ParsedTranscripts, 'transcripts' | 'taggedCount'>> {
  return {
    transcripts: records.map(transcriptOfRecord),
    taggedCount: countTags(records),
  }
}

/** Makes a transcript of a parsed record, with its alternatives. */
function transcriptOfRecord({ id, parts, text, speaker, tags, line }: TranscriptRecord): Transcript {
  return { id, text: parts ?? text, speaker, tags, line }
}
