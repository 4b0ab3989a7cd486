import type { Problem } from '#prelude'
import { hasChoice, plainWords, type TranscriptPart } from '../alignment/networks.ts'
import { tokeniseWords } from '../tokens.ts'
import { linesOf, type TranscriptRecord } from './plain-text.ts'
import { parseMarkup, readToken } from './trn.ts'

/** A stretch of a recording with its transcript. */
export interface Segment extends TranscriptRecord {
  readonly file: string
  readonly channel: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly labels: readonly string[]
}

/** Segments that the tools of NIST leave out, with all words in them; newer ones also know it without underscores. */
const ignoredText = /IGNORE_?TIME_?SEGMENT_?IN_?SCORING/i

/** Whether a transcript of an stm file is the request to leave its segment out. */
export function asksToBeIgnored(text: string): boolean {
  return ignoredText.test(text)
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

// Fields are parted by white space in ASCII alone: a no-break or ideographic space belongs to its word.
const segmentFields = /* @__PURE__ */ new RegExp(
  `^ *${'(\\S+) +'.repeat(4)}(\\S+)(?: +<([^>]*)>)? *(.*)$`
    .replaceAll(' ', '[\\t-\\r ]')
    .replaceAll('\\S', '[^\\t-\\r ]'),
  's',
)

function segmentOf(content: string, line: number): Segment | Omit<Problem, 'where'> {
  const match = segmentFields.exec(content)
  const [, file = '', channel = '', speaker = '', start = '', end = '', labels = '', text = ''] = match ?? []
  const startSeconds = Number(start)
  const endSeconds = Number(end)
  if (match === null || !(startSeconds >= 0) || !(endSeconds >= startSeconds)) {
    return {
      what: 'the line is no segment',
      hint: 'write: file channel speaker start end <labels> text, times in seconds',
    }
  }
  const markup = parseMarkup(text, { hasTags: true })
  if (!markup.ok) return { what: markup.what, hint: markup.hint }
  const labelled = labels === '' ? [] : labels.split(',')
  return {
    id: `${file}-${channel}-${start}`,
    text: text.trim(),
    parts: markup.parts,
    taggedCount: markup.taggedCount,
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

export interface TimedWord {
  readonly file: string
  readonly channel: string
  readonly startSeconds: number
  readonly durationSeconds: number
  readonly word: string
  readonly line: number
}

/** A choice that the recogniser left open: the text between <ALT_BEGIN> and <ALT_END>, one branch per <ALT>. */
export interface TimedChoice {
  readonly file: string
  readonly channel: string
  /** At least one of them has a word; one without words means silence. */
  readonly branches: readonly (readonly TimedWord[])[]
  readonly line: number
}

export interface ParsedCtm {
  /** In the order of the file, which sclite goes by. */
  readonly parts: readonly (TimedWord | TimedChoice)[]
  /** `where` is a line number. */
  readonly problems: readonly Problem[]
}

/**
 * Reads a time marked conversation file: `file channel start duration word [confidence]`, `;;` before a comment.
 * Words may overlap each other.
 *
 * @param text the whole file: a choice spans lines
 * @see SCTK, doc/infmts.htm; fillmrks.c for what begins a comment
 */
export function parseCtm(text: string): ParsedCtm {
  const parts: (TimedWord | TimedChoice)[] = []
  const problems: Problem[] = []
  let open: OpenChoice | null = null
  for (const { line, text: content } of linesOf(text)) {
    if (content.trim() === '' || content.trimStart().startsWith(';')) continue
    const read = readLine(content, line, open)
    if ('what' in read) {
      problems.push({ where: String(line), ...read })
      continue
    }
    open = read.open
    if (read.part !== null) parts.push(read.part)
  }
  if (open !== null) problems.push({ where: String(open.line), ...neverEnded })
  return { parts, problems }
}

type Wrong = Omit<Problem, 'where'>

interface OpenChoice {
  readonly file: string
  readonly channel: string
  readonly line: number
  readonly branches: readonly TimedWord[][]
}

/** What a line completes, and the choice that is open after it. */
interface ReadLine {
  readonly part: TimedWord | TimedChoice | null
  readonly open: OpenChoice | null
}

const neverEnded: Wrong = {
  what: 'the alternatives that begin here never end',
  hint: 'write <ALT_BEGIN>, the words, <ALT>, the other words, <ALT_END>, each mark on a separate line',
}

function readLine(content: string, line: number, open: OpenChoice | null): ReadLine | Wrong {
  const [file = '', channel = '', , , text = ''] = fieldsOf(content)
  const mark = /^<ALT(?:_BEGIN|_END)?>$/i.exec(text)?.[0].toUpperCase()
  if (mark === undefined) return readWord(content, line, open)
  if (mark === '<ALT_BEGIN>') {
    return open === null ? { part: null, open: { file, channel, line, branches: [[]] } } : neverEnded
  }
  if (open === null) {
    return {
      what: `${mark} without <ALT_BEGIN> before it`,
      hint: 'remove the line, or begin the alternatives',
    }
  }
  if (mark === '<ALT>') return { part: null, open: { ...open, branches: [...open.branches, []] } }
  if (open.branches.every((branch) => branch.length === 0)) {
    return { what: 'the alternatives hold no word', hint: 'remove the lines from <ALT_BEGIN> to <ALT_END>' }
  }
  return { part: open, open: null }
}

function fieldsOf(line: string): string[] {
  return tokeniseWords(line, 'ascii-spaces')
}

function readWord(content: string, line: number, open: OpenChoice | null): ReadLine | Wrong {
  const word = wordOf(content, line)
  if ('what' in word || open === null) return 'what' in word ? word : { part: word, open: null }
  if (word.file !== open.file || word.channel !== open.channel) return neverEnded
  open.branches.at(-1)?.push(word)
  return { part: null, open }
}

function wordOf(content: string, line: number): TimedWord | Wrong {
  const [file = '', channel = '', start = '', duration = '', word = ''] = fieldsOf(content)
  const startSeconds = Number(start)
  const durationSeconds = Number(duration)
  if (word === '' || !(startSeconds >= 0) || !(durationSeconds >= 0)) {
    return { what: 'the line is no word', hint: 'write: file channel start duration word, times in seconds' }
  }
  return { file, channel, startSeconds, durationSeconds, word, line }
}

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
  for (const [place, placeSegments] of places) {
    for (const [segment, heard] of cut(placeSegments, heardByPlace.get(place) ?? [])) {
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
    unheard: [...places].flatMap(([place, placeSegments]) =>
      heardByPlace.has(place) ? [] : placeSegments.slice(0, 1),
    ),
    placeCount: places.size,
  }
}

/** File and channel in lower case, because sclite ignores case. */
export function placeOf({ file, channel }: { readonly file: string; readonly channel: string }): string {
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

/** A time in single precision, as sclite holds it: that decides where a word belongs whose middle is the very end. */
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
