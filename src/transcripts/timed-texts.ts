import { extname } from 'node:path'
import { failed, type Outcome, parseJson, succeeded } from '#prelude'
import { parseCtm, type TimedWord } from '#scoring/formats/timed'
import type { TimedText } from '#scoring/shapes'
import type { CaptionRule } from './formats.ts'

/** The two formats of subtitles: SubRip and WebVTT. */
export type SubtitleFormat = 'srt' | 'vtt'

/** Words that are shown for a time. */
export interface Cue extends TimedText {
  /** Its words, where the file times them. */
  readonly times?: readonly TimedText[]
}

/** The cues of captions, in the order of their times, and what a person has to know of them. */
export interface Captions {
  readonly cues: readonly Cue[]
  /** They roll up, and what they repeat is kept. */
  readonly isRepeating: boolean
  /** Sentences without a subject, to follow the name of the file. */
  readonly notes: readonly string[]
}

/**
 * Reads subtitles, without numbers, comments, styles and markup.
 *
 *   1
 *   00:00:01,000 --> 00:00:03,500
 *   <i>Hello</i> there
 *
 * Captions that roll up show the last line again below which the next one appears. What a cue repeats of the end of the one
 * before is taken out where that is asked for, and always named: a listener hears it once.
 *
 * @param text a whole file
 * @returns null for a text that is none of the kind: not blank, without a cue, and without WebVTT's header
 * @see WebVTT, https://www.w3.org/TR/webvtt1/, sections 3.1 and 3.2; SubRip has no standard
 */
export function readCaptions(
  text: string,
  format: SubtitleFormat,
  rule: CaptionRule = 'keep',
): Captions | null {
  const body = text.replace(/^\ufeff/, '')
  // An empty line ends a cue of WebVTT; one of SubRip goes on to the next line of times, as players read it.
  const blocks = format === 'vtt' ? body.split(/(?:\r?\n){2,}|\r{2,}/) : [body]
  const cues = blocks.flatMap((block) => parseCues(block.split(/\r?\n|\r/), format))
  if (cues.length === 0 && !/^\ufeff?(?:WEBVTT\b|\s*$)/.test(text)) return null
  return joinCaptions(cues, rule)
}

function joinCaptions(written: readonly Cue[], rule: CaptionRule): Captions {
  const unsorted = written.filter((cue, at) => cue.startSeconds < (written[at - 1]?.startSeconds ?? 0))
  const cues = unsorted.length === 0 ? written : written.toSorted((a, b) => a.startSeconds - b.startSeconds)
  const labels = cues.flatMap((cue) => speakerLabel.exec(cue.text)?.[1] ?? [])
  const repeated = cues.map((cue, at) => repeatedWords(cues[at - 1]?.text ?? '', cue.text))
  const repeatCount = repeated.filter((count) => count > 0).length
  const rollsUp = repeatCount > 0 && 2 * repeatCount >= cues.length - 1
  const isRepeating = rollsUp && rule === 'keep'
  const repeating = `${repeatCount} of ${cues.length} cues repeat the end of the one before, as captions that roll up do`
  return {
    cues: rollsUp && rule === 'merge' ? mergeRepeats(cues, repeated) : cues,
    isRepeating,
    notes: [
      unsorted.length > 0 &&
        `${unsorted.length} of ${cues.length} cues begin before the one above them: sorted by time`,
      isRepeating && `${repeating}: to count what they repeat once, add --captions merge`,
      rollsUp &&
        rule === 'merge' &&
        `${repeating}: ${repeated.reduce((sum, count) => sum + count, 0)} repeated words taken out`,
      labels.length > 0 &&
        `${labels.length} of ${cues.length} cues begin with the label of a speaker, first “${labels[0]}”: ` +
          'remove such labels where the other side has none, since they count as words',
    ].filter((note) => note !== false),
  }
}

