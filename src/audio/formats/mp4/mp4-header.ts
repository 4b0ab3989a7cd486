import { damaged } from '../../damage.ts'
import {
  type Box,
  bodyOf,
  box,
  boxAt,
  boxesIn,
  boxIn,
  type Parts,
  sizeOf,
  words,
  wordsOf,
} from './mp4-boxes.ts'
import type { Samples } from './mp4-samples.ts'
import { isFragmented, type Mp4Track } from './mp4-track.ts'

/** Tags with the encoder's delay are short; pictures of a cover are not. */
const maxTagBytes = 1_024
const maxTags = 100
const maxHeaderBytes = 1 << 16
/** A file whose one track is this one, up to its samples; they lie one after the other, as a single chunk. */
export function mp4Header(bytes: Uint8Array, found: Mp4Track, samples: Samples): Uint8Array {
  const sizes = Array.from(samples, ({ size }) => size)
  const movie = (dataStart: number): Parts =>
    box(
      'moov',
      copyOf(bytes, found.movie, 'mvhd'),
      box('udta', box('meta', words(0), tagsOf(bytes, found.movie))),
      box(
        'trak',
        copyOf(bytes, found.track, 'tkhd'),
        box('edts', copyOf(bytes, boxIn(bytes, found.track, 'edts'), 'elst')),
        box(
          'mdia',
          copyOf(bytes, found.media, 'mdhd'),
          copyOf(bytes, found.media, 'hdlr'),
          box(
            'minf',
            box(
              'stbl',
              copyOf(bytes, found.tables, 'stsd'),
              // Fragments leave the length open, and with it the end of the sound.
              isFragmented(bytes, found) ? [] : box('stts', timesOf(samples.duration)),
              box('stsz', words(0, 0, sizes.length), wordsOf(sizes)),
              box('stsc', words(0, 1, 1, sizes.length, 1)),
              box('stco', words(0, 1, dataStart)),
            ),
          ),
        ),
      ),
    )
  const type = box('ftyp', Buffer.from('M4A '), words(0))
  const dataStart = sizeOf(type) + sizeOf(movie(0)) + 8
  const dataBytes = sizes.reduce((sum, size) => sum + size, 0)
  return Buffer.concat([...type, ...movie(dataStart), words(8 + dataBytes), Buffer.from('mdat')])
}

/** The short boxes of a header, as they are. */
function copyOf(bytes: Uint8Array, parent: Box | null, type: string): Parts {
  const part = parent === null ? null : boxIn(bytes, parent, type)
  if (part === null) return []
  if (part.end - part.start > maxHeaderBytes) damaged(`its box "${type}" is too long`)
  return box(type, bodyOf(bytes, part))
}

/** One sample of the whole duration: the times of each are not used. */
function timesOf(duration: number): Uint8Array {
  const most = 0xffff_ffff
  const whole = Array.from({ length: Math.floor(duration / most) }, () => [1, most]).flat()
  return words(0, whole.length / 2 + 1, ...whole, 1, duration % most)
}

/** The tags of iTunes that are short, among them the one with the encoder's delay. */
function tagsOf(bytes: Uint8Array, movie: Box): Parts {
  const meta = boxAt(bytes, movie, 'udta', 'meta')
  const list = meta === null ? null : boxIn(bytes, { start: meta.start + 4, end: meta.end }, 'ilst')
  if (list === null) return []
  const tags = [...boxesIn(bytes, list.start, list.end)].filter(
    ({ type, from, end }) => type === '----' && end - from <= maxTagBytes,
  )
  return box('ilst', ...tags.slice(0, maxTags).flatMap((tag) => box(tag.type, bodyOf(bytes, tag))))
}
