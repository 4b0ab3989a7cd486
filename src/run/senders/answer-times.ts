import {
  type TimestampGranularity,
  type Transcription,
  type TranscriptionOptions,
  timestampGranularities,
} from '#contract'
import type { AnswerTimes, PlannedUtterance } from '#journal'

type Timed = Pick<PlannedUtterance, 'times'>

/**
 * Which times are requested for an utterance: none where its reference has no times to compare them with. Both kinds, because
 * some servers time segments alone.
 */
export function timestampsFor({ times = [] }: Timed): readonly TimestampGranularity[] {
  return times.length === 0 ? [] : timestampGranularities
}

/** What is requested of the API for an utterance, besides its audio. */
export function optionsFor(modeId: string, utterance: Timed): TranscriptionOptions {
  const timestamps = timestampsFor(utterance)
  return {
    mode_id: modeId,
    ...(timestamps.length === 0 ? {} : { timestamp_granularities: timestamps }),
  }
}

/** The times of an answer, those of words where it has them; empty where it has none. */
export function timesOf({ words = [], segments = [] }: Pick<Transcription, 'words' | 'segments'>): {
  readonly times?: AnswerTimes
} {
  if (words.length > 0)
    return { times: { unit: 'word', parts: words.map((word) => partOf(word.word, word)) } }
  if (segments.length === 0) return {}
  return { times: { unit: 'segment', parts: segments.map((segment) => partOf(segment.text, segment)) } }
}

function partOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): AnswerTimes['parts'][number] {
  return { text: text.trim(), startSeconds: start, endSeconds: end }
}
