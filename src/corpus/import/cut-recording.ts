import { encodeWav, pcmStream } from '#audio/sound-stream'
import { failed, type Outcome, succeeded } from '#prelude'
import type { SourceRecording, SourceSegment } from './source.ts'

/** An utterance of a recording, ready to be written. */
export interface CutUtterance {
  readonly cut: Cut
  /** Its place among the utterances of the recording, from 0. */
  readonly index: number
  readonly wav: Uint8Array
  readonly durationSeconds: number
}

/** Why a recording, or a segment of it, has no audio; fits behind the place and a colon. */
interface CutFailure {
  readonly reason: string
  /** File and line of the segment, where it has its own. */
  readonly where?: string
}

const frameSeconds = 0.01

/**
 * Cuts a recording into its utterances: mono, 16 bit, at the recording's own rate, to the sample. Memory holds the
 * encoded file and the segments that are open at one time.
 *
 * @returns utterances in the order of their ends, and why others cannot be cut; where the recording cannot be decoded,
 *   the reason comes last
 */
export async function* cutRecording(
  recording: SourceRecording,
  file: Uint8Array,
): AsyncGenerator<Outcome<CutUtterance, CutFailure>, void> {
  const { segments, channel = null } = recording
  if (recording.cutAt !== 'silences' || segments.every(({ endSeconds }) => endSeconds === null)) {
    const cuts = segments.map((segment) => ({ ...segment, endSeconds: segment.endSeconds ?? Infinity }))
    return yield* cutExactly(cuts, file, channel)
  }
  const measured = await measure(file, channel)
  if (!measured.ok) return yield measured
  const { powers, totalSeconds } = measured.value
  const isLate = ({ startSeconds }: SourceSegment): boolean => startSeconds >= totalSeconds
  for (const segment of segments.filter(isLate)) yield tooLate(segment, segment.startSeconds, totalSeconds)
  const cues = segments.filter((segment) => !isLate(segment))
  yield* cutExactly(cutAtSilences(cues, powers, totalSeconds), file, channel)
}

/** A segment may end so much later than the recording: times are rounded. */
const allowedOverrunSeconds = 0.5

async function* cutExactly(
  cuts: readonly Cut[],
  file: Uint8Array,
  channel: number | null,
): AsyncGenerator<Outcome<CutUtterance, CutFailure>, void> {
  const open = new Set<Piece>(cuts.map((cut, index) => ({ cut, index, parts: [] })))
  let [position, rateHz] = [0, 0]
  for await (const part of pcmStream(file, channel)) {
    if (!part.ok) return yield part
    const { samples, sampleRateHz } = part.value
    rateHz = sampleRateHz
    const finished: Piece[] = []
    for (const piece of open) {
      const from = Math.round(piece.cut.startSeconds * rateHz) - position
      const to = Math.round(piece.cut.endSeconds * rateHz) - position
      if (from < samples.length && to > 0) piece.parts.push(samples.slice(Math.max(0, from), to))
      if (to <= samples.length) finished.push(piece)
    }
    position += samples.length
    for (const piece of finished) {
      open.delete(piece)
      yield joinPiece(piece, rateHz)
    }
  }
  const totalSeconds = position / rateHz
  for (const piece of open) {
    const { startSeconds, endSeconds } = piece.cut
    if (endSeconds !== Infinity && endSeconds > totalSeconds + allowedOverrunSeconds) {
      yield tooLate(piece.cut, endSeconds, totalSeconds)
    } else if (startSeconds >= totalSeconds) yield tooLate(piece.cut, startSeconds, totalSeconds)
    else yield joinPiece(piece, rateHz)
  }
}

function tooLate(
  segment: SourceSegment,
  seconds: number,
  totalSeconds: number,
): Outcome<CutUtterance, CutFailure> {
  return failedSegment(
    segment,
    `a segment reaches to ${seconds.toFixed(2)} s, and the recording lasts ${totalSeconds.toFixed(2)} s`,
  )
}

function failedSegment({ where }: SourceSegment, reason: string): Outcome<CutUtterance, CutFailure> {
  return failed({ reason, ...(where === undefined ? {} : { where }) })
}

interface Piece {
  readonly cut: Cut
  readonly index: number
  readonly parts: Int16Array[]
}

function joinPiece({ cut, index, parts }: Piece, rateHz: number): Outcome<CutUtterance, CutFailure> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length === 0)
    return failedSegment(cut, `the segment at ${cut.startSeconds.toFixed(2)} s holds no samples`)
  const samples = new Int16Array(length)
  let offset = 0
  for (const part of parts) {
    samples.set(part, offset)
    offset += part.length
  }
  return succeeded({ cut, index, wav: encodeWav(samples, rateHz), durationSeconds: length / rateHz })
}

