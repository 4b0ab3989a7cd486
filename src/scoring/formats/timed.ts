import type { Problem } from '#prelude'
import { linesOf, type TranscriptRecord } from './record.ts'
import { parseMarkup } from './transcript-markup.ts'

/** A stretch of a recording with its transcript. */
export interface Segment extends TranscriptRecord {
  readonly file: string
  readonly channel: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly labels: readonly string[]
}

/** One recognised word with its time. */
export interface TimedWord {
  readonly file: string
  readonly channel: string
  readonly startSeconds: number
  readonly durationSeconds: number
  readonly word: string
  /** 0..1, or null where the file gives none. */
  readonly confidence: number | null
  readonly line: number
}

/** Segments that the tools of NIST leave out, with all words in them. */
const ignoredText = 'ignore_time_segment_in_scoring'

/** Whether a transcript of an stm file is the request to leave its segment out. */
export function asksToBeIgnored(text: string): boolean {
  return text.trim().toLowerCase() === ignoredText
}

/**
 * Reads a segment time mark file: `file channel speaker start end [<label,label>] text`, `;;` before a comment.
 *
 * @see SCTK, doc/infmts.htm
 */
export function parseStm(text: string, firstLine = 1): { segments: Segment[]; problems: Problem[] } {
  const segments: Segment[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '' || content.trimStart().startsWith(';;')) continue
    const segment = segmentOf(content, line)
    if ('what' in segment) problems.push({ where: String(line), ...segment })
    else segments.push(segment)
  }
  return { segments, problems }
}

function segmentOf(content: string, line: number): Segment | Omit<Problem, 'where'> {
  const match = /^\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?:\s+<([^>]*)>)?\s*(.*)$/s.exec(content)
  const [, file = '', channel = '', speaker = '', start = '', end = '', labels = '', text = ''] = match ?? []
  const startSeconds = Number(start)
  const endSeconds = Number(end)
  if (match === null || !(startSeconds >= 0) || !(endSeconds >= startSeconds)) {
    return {
      what: 'the line is no segment',
      hint: 'write: file channel speaker start end <labels> text, times in seconds',
    }
  }
  const markup = parseMarkup(text)
  if (!markup.ok) return { what: markup.what, hint: markup.hint }
  const labelled = labels === '' ? [] : labels.split(',')
  return {
    id: `${file}-${channel}-${start}`,
    text: text.trim(),
    parts: markup.parts,
    speaker,
    tags: Object.fromEntries(labelled.map((label, position) => [`label ${position + 1}`, label])),
    line,
    file,
    channel,
    startSeconds,
    endSeconds,
    labels: labelled,
  }
}

/**
 * Reads a time marked conversation file: `file channel start duration word [confidence]`, `;;` before a comment.
 * Words that overlap the one before them on the same channel are reported.
 *
 * @see SCTK, doc/infmts.htm
 */
export function parseCtm(text: string, firstLine = 1): { words: TimedWord[]; problems: Problem[] } {
  const words: TimedWord[] = []
  const problems: Problem[] = []
  const ends = new Map<string, number>()
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '' || content.trimStart().startsWith(';;')) continue
    const word = wordOf(content, line)
    if ('what' in word) {
      problems.push({ where: String(line), ...word })
      continue
    }
    const place = `${word.file} ${word.channel}`
    // Recognisers round to hundredths; half of one is no overlap.
    if (word.startSeconds < (ends.get(place) ?? 0) - 0.005) {
      problems.push({
        where: String(line),
        what: `“${word.word}” begins before the word before it has ended`,
        hint: 'sort the words by time, and put each speaker on a channel of their own',
      })
    }
    ends.set(place, Math.max(ends.get(place) ?? 0, word.startSeconds + word.durationSeconds))
    words.push(word)
  }
  return { words, problems }
}

function wordOf(content: string, line: number): TimedWord | Omit<Problem, 'where'> {
  const [file = '', channel = '', start = '', duration = '', word = '', confidence] = content
    .trim()
    .split(/\s+/)
  if (/^<ALT/i.test(word)) {
    return { what: 'the file holds alternatives', hint: 'keep the best one and remove the <ALT> lines' }
  }
  const startSeconds = Number(start)
  const durationSeconds = Number(duration)
  if (word === '' || !(startSeconds >= 0) || !(durationSeconds >= 0)) {
    return { what: 'the line is no word', hint: 'write: file channel start duration word, times in seconds' }
  }
  const share = confidence === undefined || confidence === 'NA' ? null : Number(confidence)
  return { file, channel, startSeconds, durationSeconds, word, confidence: share, line }
}

/** Words by the segment that they were said in, as transcripts that pair with the segments by id. */
export interface AssignedWords {
  readonly segments: readonly Segment[]
  readonly hypotheses: readonly TranscriptRecord[]
  /** Words whose middle lies in no segment. */
  readonly outside: readonly TimedWord[]
  /** Segments that ask to be left out, with the words in them. */
  readonly ignored: { readonly segmentCount: number; readonly wordCount: number }
}

/**
 * Gives every word to the segment that its middle lies in, as sclite does.
 *
 * @see SCTK, doc/sclite.htm, “stm” references with “ctm” hypotheses
 */
export function assignWords(segments: readonly Segment[], words: readonly TimedWord[]): AssignedWords {
  const bySegment = new Map<Segment, string[]>(segments.map((segment) => [segment, []]))
  const byPlace = Map.groupBy(segments, ({ file, channel }) => `${file} ${channel}`)
  const outside: TimedWord[] = []
  for (const word of words) {
    const middle = word.startSeconds + word.durationSeconds / 2
    const segment = byPlace
      .get(`${word.file} ${word.channel}`)
      ?.find(({ startSeconds, endSeconds }) => middle >= startSeconds && middle < endSeconds)
    if (segment === undefined) outside.push(word)
    else bySegment.get(segment)?.push(word.word)
  }
  const isIgnored = ({ text }: Segment): boolean => asksToBeIgnored(text)
  const ignored = segments.filter(isIgnored)
  const scored = segments.filter((segment) => !isIgnored(segment))
  return {
    segments: scored,
    hypotheses: scored.map((segment) => ({
      ...segment,
      text: (bySegment.get(segment) ?? []).join(' '),
      parts: null,
    })),
    outside,
    ignored: {
      segmentCount: ignored.length,
      wordCount: ignored.reduce((sum, segment) => sum + (bySegment.get(segment)?.length ?? 0), 0),
    },
  }
}
