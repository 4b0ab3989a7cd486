import { type ChannelChoice, encodeWav, pcmStream } from '#audio/sound-stream'
import { failed, type Outcome, succeeded } from '#prelude'
import { asksToBeIgnored } from '#scoring/formats/timed'
import type { SourceRecording, SourceSegment } from './source.ts'

/** An utterance of a recording, ready to be written. */
export interface CutUtterance {
  readonly cut: Cut
  /** Index among the segments of the recording. */
  readonly index: number
  readonly wav: Uint8Array
  readonly durationSeconds: number
}

/** Why a recording or segment has no audio, worded to follow a position and a colon. */
interface CutFailure {
  readonly reason: string
  /** File and line of the segment, if it has its own. */
  readonly where?: string
}

const frameSeconds = 0.01

/**
 * Cuts a recording into utterances with sample precision: mono, 16 bits, at the recording's own rate. Memory
 * holds the encoded file, and the segments that are open at the same time. Segments that are marked as not scored are
 * left out: the stm files of NIST have such marks, and so have data sets that were made of them.
 *
 * @returns utterances in the order of their ends, and failures of others; a decoding failure comes last
 */
export async function* cutRecording(
  recording: SourceRecording,
  file: Uint8Array,
): AsyncGenerator<Outcome<CutUtterance, CutFailure>, void> {
  const { channel = null } = recording
  const segments = recording.segments.filter(({ text }) => !asksToBeIgnored(text))
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

/** Tolerance in seconds by which a segment may exceed the recording, because times are rounded. */
const allowedOverrunSeconds = 0.5

async function* cutExactly(
  cuts: readonly Cut[],
  file: Uint8Array,
  channel: ChannelChoice,
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

/** @returns the loudness over time: the mean square of each frame, with samples in -1..1 */
async function measure(
  file: Uint8Array,
  channel: ChannelChoice,
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

/** A segment that becomes an utterance, or a part of one. */
interface Cut extends SourceSegment {
  readonly endSeconds: number
}

/** Maximum move of an edge, and maximum pause between joined cues, in seconds. Sound farther away belongs to no cue. */
const maxMoveSeconds = 1
const utteranceSeconds = { min: 1, max: 30 } as const

/** Power below which a frame always counts as silent: -60 dB of full scale. */
const quietPower = 1e-6
/** A frame is also silent below ten times (10 dB above) the noise level, which is the 10 % quantile of all frames. */
const noiseFactor = 10
const noiseQuantile = 0.1
/** Limit of that threshold relative to loud frames (-20 dB), so that speech does not count as noise. */
const speechFactor = 0.01

/**
 * Converts subtitle cues to utterances of up to 30 s. An edge within sound moves outwards to the nearest
 * silence before the next cue, by at most 1 s. Cues without silence in between, and cues under 1 s, are
 * joined with a cue that follows within 1 s. Where that would exceed 30 s, or there is no silence, the cut is
 * at the quietest frame. No words, and no sound between joined cues, are lost.
 *
 * @param cues cues in any order; the result is sorted by start
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

/** @param powers powers of the recording's frames */
function findSilences(powers: readonly number[]): {
  /** The time if next to silence, else the start of the sound before it, at the earliest `previousEnd`. */
  silentBefore(seconds: number, previousEnd: number): number
  /** The time itself if next to silence, else the end of the sound after it; null if that is after `limit`. */
  silentAfter(seconds: number, limit: number): number | null
  /** The middle of the quietest frame between two times, or around the first one if they are equal. */
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
