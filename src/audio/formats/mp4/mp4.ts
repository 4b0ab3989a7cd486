import { damaged, unreadable } from '../../damage.ts'
import { viewOf } from '../../read-bytes.ts'
import type { AudioStructure } from '../../structure.ts'
import { type Box, boxAt, boxIn, tableIn } from './mp4-boxes.ts'
import { fragmentedSamples } from './mp4-fragments.ts'
import { mp4Header } from './mp4-header.ts'
import { pcmSamples, type Sample, type Samples, tabledSamples } from './mp4-samples.ts'
import { type Mp4Sound, readSound } from './mp4-sound.ts'
import { findTrack, isFragmented, type Mp4Track, timescale } from './mp4-track.ts'

const stepBytes = 1 << 18

/** Tolerances between the length of the frames and that of the track, and between that and the played length. */
const loose = { seconds: 0.5, share: 0.05, heardSeconds: 0.25 } as const

const maxEdits = 1_000

/**
 * MP4, M4A and QuickTime. The decoder gets the track of sound alone, as a separate file with the index at the
 * beginning, so that it can be given a few frames at a time.
 *
 * @see ISO/IEC 14496-12
 */
export function readMp4(bytes: Uint8Array): AudioStructure {
  const found = findTrack(bytes)
  const sound = readSound(bytes, boxIn(bytes, found.tables, 'stsd'))
  const samples = findSamples(bytes, found, sound)
  const frameSeconds = addUp(bytes, samples, sound) ?? samples.duration / found.ticksPerSecond
  checkTimes(frameSeconds, samples.duration / found.ticksPerSecond)
  const seconds = sound.isTrimmed ? heardSeconds(bytes, found, frameSeconds) : frameSeconds
  return {
    codec: sound.codec,
    seconds: { min: Math.max(0, seconds - loose.heardSeconds), max: seconds + loose.heardSeconds },
    *steps() {
      yield mp4Header(bytes, found, samples)
      yield* batches(bytes, samples, sound.atOnce)
    },
  }
}

function findSamples(bytes: Uint8Array, found: Mp4Track, { pcm }: Mp4Sound): Samples {
  const { movie, track } = found
  if (isFragmented(bytes, found)) {
    const header = boxIn(bytes, track, 'tkhd')
    if (header === null) damaged('its track of sound has no number')
    const idAt = header.start + ((bytes[header.start] ?? 0) === 1 ? 20 : 12)
    return fragmentedSamples(bytes, movie, viewOf(bytes).getUint32(idAt))
  }
  return pcm === null ? tabledSamples(bytes, track) : pcmSamples(bytes, track, pcm.frameBytes)
}

/** How long all frames sound together; null where they do not say it. */
function addUp(bytes: Uint8Array, samples: Samples, { seconds, pcm }: Mp4Sound): number | null {
  let [sum, sizeBytes] = [0, 0]
  for (const { offset, size } of samples) {
    sizeBytes += size
    if (seconds !== null) sum += seconds(bytes.subarray(offset, offset + size))
  }
  if (pcm !== null) return sizeBytes / pcm.frameBytes / pcm.sampleRateHz
  return seconds === null ? null : sum
}

/** Times that are too short would cut sound away; frames at another rate than the track's would sound wrong. */
function checkTimes(frameSeconds: number, timedSeconds: number): void {
  const looseSeconds = loose.seconds + loose.share * Math.max(frameSeconds, timedSeconds)
  if (Math.abs(frameSeconds - timedSeconds) <= looseSeconds) return
  damaged(`its track says ${timedSeconds.toFixed(1)} s, its frames hold ${frameSeconds.toFixed(1)} s`)
}

/**
 * What is left when the encoder's delay is cut away: by an edit list, or by a tag of iTunes. The decoder reads both in
 * the same way.
 */
function heardSeconds(bytes: Uint8Array, found: Mp4Track, frameSeconds: number): number {
  const edits = mediaEdits(bytes, boxAt(bytes, found.track, 'edts', 'elst'))
  if (edits.length !== 1) return frameSeconds
  const [edit] = edits
  const movieHeader = boxIn(bytes, found.movie, 'mvhd')
  const movieTicks = movieHeader === null ? 0 : timescale(bytes, movieHeader)
  const rest = frameSeconds - (edit?.mediaTime ?? 0) / found.ticksPerSecond
  const edited = movieTicks === 0 ? 0 : (edit?.duration ?? 0) / movieTicks
  return Math.max(0, edited === 0 ? rest : Math.min(rest, edited))
}

/** Entries that present sound; the others are pauses. */
function mediaEdits(
  bytes: Uint8Array,
  list: Box | null,
): { readonly mediaTime: number; readonly duration: number }[] {
  if (list === null) return []
  const isLong = (bytes[list.start] ?? 0) === 1
  const table = tableIn(bytes, list, 'elst', isLong ? 20 : 12)
  if (table.count > maxEdits) unreadable('it is cut into too many parts')
  const edits = Array.from({ length: table.count }, (_, index) => {
    const high = table.at(index, isLong ? 8 : 4) | 0
    return {
      duration: isLong ? table.at(index, 0) * 2 ** 32 + table.at(index, 4) : table.at(index, 0),
      mediaTime: isLong ? high * 2 ** 32 + table.at(index, 12) : high,
    }
  })
  return edits.filter(({ mediaTime }) => mediaTime >= 0)
}

/** Some samples at a time, copied where they are not contiguous. */
function* batches(bytes: Uint8Array, samples: Samples, atOnce: number): Generator<Uint8Array> {
  let batch: Sample[] = []
  let sizeBytes = 0
  for (const sample of samples) {
    if (batch.length === atOnce || (batch.length > 0 && sizeBytes + sample.size > stepBytes)) {
      yield joined(bytes, batch)
      batch = []
      sizeBytes = 0
    }
    batch.push(sample)
    sizeBytes += sample.size
  }
  if (batch.length > 0) yield joined(bytes, batch)
}

function joined(bytes: Uint8Array, batch: readonly Sample[]): Uint8Array {
  return Buffer.concat(batch.map(({ offset, size }) => bytes.subarray(offset, offset + size)))
}
