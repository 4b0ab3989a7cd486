/** The two formats of subtitles: SubRip and WebVTT. */
export type SubtitleFormat = 'srt' | 'vtt'

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
  const cues = text
    .replace(/^\ufeff/, '')
    .split(/(?:\r?\n){2,}|\r{2,}/)
    .flatMap((block) => cueOf(block, format))
  return cues.join(' ').replace(/\s+/g, ' ').trim()
}

const timing = /^\s*(?:\d+:)?\d+:\d+[.,]\d+\s*-->\s*(?:\d+:)?\d+:\d+[.,]\d+/

/** The words below the line of times; none for a block without one, as comments and styles are. */
function cueOf(block: string, format: SubtitleFormat): readonly string[] {
  const lines = block.split(/\r?\n|\r/)
  const at = lines.findIndex((line) => timing.test(line))
  if (at < 0) return []
  const words = lines.slice(at + 1).join(' ')
  return [
    format === 'vtt' ? decodeEntities(withoutTags(words)) : withoutTags(words).replace(/\{\\[^}]*\}/g, ''),
  ]
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
