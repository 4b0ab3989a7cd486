import type { TimedText } from '#scoring'

/** The two formats of subtitles: SubRip and WebVTT. */
export type SubtitleFormat = 'srt' | 'vtt'

/** Words that are shown for a time. */
export interface Cue extends TimedText {
  /** Its words, where the file times them. */
  readonly times?: readonly TimedText[]
}

/**
 * The words of subtitles, cue after cue, without numbers, times, comments, styles and markup.
 *
 *   1
 *   00:00:01,000 --> 00:00:03,500
 *   <i>Hello</i> there
 *
 * @param text a whole file
 * @returns one transcript; empty where there is no cue
 * @see WebVTT, https://www.w3.org/TR/webvtt1/, sections 3.1 and 3.2; SubRip has no standard
 */
export function readSubtitles(text: string, format: SubtitleFormat): string {
  return readCues(text, format)
    .map((cue) => cue.text)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The cues of subtitles in the order of the file, with their times; see `readSubtitles`. */
export function readCues(text: string, format: SubtitleFormat): readonly Cue[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/(?:\r?\n){2,}|\r{2,}/)
    .flatMap((block) => cueOf(block, format))
}

const timing = /^\s*((?:\d+:)?\d+:\d+[.,]\d+)\s*-->\s*((?:\d+:)?\d+:\d+[.,]\d+)/

/** The words below the line of times; none for a block without one, as comments and styles are. */
function cueOf(block: string, format: SubtitleFormat): readonly Cue[] {
  const lines = block.split(/\r?\n|\r/)
  const at = lines.findIndex((line) => timing.test(line))
  const [, start, end] = timing.exec(lines[at] ?? '') ?? []
  if (start === undefined || end === undefined) return []
  const words = withoutTags(lines.slice(at + 1).join(' '))
  const shown = format === 'vtt' ? decodeEntities(words) : words.replace(/\{\\[^}]*\}/g, '')
  return [
    { startSeconds: secondsOf(start), endSeconds: secondsOf(end), text: shown.replace(/\s+/g, ' ').trim() },
  ]
}

/** `1:02:03.500` or `02:03,500`. */
function secondsOf(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
}

/** Tags of voices, styles and times (`<v Anna>`, `<i>`, `<00:01.000>`); any other angle bracket is text. */
function withoutTags(words: string): string {
  return words.replace(/<\/?(?:[a-z][^<>]*|[\d:.]+)>/gi, '')
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
}

function decodeEntities(words: string): string {
  return words.replace(/&(\w+);/g, (written, name: string) => entities[name] ?? written)
}
