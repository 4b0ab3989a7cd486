import type { SourceSegment } from './source.ts'

/** How loud a recording is over time: the mean square of each frame, samples in -1..1. */
export interface Loudness {
  readonly frameSeconds: number
  readonly powers: readonly number[]
}

/** A segment that is one utterance or a part of one. */
export interface Cut extends SourceSegment {
  readonly endSeconds: number
}

/** An edge moves by no more, and no longer pause joins two cues: what lies further away is in no cue, though it is sound. */
const maxMoveSeconds = 1
const utteranceSeconds: { readonly min: number; readonly max: number } = { min: 1, max: 30 }

/** A frame is silent below this share of full scale, whatever the recording: -60 dB. */
const quietPower = 1e-6
/** And below ten times (10 dB above) the level that a tenth of its frames stays under, where that is noise and not speech. */
const noiseFactor = 10
const noiseQuantile = 0.1
/** Noise as loud as this below the loud frames (20 dB) is not silence. */
const speechFactor = 0.01

/**
 * Turns the cues of subtitles into utterances of up to 30 s. An edge that lies in sound is moved outwards to the nearest
 * silent frame before the next cue, by at most a second. Cues with no silence between them, and cues under 1 s, become one
 * utterance with a cue that follows within a second. Where that would exceed 30 s, or no frame is silent, the cut is made at
 * the quietest one. No word of the cues and no sound between two joined cues is lost.
 *
 * @param cues in any order; the first to begin is the first to come
 */
export function cutAtSilences(
  cues: readonly SourceSegment[],
  loudness: Loudness,
  totalSeconds: number,
): readonly Cut[] {
  const isSilent = silenceOf(loudness)
  const sorted = cues
    .map((cue): Cut => ({ ...cue, endSeconds: Math.min(cue.endSeconds ?? totalSeconds, totalSeconds) }))
    .sort((left, right) => left.startSeconds - right.startSeconds)
  const cuts: Cut[] = []
  let waiting: Cut | null = null
  let previousEnd = 0
  for (const [index, cue] of sorted.entries()) {
    const next = sorted[index + 1]
    const limit = Math.min(next?.startSeconds ?? totalSeconds, cue.endSeconds + maxMoveSeconds)
    const startSeconds =
      waiting?.startSeconds ?? silentBefore(cue.startSeconds, previousEnd, loudness, isSilent)
    const text = [waiting?.text, cue.text].filter(Boolean).join(' ')
    const joined: Cut = {
      ...cue,
      startSeconds,
      text,
      times: [...(waiting?.times ?? []), ...(cue.times ?? [])],
    }
    const end = silentAfter(cue.endSeconds, Math.max(limit, cue.endSeconds), loudness, isSilent)
    const lengthWithNext = (next?.endSeconds ?? joined.endSeconds) - startSeconds
    const isShort = (end ?? cue.endSeconds) - startSeconds < utteranceSeconds.min
    const isNear = next !== undefined && next.startSeconds <= cue.endSeconds + maxMoveSeconds
    const mayJoin = isNear && lengthWithNext <= utteranceSeconds.max
    if (mayJoin && (end === null || isShort)) {
      waiting = joined
      continue
    }
    const endSeconds = end ?? quietest(cue.endSeconds, limit, loudness)
    cuts.push({ ...joined, endSeconds })
    previousEnd = endSeconds
    waiting = null
  }
  return cuts
}

function silenceOf({ powers }: Loudness): (frame: number) => boolean {
  const sorted = [...powers].sort((left, right) => left - right)
  const at = (quantile: number): number => sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0
  const threshold = Math.max(quietPower, Math.min(noiseFactor * at(noiseQuantile), speechFactor * at(0.95)))
  return (frame) => (powers[frame] ?? 0) <= threshold
}

type IsSilent = (frame: number) => boolean

/** The time itself where it borders on silence, else the start of sound before it, not before the end of the previous cue. */
function silentBefore(seconds: number, previousEnd: number, loudness: Loudness, isSilent: IsSilent): number {
  const { frameSeconds } = loudness
  const limit = Math.max(previousEnd, seconds - maxMoveSeconds)
  const frame = Math.round(seconds / frameSeconds)
  if (isSilent(frame) || isSilent(frame - 1)) return seconds
  for (let earlier = frame - 1; earlier * frameSeconds >= limit; earlier -= 1) {
    if (isSilent(earlier)) return (earlier + 1) * frameSeconds
  }
  return limit === previousEnd ? Math.min(seconds, limit) : quietest(limit, seconds, loudness)
}

/** The time itself where it borders on silence, else the end of sound behind it; null where none is before `limit`. */
function silentAfter(
  seconds: number,
  limit: number,
  { frameSeconds, powers }: Loudness,
  isSilent: IsSilent,
): number | null {
  const frame = Math.round(seconds / frameSeconds)
  if (frame >= powers.length || isSilent(frame) || isSilent(frame - 1)) return seconds
  for (let later = frame + 1; later * frameSeconds <= limit; later += 1) {
    if (later >= powers.length || isSilent(later)) return later * frameSeconds
  }
  return null
}

/** The middle of the quietest frame from one time to another, or around the first where they are one. */
function quietest(from: number, to: number, { frameSeconds, powers }: Loudness): number {
  const [first, last] = [
    Math.floor(from / frameSeconds),
    Math.max(Math.ceil(to / frameSeconds), Math.floor(from / frameSeconds)),
  ]
  let best = first
  for (let frame = first; frame <= last; frame += 1) {
    if ((powers[frame] ?? Infinity) < (powers[best] ?? Infinity)) best = frame
  }
  return Math.min(Math.max((best + 0.5) * frameSeconds, from), Math.max(from, to))
}
