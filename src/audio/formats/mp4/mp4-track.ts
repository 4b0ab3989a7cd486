import { damaged } from '../../damage.ts'
import { textAt, viewOf } from '../../read-bytes.ts'
import { type Box, boxAt, boxesIn, boxIn } from './mp4-boxes.ts'

/** The audio track of a file, and its other tracks. */
export interface Mp4Track {
  readonly movie: Box
  readonly track: Box
  readonly media: Box
  readonly tables: Box
  readonly ticksPerSecond: number
}

export function findTrack(bytes: Uint8Array): Mp4Track {
  let movie: Box | null = null
  // All of them, so that one that is cut short is found.
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

/** Of `mvhd` and `mdhd`, whose times are longer in version 1. */
export function timescale(bytes: Uint8Array, { start, end }: Box): number {
  const offset = start + ((bytes[start] ?? 0) === 1 ? 20 : 12)
  return offset + 4 > end ? 0 : viewOf(bytes).getUint32(offset)
}

/** Whether the samples come in fragments behind the index. */
export function isFragmented(bytes: Uint8Array, { movie }: Mp4Track): boolean {
  return boxIn(bytes, movie, 'mvex') !== null
}
