import { type AudioStructure, damaged, textAt, unreadable, viewOf } from '../structure.ts'
import {
  type Box,
  bodyOf,
  box,
  boxAt,
  boxesIn,
  boxIn,
  hasLongTimes,
  type Parts,
  sizeOf,
  tableIn,
  words,
} from './mp4-boxes.ts'
import { fragmentedSamples, pcmSamples, type Sample, type Samples, tabledSamples } from './mp4-samples.ts'
import { type Mp4Sound, readSound } from './mp4-sound.ts'

const stepBytes = 1 << 18

/** Tolerances between the lengths of frames and track, and between calculated and decoded length. */
const loose = { seconds: 0.5, share: 0.05, heardSeconds: 0.25 } as const

const maxEdits = 1_000

/**
 * Reads MP4, M4A and QuickTime. The decoder gets only the sound track, as a separate file with the index first, so
 * that it can decode a few frames at a time.
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
  const { movie, track, tables } = found
  if (isFragmented(bytes)) {
    const header = boxIn(bytes, track, 'tkhd')
    if (header === null) damaged('its track of sound has no number')
    const idAt = header.start + (hasLongTimes(bytes, header) ? 20 : 12)
    return fragmentedSamples(bytes, movie, viewOf(bytes).getUint32(idAt))
  }
  return pcm === null ? tabledSamples(bytes, tables) : pcmSamples(bytes, tables, pcm.frameBytes)
}

/** Adds up the durations of all frames; null where the frames do not have them. */
function addUp(bytes: Uint8Array, samples: Samples, { seconds, pcm }: Mp4Sound): number | null {
  let [sum, sizeBytes] = [0, 0]
  for (const { offset, size } of samples) {
    sizeBytes += size
    if (seconds !== null) sum += seconds(bytes.subarray(offset, offset + size))
  }
  if (pcm !== null) return sizeBytes / pcm.frameBytes / pcm.sampleRateHz
  return seconds === null ? null : sum
}

/** Rejects times that differ from the frames: too short ones would cut sound, and another rate would sound wrong. */
function checkTimes(frameSeconds: number, timedSeconds: number): void {
  const looseSeconds = loose.seconds + loose.share * Math.max(frameSeconds, timedSeconds)
  if (Math.abs(frameSeconds - timedSeconds) <= looseSeconds) return
  damaged(`its track says ${timedSeconds.toFixed(1)} s, its frames hold ${frameSeconds.toFixed(1)} s`)
}

