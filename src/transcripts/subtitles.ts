import type { TimedText } from '#scoring/counting'

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
 * @returns one transcript; null for a text that is none of the kind: not blank, without a cue, and without WebVTT's header
 * @see WebVTT, https://www.w3.org/TR/webvtt1/, sections 3.1 and 3.2; SubRip has no standard
 */
export function readSubtitles(text: string, format: SubtitleFormat): string | null {
  const cues = readCues(text, format)
  if (cues.length === 0 && !/^\ufeff?(?:WEBVTT\b|\s*$)/.test(text)) return null
  return cues
    .map((cue) => cue.text)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The cues of subtitles in the order of the file, with their times; see `readSubtitles`. */
export function readCues(text: string, format: SubtitleFormat): readonly Cue[] {
  const body = text.replace(/^\ufeff/, '')
  // An empty line ends a cue of WebVTT; one of SubRip goes on to the next line of times, as players read it.
  const blocks = format === 'vtt' ? body.split(/(?:\r?\n){2,}|\r{2,}/) : [body]
  return blocks.flatMap((block) => cuesOf(block.split(/\r?\n|\r/), format))
}

const timing = /^\s*((?:\d+:)?\d+:\d+(?:[.,]\d+)?)\s*-->\s*((?:\d+:)?\d+:\d+(?:[.,]\d+)?)/

/** What each line of times begins; nothing of lines without one above them, as comments and styles are. */
function cuesOf(lines: readonly string[], format: SubtitleFormat): readonly Cue[] {
  const starts = lines.flatMap((line, at) => (timing.test(line) ? [at] : []))
  return starts.map((start, index) => {
    const next = starts[index + 1]
    const isNumbered = format === 'srt' && next !== undefined && /^\s*\d+\s*$/.test(lines[next - 1] ?? '')
    return cueOf(lines.slice(start, isNumbered ? next - 1 : next), format)
  })
}

function cueOf([times = '', ...shownLines]: readonly string[], format: SubtitleFormat): Cue {
  const [, start = '', end = ''] = timing.exec(times) ?? []
  const words = withoutTags(shownLines.join(' '))
  const shown = format === 'vtt' ? decodeEntities(words) : words.replace(/\{\\[^}]*\}/g, '')
  return {
    startSeconds: secondsOf(start),
    endSeconds: secondsOf(end),
    text: shown.replace(/\s+/g, ' ').trim(),
  }
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
      return code === null ? (entities.get(name) ?? written) : characterOf(Number(code))
    },
  )
}

function characterOf(code: number): string {
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code).replace(/\p{Surrogate}/u, '\ufffd')
}