/** `JOHN:`, `>> MARY ANN:`, `- SPEAKER 2:` */
const speakerLabel = /^(?:>>|[-–])?\s*(\p{Lu}[\p{Lu}\d .'’-]*[\p{Lu}\d]:)(?=\s|$)/u

/** How many words a cue begins with that the one before ends with. A word alone, if it is short, is chance. */
function repeatedWords(before: string, text: string): number {
  const [shown, words] = [before.split(' '), text.split(' ')]
  for (let count = Math.min(shown.length, words.length); count > 0; count -= 1) {
    const start = words.slice(0, count).join(' ')
    if (start !== shown.slice(-count).join(' ')) continue
    return count > 1 || start.length > 5 ? count : 0
  }
  return 0
}

/** A cue that shows nothing new makes the one before last longer. */
function mergeRepeats(cues: readonly Cue[], repeated: readonly number[]): readonly Cue[] {
  const merged: Cue[] = []
  for (const [at, cue] of cues.entries()) {
    const text = cue.text
      .split(' ')
      .slice(repeated[at] ?? 0)
      .join(' ')
    const last = merged.at(-1)
    if (text !== '' || last === undefined) merged.push({ ...cue, text })
    else merged[merged.length - 1] = { ...last, endSeconds: Math.max(last.endSeconds, cue.endSeconds) }
  }
  return merged
}

export function textOfCues(cues: readonly Cue[]): string {
  return cues
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ')
}

const time = String.raw`(?:\d+:)?\d+:\d+(?:[.,]\d+)?`
const timing = new RegExp(String.raw`^\s*(${time})\s*-->\s*(${time})`)
const timedLine = new RegExp(String.raw`^\s*\[(${time})\s*-->\s*(${time})\]\s*(.*)$`)

/** Whether a text has lines as the programs of Whisper print them: `[00:00.000 --> 00:01.250]  Hello there`. */
export function hasTimedLines(text: string): boolean {
  return text.split('\n').some((line) => timedLine.test(line))
}

/** Reads what the programs of Whisper print: lines with times; all others are reports of the program. */
export function readTimedLines(text: string, rule: CaptionRule = 'keep'): Captions {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const cues = lines.flatMap((line): Cue[] => {
    const [, start, end, words = ''] = timedLine.exec(line) ?? []
    return start === undefined || end === undefined
      ? []
      : [
          {
            startSeconds: parseSeconds(start),
            endSeconds: parseSeconds(end),
            text: words.replace(/\s+/g, ' ').trim(),
          },
        ]
  })
  const captions = joinCaptions(cues, rule)
  const others = lines.length - cues.length
  const note = `${others} of ${lines.length} lines without times: not read`
  return others === 0 ? captions : { ...captions, notes: [...captions.notes, note] }
}

/** What each line of times begins; nothing of lines without one above them, as comments and styles are. */
function parseCues(lines: readonly string[], format: SubtitleFormat): readonly Cue[] {
  const starts = lines.flatMap((line, at) => (timing.test(line) ? [at] : []))
  return starts.map((start, index) => {
    const next = starts[index + 1]
    const isNumbered = format === 'srt' && next !== undefined && /^\s*\d+\s*$/.test(lines[next - 1] ?? '')
    return parseCue(lines.slice(start, isNumbered ? next - 1 : next))
  })
}

function parseCue([times = '', ...shownLines]: readonly string[]): Cue {
  const [, start = '', end = ''] = timing.exec(times) ?? []
  // Commands in braces, {\\an8}, come from SubStation Alpha.
  const shown = decodeEntities(
    shownLines
      .join(' ')
      .replace(tags, '')
      .replace(/\{\\[^}]*\}/g, ''),
  )
  return {
    startSeconds: parseSeconds(start),
    endSeconds: parseSeconds(end),
    text: shown.replace(/\s+/g, ' ').trim(),
  }
}

/** `1:02:03.500` or `02:03,500`. */
function parseSeconds(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
}

/** Of voices, styles and times (`<v Anna>`, `<i>`, `<00:01.000>`); any other angle bracket is text. */
const tags = /<\/?(?:[a-z][^<>]*|[\d:.]+)>/gi

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['lrm', '\u200e'],
  ['rlm', '\u200f'],
])

