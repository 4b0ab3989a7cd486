import { extname } from 'node:path'
import { failed, type Outcome, parseForeignJson, parseJson, succeeded } from '#prelude'
import { parseCtm, type TimedWord } from '#scoring/formats/timed'
import type { TimedText } from '#scoring/shapes'
import type { CaptionRule } from './formats.ts'

/** Formats of subtitles: SubRip and WebVTT. */
export type SubtitleFormat = 'srt' | 'vtt'

/** A caption with its time. */
export interface Cue extends TimedText {
  /** Its words with their times, if the file has them. */
  readonly times?: readonly TimedText[]
}

/** Cues of captions in order of time, with notes for the user. */
export interface Captions {
  readonly cues: readonly Cue[]
  /** True for captions that roll up and whose repetitions are kept. */
  readonly isRepeating: boolean
  /** Sentences without a subject, which follow the name of the file. */
  readonly notes: readonly string[]
}

/**
 * Reads subtitles, without numbers, comments, styles and markup.
 *
 *   1
 *   00:00:01,000 --> 00:00:03,500
 *   <i>Hello</i> there
 *
 * In captions that roll up, a new line appears below the last line, which is shown again. With `merge`, the part of
 * a cue that repeats the end of the previous cue is removed, because it was spoken once. A note always reports it.
 *
 * @param text a whole file
 * @returns null for text that is not of this format: not blank, without a cue, and without WebVTT's header
 * @see WebVTT, https://www.w3.org/TR/webvtt1/, sections 3.1 and 3.2; SubRip has no standard
 */