/** @returns how loud the recording is over time: the mean square of each frame, samples in -1..1 */
async function measure(
  file: Uint8Array,
  channel: number | null,
): Promise<Outcome<{ readonly powers: readonly number[]; readonly totalSeconds: number }, CutFailure>> {
  const powers: number[] = []
  let [position, rateHz, sum, count] = [0, 0, 0, 0]
  for await (const part of pcmStream(file, channel)) {
    if (!part.ok) return part
    rateHz = part.value.sampleRateHz
    for (const sample of part.value.samples) {
      sum += (sample / 32768) ** 2
      count += 1
      position += 1
      if (position < Math.round((powers.length + 1) * frameSeconds * rateHz)) continue
      powers.push(sum / count)
      sum = 0
      count = 0
    }
  }
  return succeeded({ powers, totalSeconds: position / rateHz })
}

/** A segment that is one utterance or a part of one. */
interface Cut extends SourceSegment {
  readonly endSeconds: number
}

/** An edge moves by no more, and no longer pause joins two cues: what lies further away is in no cue, though it is sound. */
const maxMoveSeconds = 1
const utteranceSeconds = { min: 1, max: 30 } as const

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
function cutAtSilences(
  cues: readonly SourceSegment[],
  powers: readonly number[],
  totalSeconds: number,
): readonly Cut[] {
  const { silentBefore, silentAfter, quietest } = findSilences(powers)
  const sorted = cues
    .map((cue): Cut => ({ ...cue, endSeconds: Math.min(cue.endSeconds ?? totalSeconds, totalSeconds) }))
    .sort((left, right) => left.startSeconds - right.startSeconds)
  const cuts: Cut[] = []
  let waiting: Cut | null = null
  let previousEnd = 0
  for (const [index, cue] of sorted.entries()) {
    const next = sorted[index + 1]
    const limit = Math.min(next?.startSeconds ?? totalSeconds, cue.endSeconds + maxMoveSeconds)
    const startSeconds = waiting?.startSeconds ?? silentBefore(cue.startSeconds, previousEnd)
    const text = [waiting?.text, cue.text].filter(Boolean).join(' ')
    const times = [...(waiting?.times ?? []), ...(cue.times ?? [])]
    const joined: Cut = { ...cue, startSeconds, text, times }
    const end = silentAfter(cue.endSeconds, Math.max(limit, cue.endSeconds))
    const lengthWithNext = (next?.endSeconds ?? joined.endSeconds) - startSeconds
    const isShort = (end ?? cue.endSeconds) - startSeconds < utteranceSeconds.min
    const isNear = next !== undefined && next.startSeconds <= cue.endSeconds + maxMoveSeconds
    const mayJoin = isNear && lengthWithNext <= utteranceSeconds.max
    if (mayJoin && (end === null || isShort)) {
      waiting = joined
      continue
    }
    const endSeconds = end ?? quietest(cue.endSeconds, limit)
    cuts.push({ ...joined, endSeconds })
    previousEnd = endSeconds
    waiting = null
  }
  return cuts
}

/** @param powers of the frames of a recording */
function findSilences(powers: readonly number[]): {
  /** The time itself where it borders on silence, else the start of sound before it, not before the end of the previous cue. */
  silentBefore(seconds: number, previousEnd: number): number
  /** The time itself where it borders on silence, else the end of sound behind it; null where none is before `limit`. */
  silentAfter(seconds: number, limit: number): number | null
  /** The middle of the quietest frame from one time to another, or around the first where they are one. */
  quietest(from: number, to: number): number
} {
  const sorted = powers.toSorted((left, right) => left - right)
  const at = (quantile: number): number => sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0
  const threshold = Math.max(quietPower, Math.min(noiseFactor * at(noiseQuantile), speechFactor * at(0.95)))
  const isSilent = (frame: number): boolean => (powers[frame] ?? 0) <= threshold

  function quietest(from: number, to: number): number {
    const first = Math.floor(from / frameSeconds)
    const last = Math.max(Math.ceil(to / frameSeconds), first)
    let best = first
    for (let frame = first; frame <= last; frame += 1) {
      if ((powers[frame] ?? Infinity) < (powers[best] ?? Infinity)) best = frame
    }
    return Math.min(Math.max((best + 0.5) * frameSeconds, from), Math.max(from, to))
  }

  return {
    silentBefore(seconds, previousEnd) {
      const limit = Math.max(previousEnd, seconds - maxMoveSeconds)
      const frame = Math.round(seconds / frameSeconds)
      if (isSilent(frame) || isSilent(frame - 1)) return seconds
      for (let earlier = frame - 1; earlier * frameSeconds >= limit; earlier -= 1) {
        if (isSilent(earlier)) return (earlier + 1) * frameSeconds
      }
      return limit === previousEnd ? Math.min(seconds, limit) : quietest(limit, seconds)
    },
    silentAfter(seconds, limit) {
      const frame = Math.round(seconds / frameSeconds)
      if (frame >= powers.length || isSilent(frame) || isSilent(frame - 1)) return seconds
      for (let later = frame + 1; later * frameSeconds <= limit; later += 1) {
        if (later >= powers.length || isSilent(later)) return later * frameSeconds
      }
      return null
    },
    quietest,
  }
}