/**
 * Returns the length without the encoder's delay, which an edit list or a tag of iTunes declares. The decoder reads
 * both in the same way.
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

/** Returns the entries that present sound; the others are pauses. */
function mediaEdits(
  bytes: Uint8Array,
  list: Box | null,
): { readonly mediaTime: number; readonly duration: number }[] {
  if (list === null) return []
  const isLong = hasLongTimes(bytes, list)
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

/** Yields copies of several samples at a time. */
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

/** The audio track of a file, and its other tracks. */
interface Mp4Track {
  readonly movie: Box
  readonly track: Box
  readonly media: Box
  readonly tables: Box
  readonly ticksPerSecond: number
}

function findTrack(bytes: Uint8Array): Mp4Track {
  let movie: Box | null = null
  // All boxes are read, so that one that is cut short is found.
  for (const part of boxesIn(bytes, 0, bytes.length)) if (part.type === 'moov') movie ??= part
  if (movie === null) damaged('it has no index')
  for (const track of boxesIn(bytes, movie.start, movie.end)) {
    const media = track.type === 'trak' ? boxIn(bytes, track, 'mdia') : null
    const handler = media === null ? null : boxIn(bytes, media, 'hdlr')
    if (media === null || handler === null || textAt(bytes, handler.start + 8, 4) !== 'soun') continue
    const [header, tables] = [boxIn(bytes, media, 'mdhd'), boxAt(bytes, media, 'minf', 'stbl')]
    if (header === null || tables === null) damaged('its track of sound has no tables')
    const ticksPerSecond = timescale(bytes, header)
    if (ticksPerSecond === 0) damaged('its track of sound has no time scale')
    return { movie, track, media, tables, ticksPerSecond }
  }
  damaged('it has no track of sound')
}

/** Reads the time scale of `mvhd` or `mdhd`. */
function timescale(bytes: Uint8Array, header: Box): number {
  const offset = header.start + (hasLongTimes(bytes, header) ? 20 : 12)
  return offset + 4 > header.end ? 0 : viewOf(bytes).getUint32(offset)
}

/** Whether the samples are in fragments. Some writers do not announce these in the index, with a box "mvex". */
function isFragmented(bytes: Uint8Array): boolean {
  return boxIn(bytes, { start: 0, end: bytes.length }, 'moof') !== null
}

/** Max size of a copied tag. One with the encoder's delay is smaller, a cover picture is larger. */
const maxTagBytes = 1_024
const maxTags = 100
const maxHeaderBytes = 1 << 16
/** Writes a file whose only track is this one, up to its samples, which follow as a single chunk. */
function mp4Header(bytes: Uint8Array, found: Mp4Track, samples: Samples): Uint8Array {
  const sizes = Array.from(samples, ({ size }) => size)
  const movie = (dataStart: number): Parts =>
    box(
      'moov',
      copyBox(bytes, found.movie, 'mvhd'),
      box('udta', box('meta', words([0]), copyTags(bytes, found.movie))),
      box(
        'trak',
        copyBox(bytes, found.track, 'tkhd'),
        box('edts', copyBox(bytes, boxIn(bytes, found.track, 'edts'), 'elst')),
        box(
          'mdia',
          copyBox(bytes, found.media, 'mdhd'),
          copyBox(bytes, found.media, 'hdlr'),
          box(
            'minf',
            box(
              'stbl',
              copyBox(bytes, found.tables, 'stsd'),
              // Fragments declare no length, and so no end of the sound.
              isFragmented(bytes) ? [] : box('stts', writeTimes(samples.duration)),
              box('stsz', words([0, 0, sizes.length]), words(sizes)),
              box('stsc', words([0, 1, 1, sizes.length, 1])),
              box('stco', words([0, 1, dataStart])),
            ),
          ),
        ),
      ),
    )
  const type = box('ftyp', Buffer.from('M4A '), words([0]))
  const dataStart = sizeOf(type) + sizeOf(movie(0)) + 8
  const dataBytes = sizes.reduce((sum, size) => sum + size, 0)
  return Buffer.concat([...type, ...movie(dataStart), words([8 + dataBytes]), Buffer.from('mdat')])
}

/** Copies a short box of a header unchanged. */
function copyBox(bytes: Uint8Array, parent: Box | null, type: string): Parts {
  const part = parent === null ? null : boxIn(bytes, parent, type)
  if (part === null) return []
  if (part.end - part.start > maxHeaderBytes) damaged(`its box "${type}" is too long`)
  return box(type, bodyOf(bytes, part))
}

/** Writes the total duration as that of one sample, because the times of single samples are not used. */
function writeTimes(duration: number): Uint8Array {
  const maxDuration = 0xffff_ffff
  const whole = Array.from({ length: Math.floor(duration / maxDuration) }, () => [1, maxDuration]).flat()
  return words([0, whole.length / 2 + 1, ...whole, 1, duration % maxDuration])
}

/** Copies the short tags of iTunes, among them the one with the encoder's delay. */
function copyTags(bytes: Uint8Array, movie: Box): Parts {
  const meta = boxAt(bytes, movie, 'udta', 'meta')
  const list = meta === null ? null : boxIn(bytes, { start: meta.start + 4, end: meta.end }, 'ilst')
  if (list === null) return []
  const tags = [...boxesIn(bytes, list.start, list.end)].filter(
    ({ type, from, end }) => type === '----' && end - from <= maxTagBytes,
  )
  return box('ilst', ...tags.slice(0, maxTags).flatMap((tag) => box(tag.type, bodyOf(bytes, tag))))
}
