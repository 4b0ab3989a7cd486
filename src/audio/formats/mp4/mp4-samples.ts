import { damaged, unreadable } from '../../damage.ts'
import { viewOf } from '../../read-bytes.ts'
import { type Box, boxAt, boxIn, tableIn } from './mp4-boxes.ts'

/** One frame of a codec, by its place in the file. */
export interface Sample {
  readonly offset: number
  readonly size: number
}

/** The samples of a track in their order, each of them within the file. */
export interface Samples extends Iterable<Sample> {
  readonly count: number
  /** In ticks of the track. */
  readonly duration: number
}

/** Nine hours of the shortest frames that are usual. */
export const maxSamples: number = 2 ** 22

/**
 * The samples of a track with tables.
 *
 * @see ISO/IEC 14496-12 sections 8.6.1 (stts), 8.7.3 (stsz), 8.7.4 (stsc), 8.7.5 (stco)
 */
export function tabledSamples(bytes: Uint8Array, track: Box): Samples {
  const tables = boxAt(bytes, track, 'mdia', 'minf', 'stbl')
  if (tables === null) damaged('it has no tables of samples')
  const sizes = readSizes(bytes, boxIn(bytes, tables, 'stsz'))
  if (sizes.count > maxSamples) unreadable('it has too many samples')
  const { count, duration } = readTimes(bytes, boxIn(bytes, tables, 'stts'))
  if (count !== sizes.count) damaged(`it has times for ${count} samples, and sizes for ${sizes.count}`)
  const chunks = readChunks(bytes, tables)
  return {
    count,
    duration,
    *[Symbol.iterator]() {
      let index = 0
      for (const { offset, sampleCount } of chunks()) {
        let at = offset
        const end = Math.min(count, index + sampleCount)
        for (; index < end; index += 1) {
          const size = sizes.at(index)
          yield within(bytes, { offset: at, size })
          at += size
        }
      }
      if (index < count) damaged(`it has places for ${index} samples, and sizes for ${count}`)
    },
  }
}

/** The same for PCM, of which each sample is one of millions: here they are stretches of the file. */
export function pcmSamples(bytes: Uint8Array, track: Box, frameBytes: number): Samples {
  const tables = boxAt(bytes, track, 'mdia', 'minf', 'stbl')
  if (tables === null) damaged('it has no tables of samples')
  const { count, duration } = readTimes(bytes, boxIn(bytes, tables, 'stts'))
  const chunks = [...readChunks(bytes, tables)()]
  const placed = chunks.reduce((sum, { sampleCount }) => sum + sampleCount, 0)
  if (placed !== count) damaged(`it has times for ${count} samples, and places for ${placed}`)
  // Chunks that overlap would make any amount of audio from a few bytes.
  if (placed * frameBytes > bytes.length) damaged('its samples take more bytes than it has')
  const stretches = chunks.flatMap(({ offset, sampleCount }) =>
    stretchesOf(within(bytes, { offset, size: sampleCount * frameBytes }), frameBytes),
  )
  return { count: stretches.length, duration, [Symbol.iterator]: () => stretches[Symbol.iterator]() }
}

const stretchBytes = 1 << 16

function stretchesOf({ offset, size }: Sample, frameBytes: number): Sample[] {
  const most = Math.max(1, Math.floor(stretchBytes / frameBytes)) * frameBytes
  return Array.from({ length: Math.ceil(size / most) }, (_, index) => ({
    offset: offset + index * most,
    size: Math.min(most, size - index * most),
  }))
}

/** A sample that has a place in the file, or none at all. */
export function within(bytes: Uint8Array, sample: Sample): Sample {
  if (sample.size === 0) damaged('one of its samples is empty')
  if (sample.offset + sample.size > bytes.length) damaged('one of its samples lies behind its end')
  return sample
}

function readSizes(bytes: Uint8Array, table: Box | null): { count: number; at(index: number): number } {
  if (table === null || table.end - table.start < 12) damaged('its table "stsz" is damaged')
  const view = viewOf(bytes)
  const [size, count] = [view.getUint32(table.start + 4), view.getUint32(table.start + 8)]
  const isTooLong = size === 0 ? count * 4 > table.end - table.start - 12 : count * size > bytes.length
  if (isTooLong) damaged('its table "stsz" is damaged')
  return { count, at: (index) => (size === 0 ? view.getUint32(table.start + 12 + index * 4) : size) }
}

function readTimes(bytes: Uint8Array, table: Box | null): { count: number; duration: number } {
  const times = tableIn(bytes, table, 'stts', 8)
  let [count, duration] = [0, 0]
  for (let index = 0; index < times.count; index += 1) {
    count += times.at(index, 0)
    duration += times.at(index, 0) * times.at(index, 4)
  }
  return { count, duration }
}

interface Chunk {
  readonly offset: number
  readonly sampleCount: number
}

function readChunks(bytes: Uint8Array, tables: Box): () => Generator<Chunk> {
  const long = boxIn(bytes, tables, 'co64')
  const places =
    long === null ? tableIn(bytes, boxIn(bytes, tables, 'stco'), 'stco', 4) : tableIn(bytes, long, 'co64', 8)
  const offsetAt = (index: number): number =>
    long === null ? places.at(index, 0) : places.at(index, 0) * 2 ** 32 + places.at(index, 4)
  const runs = tableIn(bytes, boxIn(bytes, tables, 'stsc'), 'stsc', 12)
  return function* chunks() {
    let run = -1
    for (let index = 0; index < places.count; index += 1) {
      // Each entry holds from its first chunk, counted from 1, until that of the next one.
      while (run + 1 < runs.count && runs.at(run + 1, 0) <= index + 1) run += 1
      if (run < 0) damaged('its table "stsc" is damaged')
      yield { offset: offsetAt(index), sampleCount: runs.at(run, 4) }
    }
  }
}