function decodeEntities(words: string): string {
  return words.replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (written, decimal: string | undefined, hexadecimal: string | undefined, name = '') => {
      const code = decimal ?? (hexadecimal === undefined ? null : `0x${hexadecimal}`)
      return code === null ? (entities.get(name) ?? written) : decodeCharacter(Number(code))
    },
  )
}

function decodeCharacter(code: number): string {
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code).replace(/\p{Surrogate}/u, '\ufffd')
}

/**
 * The words of such a file with their times, as OpenAI's API (`words`), Whisper, faster-whisper and WhisperX (`words` of
 * segments) write them; its segments where it times no words.
 *
 * @param value as `JSON.parse` returned it
 * @returns null where it has no times
 */
function readWhisperTimes(value: unknown): readonly TimedText[] | null {
  if (typeof value !== 'object' || value === null) return null
  const { words } = value as Readonly<Record<string, unknown>>
  const listed = Array.isArray(words) ? words : (listParts(value) ?? []).flatMap(wordsIn)
  const timed = timedWords(listed)
  if (timed.length > 0) return timed
  const cues = readWhisperCues(value) ?? []
  return cues.length === 0
    ? null
    : cues.map(({ text, startSeconds, endSeconds }) => ({ text, startSeconds, endSeconds }))
}

/** Empty where one of them has no times: aligners leave out those of words that they did not find. */
function timedWords(listed: readonly unknown[]): readonly TimedText[] {
  const timed = listed.map(timedWord)
  return timed.every((word) => word !== null) ? timed : []
}

function wordsIn(segment: unknown): readonly unknown[] {
  const words = typeof segment === 'object' && segment !== null && 'words' in segment ? segment.words : null
  return Array.isArray(words) ? words : []
}

function timedWord(value: unknown): TimedText | null {
  if (typeof value !== 'object' || value === null) return null
  const { word, start, end } = value as Readonly<Record<string, unknown>>
  const isTimed = typeof word === 'string' && typeof start === 'number' && typeof end === 'number'
  return isTimed ? { text: word.trim(), startSeconds: start, endSeconds: end } : null
}

/**
 * The segments of a file that Whisper or one of its relatives wrote as JSON, with their times: `start` and `end` in
 * seconds, or whisper.cpp's `offsets` in milliseconds.
 *
 * @param value as `JSON.parse` returned it
 * @returns null for a value that is no such transcript, or one whose segments have no times
 */
export function readWhisperCues(value: unknown): readonly Cue[] | null {
  const parts = listParts(value)
  if (parts === null) return null
  const cues = parts.map((part): Cue | null => {
    const { text, start, end, offsets } = part as Readonly<Record<string, unknown>>
    const { from, to } = (offsets ?? {}) as Readonly<Record<string, unknown>>
    const [startSeconds, endSeconds] =
      offsets === undefined ? [start, end] : [Number(from) / 1000, Number(to) / 1000]
    const isTimed =
      typeof startSeconds === 'number' && typeof endSeconds === 'number' && typeof text === 'string'
    if (!isTimed || !(startSeconds >= 0) || !(endSeconds >= startSeconds)) return null
    const words = timedWords(wordsIn(part))
    return { startSeconds, endSeconds, text, ...(words.length === 0 ? {} : { times: words }) }
  })
  if (!cues.every((cue) => cue !== null)) return null
  // A part that goes on with a word of the one before belongs to it, and so do its times.
  const isSpaced = areSpaced(value, cues)
  const whole: Cue[] = []
  for (const cue of cues) {
    const last = whole.at(-1)
    if (last === undefined || !isSpaced || /^\s/.test(cue.text)) whole.push(cue)
    else whole[whole.length - 1] = { ...last, text: last.text + cue.text, endSeconds: cue.endSeconds }
  }
  return whole.map((cue) => ({ ...cue, text: cue.text.trim() }))
}