export function readCaptions(
  text: string,
  format: SubtitleFormat,
  rule: CaptionRule = 'keep',
): Captions | null {
  const body = text.replace(/^\ufeff/, '')
  // In WebVTT an empty line ends a cue. In SubRip a cue continues to the next line with times, as in players.
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

/** Label of a speaker: `JOHN:`, `>> MARY ANN:`, `- SPEAKER 2:`, or `[SPEAKER_00]:` of WhisperX. */
const speakerLabel = /^(?:>>|[-–])?\s*(\[?\p{Lu}[\p{Lu}\d _.'’-]*[\p{Lu}\d]\]?:)(?=\s|$)/u

/** Returns how many words at a cue's start end the previous cue. A single short word is a coincidence. */
function repeatedWords(before: string, text: string): number {
  const [shown, words] = [before.split(' '), text.split(' ')]
  for (let count = Math.min(shown.length, words.length); count > 0; count -= 1) {
    const start = words.slice(0, count).join(' ')
    if (start !== shown.slice(-count).join(' ')) continue
    return count > 1 || start.length > 5 ? count : 0
  }
  return 0
}

/** Removes repeated words. A cue without new words extends the previous one. */
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

/** Whether a text has lines as Whisper's programs print them: `[00:00.000 --> 00:01.250]  Hello there`. */
export function hasTimedLines(text: string): boolean {
  return text.split(/\r?\n/).some((line) => timedLine.test(line))
}

/** The format of subtitles in a file whose ending names none; null for other text. */
export function findSubtitles(text: string): SubtitleFormat | null {
  if (/^\ufeff?WEBVTT\b/.test(text)) return 'vtt'
  return text.split(/\r?\n/).some((line) => timing.test(line)) ? 'srt' : null
}

/** Reads the output of Whisper's programs: lines with times. All other lines are messages of the program. */
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

/** Parses the cue of each line with times. Lines before the first one, such as comments and styles, are skipped. */
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
      .replace(/\{\\[^{}]*\}/g, ''),
  )
  return {
    startSeconds: parseSeconds(start),
    endSeconds: parseSeconds(end),
    text: shown.replace(/\s+/g, ' ').trim(),
  }
}

/** Parses `1:02:03.500` or `02:03,500`. */
function parseSeconds(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
}

/** Tags of voices, styles and times (`<v Anna>`, `<i>`, `<00:01.000>`); any other angle bracket is text. */
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
 * Returns the timed words of Whisper's JSON, as OpenAI's API (`words`), Whisper, faster-whisper and WhisperX
 * (`words` of segments) write them; or its segments where words have no times.
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

/** Returns no words if any has no times, because aligners omit the times of words that they did not find. */
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
 * Returns the segments of JSON that Whisper or a related program wrote, with their times: `start` and `end` in
 * seconds, or whisper.cpp's `offsets` in milliseconds.
 *
 * @param value as `JSON.parse` returned it
 * @returns null for a value that is no such transcript, or has segments without times
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
  // A part that continues a word of the previous part is joined to it, and so are its times.
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
 * Returns the transcript of JSON that Whisper or a related program wrote. It is `text`, or else the texts of
 * `segments` (OpenAI's Whisper and API, WhisperX), of `transcription` (whisper.cpp), or of a list of segments
 * (faster-whisper). An object with an `id`, or another name of its recording, is a row of JSON Lines.
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

/** Returns null for a value without segments. */
function listParts(value: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  if (typeof value !== 'object' || value === null) return null
  const { segments, transcription } = value as Readonly<Record<string, unknown>>
  const isPart = (part: unknown): part is Readonly<Record<string, unknown>> =>
    typeof part === 'object' && part !== null && 'text' in part
  // Only segments have times; a list of rows with ids has none.
  if (Array.isArray(value))
    return value.every((part) => isPart(part) && typeof part['start'] === 'number') ? value : null
  const parts = [segments, transcription].find((listed) => Array.isArray(listed))
  return parts?.every(isPart) === true ? parts : null
}

/**
 * Whether texts include their own spaces, so that one without a space continues a word. whisper.cpp splits words,
 * and its first part already has a space; other programs show it in a later part.
 */
function areSpaced(value: unknown, parts: readonly { readonly text: string }[]): boolean {
  const telling = Object.hasOwn(Object(value), 'transcription') ? parts : parts.slice(1)
  return telling.some(({ text }) => /^\s/.test(text))
}

/**
 * Whether the start of a file shows such a transcript, and not JSON Lines with one transcript each.
 *
 * @param head some kilobytes, or the whole file
 */
export function beginsAsWhisper(head: string): boolean {
  const [firstLine = ''] = head.trimStart().split('\n', 1)
  try {
    return readWhisper(parseForeignJson(firstLine)) !== null
  } catch (error) {
    // The first line is incomplete or very long JSON, so the rest of `head` decides.
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
 * Reads the words of a TextGrid: the intervals of the tier whose name ends in “word” or “words”, or of the only
 * interval tier. Empty intervals and pauses are skipped.
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

/** The long and the short form have the same values in the same order: numbers, flags and quoted texts. */
function parseTiers(text: string): readonly Tier[] | null {
  const values = readValues(text)
  // Older versions of Praat mark the short form.
  if (!/^ooTextFile(?: short)?$/.test(values.next() ?? '') || values.next() !== 'TextGrid') return null
  values.skip(2)
  if (values.next() !== '<exists>') return null
  const tiers: Tier[] = []
  for (let remaining = Number(values.next()); remaining > 0; remaining -= 1) {
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

/** A quoted text with doubled quotes, a flag, or a number that is neither part of a word nor the number of an item. */
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

/** Times of words or segments by recording; the key is null in a file that names no recording. */
export type TimesByRecording = ReadonlyMap<string | null, readonly TimedText[]>

/** File-name endings of files with times, in the order in which they are searched next to a recording. */
export const timesEndings = ['.TextGrid', '.ctm', '.json'] as const

/**
 * Reads when words or segments are spoken: a TextGrid of Praat, NIST's ctm, or the JSON of Whisper.
 *
 * @param name name of the file; its ending decides the format
 * @returns the problem of the file, as text that follows its name
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
  const wordsByFile = Map.groupBy(words, ({ file }) => file)
  return succeeded(new Map([...wordsByFile].map(([file, fileWords]) => [file, fileWords.map(timesOfWord)])))
}

/** Rounds to a microsecond, because 0.1 + 0.2 is more than 0.3 in floating point. */
function timesOfWord({ word, startSeconds, durationSeconds }: TimedWord): TimedText {
  const endSeconds = Math.round((startSeconds + durationSeconds) * 1e6) / 1e6
  return { text: word, startSeconds, endSeconds }
}
