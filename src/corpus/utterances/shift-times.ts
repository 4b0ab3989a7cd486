import type { TimedText } from '#scoring'

/** A word or segment of a recording that begins so much later; to a microsecond, and never before the beginning. */
export function shiftedBy({ text, startSeconds, endSeconds }: TimedText, seconds: number): TimedText {
  const shifted = (time: number): number => Math.max(0, Math.round((time + seconds) * 1e6) / 1e6)
  return { text, startSeconds: shifted(startSeconds), endSeconds: shifted(endSeconds) }
}