/**
 * The transcript in a file that Whisper or one of its relatives wrote as JSON: `text`, or else the texts of all `segments`
 * (OpenAI's Whisper and API, WhisperX), of all parts of `transcription` (whisper.cpp), or of a list of segments
 * (faster-whisper). An object with an `id`, or another name of what it transcribes, is a row of JSON Lines.
 *
 * @param value as `JSON.parse` returned it
 * @returns null for a value that is no such transcript
 */
export function readWhisper(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const parts = listParts(value)
  if ('text' in value && typeof value.text === 'string') {
    const isRow = ['id', 'audio_filepath', 'path', 'reference', 'hypothesis'].some((name) => name in value)
    return parts === null && isRow ? null : value.text.trim()
  }
  if (parts === null) return null
  if (!parts.every((part): part is { readonly text: string } => typeof part['text'] === 'string')) return null
  const texts = parts.map(({ text }) => text)
  return areSpaced(value, parts) ? texts.join('').trim() : texts.map((text) => text.trim()).join(' ')
}

/** Null for a value without segments. */
function listParts(value: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  if (typeof value !== 'object' || value === null) return null
  const { segments, transcription } = value as Readonly<Record<string, unknown>>
  const isPart = (part: unknown): part is Readonly<Record<string, unknown>> =>
    typeof part === 'object' && part !== null && 'text' in part
  // A list of rows with ids is none of segments, which have times.
  if (Array.isArray(value))
    return value.every((part) => isPart(part) && typeof part['start'] === 'number') ? value : null
  const parts = [segments, transcription].find((listed) => Array.isArray(listed))
  return parts?.every(isPart) === true ? parts : null
}

/**
 * Whether texts bring their own spaces, so that one without a space goes on with a word: whisper.cpp, which cuts words, shows it
 * by its first part already, other programs by a later one.
 */
function areSpaced(value: unknown, parts: readonly { readonly text: string }[]): boolean {
  const telling = Object.hasOwn(Object(value), 'transcription') ? parts : parts.slice(1)
  return telling.some(({ text }) => /^\s/.test(text))
}

/**
 * Whether the beginning of a file shows it to be such a transcript and not objects of one transcript a line.
 *
 * @param head some kilobytes, or the whole file
 */
