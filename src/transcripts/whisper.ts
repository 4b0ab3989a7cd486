import type { TimedText } from '#scoring/counting'
import type { Cue } from './subtitles.ts'

/**
 * The words of such a file with their times, as OpenAI's API (`words`), Whisper, faster-whisper and WhisperX (`words` of
 * segments) write them; its segments where it times no words.
 *
 * @param value as `JSON.parse` returned it
 * @returns null where it has no times
 */
export function readWhisperTimes(value: unknown): readonly TimedText[] | null {
  if (typeof value !== 'object' || value === null) return null
  const { words, segments } = value as Readonly<Record<string, unknown>>
  const listed = Array.isArray(words) ? words : Array.isArray(segments) ? segments.flatMap(wordsIn) : []
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
  if (readWhisper(value) === null) return null
  const { segments, transcription } = value as Readonly<Record<string, unknown>>
  const cues = ((segments ?? transcription) as readonly unknown[]).map((part): Cue | null => {
    const { text, start, end, offsets } = part as Readonly<Record<string, unknown>>
    const { from, to } = (offsets ?? {}) as Readonly<Record<string, unknown>>
    const [startSeconds, endSeconds] =
      offsets === undefined ? [start, end] : [Number(from) / 1000, Number(to) / 1000]
    const isTimed =
      typeof startSeconds === 'number' && typeof endSeconds === 'number' && typeof text === 'string'
    if (!isTimed || !(startSeconds >= 0) || !(endSeconds >= startSeconds)) return null
    const words = timedWords(wordsIn(part))
    return { startSeconds, endSeconds, text: text.trim(), ...(words.length === 0 ? {} : { times: words }) }
  })
  return cues.every((cue) => cue !== null) ? cues : null
}

/**
 * The transcript in a file that Whisper or one of its relatives wrote as JSON: `text`, or else the texts of all `segments`
 * (OpenAI's Whisper and API, faster-whisper, WhisperX) or of all parts of `transcription` (whisper.cpp).
 *
 * @param value as `JSON.parse` returned it
 * @returns null for a value that is no such transcript
 */
export function readWhisper(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const { text, segments, transcription } = value as Readonly<Record<string, unknown>>
  const parts = Array.isArray(segments) ? segments : Array.isArray(transcription) ? transcription : null
  if (parts === null) return null
  if (typeof text === 'string') return text.trim()
  const texts = parts.map((part: unknown) =>
    typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
      ? part.text.trim()
      : null,
  )
  return texts.every((each) => each !== null) ? texts.join(' ') : null
}

/**
 * Whether the beginning of a file shows it to be such a transcript and not objects of one transcript a line.
 *
 * @param head some kilobytes, or the whole file
 */
export function beginsAsWhisper(head: string): boolean {
  const [firstLine = ''] = head.split('\n', 1)
  try {
    return readWhisper(JSON.parse(firstLine)) !== null
  } catch (error) {
    // The first line is a part of an object, or a very long one: what it holds shows further on.
    if (!(error instanceof SyntaxError)) throw error
    return /^\ufeff?\s*\{[\s\S]*"(?:segments|transcription)"\s*:\s*\[/.test(head)
  }
}
