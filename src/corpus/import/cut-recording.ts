import { encodeWav, pcmStream } from '#audio'
import { failed, type Outcome, succeeded } from '#prelude'
import { type Cut, cutAtSilences, type Loudness } from './silences.ts'
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
  const segments = recording.segments
  const needsSilences =
    recording.cutAt === 'silences' && segments.some(({ endSeconds }) => endSeconds !== null)
  let cuts: readonly Cut[] = segments.map((segment) => ({
    ...segment,
    endSeconds: segment.endSeconds ?? Infinity,
  }))
  if (needsSilences) {
    const measured = await measure(file, recording.channel)
    if (!measured.ok) return yield measured
    const { loudness, totalSeconds } = measured.value
    const isLate = ({ startSeconds }: SourceSegment): boolean => startSeconds >= totalSeconds
    for (const segment of segments.filter(isLate)) yield tooLate(segment, segment.startSeconds, totalSeconds)
    cuts = cutAtSilences(
      segments.filter((segment) => !isLate(segment)),
      loudness,
      totalSeconds,
    )
  }
  yield* cutExactly(cuts, file, recording.channel)
}

/** A segment may end so much later than the recording: times are rounded. */
const allowedOverrunSeconds = 0.5

async function* cutExactly(
  cuts: readonly Cut[],
  file: Uint8Array,
  channel: number | null,
): AsyncGenerator<Outcome<CutUtterance, CutFailure>, void> {
  const open = new Set(cuts.map((cut, index) => ({ cut, index, parts: [] as Int16Array[] })))
  let [position, rateHz] = [0, 0]
  for await (const part of pcmStream(file, channel)) {
    if (!part.ok) return yield part
    const { samples, sampleRateHz } = part.value
    rateHz = sampleRateHz
    const finished: Piece[] = []
    for (const piece of open) {
      const [from, to] = [piece.cut.startSeconds, piece.cut.endSeconds].map((seconds) =>
        Math.round(seconds * rateHz),
      )
      if ((from as number) < position + samples.length && (to as number) > position) {
        piece.parts.push(samples.slice(Math.max(0, (from as number) - position), (to as number) - position))
      }
      if ((to as number) <= position + samples.length) finished.push(piece)
    }
    position += samples.length
    for (const piece of finished) {
      open.delete(piece)
      yield utteranceOf(piece, rateHz)
    }
  }
  const totalSeconds = position / rateHz
  for (const piece of open) {
    const { startSeconds, endSeconds } = piece.cut
    const isWhole = endSeconds === Infinity
    if (!isWhole && endSeconds > totalSeconds + allowedOverrunSeconds) {
      yield tooLate(piece.cut, endSeconds, totalSeconds)
    } else if (startSeconds >= totalSeconds) yield tooLate(piece.cut, startSeconds, totalSeconds)
    else yield utteranceOf(piece, rateHz)
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

function utteranceOf({ cut, index, parts }: Piece, rateHz: number): Outcome<CutUtterance, CutFailure> {
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

async function measure(
  file: Uint8Array,
  channel: number | null,
): Promise<Outcome<{ readonly loudness: Loudness; readonly totalSeconds: number }, CutFailure>> {
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
  return succeeded({ loudness: { frameSeconds, powers }, totalSeconds: position / rateHz })
}