export function beginsAsWhisper(head: string): boolean {
  const [firstLine = ''] = head.trimStart().split('\n', 1)
  try {
    return readWhisper(JSON.parse(firstLine)) !== null
  } catch (error) {
    // The first line is a part of an object or a list, or a very long one: what it holds shows further on.
    if (!(error instanceof SyntaxError)) throw error
    const isRowByRow = !/^[[{]\s*$|^\[/.test(firstLine)
    return !isRowByRow || /^\s*\{[\s\S]*"(?:segments|transcription)"\s*:\s*\[/.test(head)
  }
}

/** Labels of pauses and noises in the output of forced aligners. */
const silences: ReadonlySet<string> = new Set(['', 'sil', 'sp', 'spn', '<eps>', '<sil>', '<silence>', '#'])

interface Tier {
  readonly name: string
  readonly intervals: readonly TimedText[]
}

/**
 * The words of a TextGrid: the intervals of the tier whose name ends in “word” or “words”, or of the only tier of intervals.
 * Empty intervals and pauses are no words.
 *
 * @param text in Praat's long or short form
 * @see https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
 */
function readTextGrid(text: string): Outcome<readonly TimedText[], string> {
  const tiers = parseTiers(text)
  if (tiers === null) return failed('is no TextGrid of Praat')
  const ofWords = tiers.filter(({ name }) => /\bwords?$/i.test(name))
  const [tier, ...others] = ofWords.length > 0 ? ofWords : tiers
  if (tier === undefined) return failed('has no tier of intervals')
  if (others.length > 0) {
    const names = [tier, ...others].map(({ name }) => `“${name}”`).join(', ')
    return failed(`has the tiers ${names}: name the one with the words “words”, and no other`)
  }
  return succeeded(tier.intervals.filter((interval) => !silences.has(interval.text.toLowerCase())))
}

/** Both forms have the same values in the same order: numbers, flags and quoted texts. All else is for people. */
function parseTiers(text: string): readonly Tier[] | null {
  const values = readValues(text)
  // Older versions of Praat say so where the form is the short one.
  if (!/^ooTextFile(?: short)?$/.test(values.next() ?? '') || values.next() !== 'TextGrid') return null
  values.skip(2)
  if (values.next() !== '<exists>') return null
  const tiers: Tier[] = []
  for (let left = Number(values.next()); left > 0; left -= 1) {
    const [kind, name] = [values.next(), values.next()]
    values.skip(2)
    const count = Number(values.next())
    const isIntervals = kind === 'IntervalTier'
    if (!(isIntervals || kind === 'TextTier') || name === undefined || !Number.isInteger(count)) return null
    const intervals: TimedText[] = []
    for (let at = 0; at < count; at += 1) {
      const startSeconds = Number(values.next())
      const endSeconds = isIntervals ? Number(values.next()) : startSeconds
      const label = values.next()
      if (label === undefined || !(endSeconds >= startSeconds)) return null
      intervals.push({ text: label.trim(), startSeconds, endSeconds })
    }
    if (isIntervals) tiers.push({ name, intervals })
  }
  return tiers
}

/** A quoted text, in which two quotes are one, a flag, or a number that is no part of a word and no number of an item. */
const value = /"((?:[^"]|"")*)"|(<\w+>)|(?<![^\s])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![^\s])/giu

function readValues(text: string): { next(): string | undefined; skip(count: number): void } {
  const all = text.replace(/^\ufeff/, '').matchAll(value)
  const next = (): string | undefined => {
    const found = all.next()
    if (found.done === true) return undefined
    const [, quoted, flag, number] = found.value
    return quoted?.replaceAll('""', '"') ?? flag ?? number
  }
  return {
    next,
    skip(count) {
      for (let at = 0; at < count; at += 1) next()
    },
  }
}

/** Times of words or segments, by recording; `null` is the one recording of a file that names none. */
export type TimesByRecording = ReadonlyMap<string | null, readonly TimedText[]>

/** Endings of files that have times, as they are looked for next to a recording. */
export const timesEndings = ['.TextGrid', '.ctm', '.json'] as const

/**
 * Reads when words or segments are spoken: a TextGrid of Praat, NIST's ctm, or the JSON of Whisper.
 *
 * @param name of the file; its ending decides the format
 * @returns what is wrong, behind the file's name
 */
export function readTimes(text: string, name: string): Outcome<TimesByRecording, string> {
  switch (extname(name).toLowerCase()) {
    case '.textgrid':
      return ofOneRecording(readTextGrid(text))
    case '.ctm':
      return readCtmTimes(text)
    case '.json': {
      const times = readWhisperTimes(parseJson(text))
      return ofOneRecording(
        times === null ? failed('is no transcript of Whisper with times') : succeeded(times),
      )
    }
    default:
      return failed(`has another ending than ${timesEndings.join(', ')}`)
  }
}

function ofOneRecording(times: Outcome<readonly TimedText[], string>): Outcome<TimesByRecording, string> {
  return times.ok ? succeeded(new Map([[null, times.value]])) : times
}

function readCtmTimes(text: string): Outcome<TimesByRecording, string> {
  const { parts, problems } = parseCtm(text)
  const [problem] = problems
  if (problem !== undefined) return failed(`line ${problem.where}: ${problem.what}`)
  const choice = parts.find((part) => 'branches' in part)
  if (choice !== undefined)
    return failed(`line ${choice.line}: has alternatives, and a reference has one time for a word`)
  const words = parts.filter((part): part is TimedWord => !('branches' in part))
  return succeeded(
    new Map([...Map.groupBy(words, ({ file }) => file)].map(([file, own]) => [file, own.map(timesOfWord)])),
  )
}

/** To a microsecond: 0.1 + 0.2 is more than 0.3. */
function timesOfWord({ word, startSeconds, durationSeconds }: TimedWord): TimedText {
  const endSeconds = Math.round((startSeconds + durationSeconds) * 1e6) / 1e6
  return { text: word, startSeconds, endSeconds }
}
