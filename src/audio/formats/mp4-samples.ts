import { damaged, unreadable, viewOf } from '../structure.ts'
import { type Box, boxesIn, boxIn, tableIn } from './mp4-boxes.ts'

/** One frame of a codec, by its position in the file. */
export interface Sample {
  readonly offset: number
  readonly size: number
}

/** The samples of a track in order, all within the file. */
export interface Samples extends Iterable<Sample> {
  /** Duration in ticks of the track. */
  readonly duration: number
}

/** Max number of samples: nine hours of the shortest usual frames. */
const maxSamples: number = 2 ** 22

/**
 * Returns the samples of a track with tables.
 *
 * @see ISO/IEC 14496-12 sections 8.6.1 (stts), 8.7.3 (stsz), 8.7.4 (stsc), 8.7.5 (stco)
 */
export function tabledSamples(bytes: Uint8Array, tables: Box): Samples {
  const sizes = readSizes(bytes, boxIn(bytes, tables, 'stsz'))
  if (sizes.count > maxSamples) unreadable('it has too many samples')
  const { count, duration } = readTimes(bytes, boxIn(bytes, tables, 'stts'))
  if (count !== sizes.count) damaged(`it has times for ${count} samples, and sizes for ${sizes.count}`)
  const chunks = readChunks(bytes, tables)
  return {
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

/** Does the same for PCM, but with ranges of the file as samples, because a PCM sample is only a few bytes. */
export function pcmSamples(bytes: Uint8Array, tables: Box, frameBytes: number): Samples {
  const { count, duration } = readTimes(bytes, boxIn(bytes, tables, 'stts'))
  const chunks = [...readChunks(bytes, tables)()]
  const placed = chunks.reduce((sum, { sampleCount }) => sum + sampleCount, 0)
  if (placed !== count) damaged(`it has times for ${count} samples, and places for ${placed}`)
  // Overlapping chunks could declare any amount of audio with a few bytes.
  if (placed * frameBytes > bytes.length) damaged('its samples take more bytes than it has')
  const stretches = chunks.flatMap(({ offset, sampleCount }) =>
    splitSample(within(bytes, { offset, size: sampleCount * frameBytes }), frameBytes),
  )
  return { duration, [Symbol.iterator]: () => stretches[Symbol.iterator]() }
}

const stretchBytes = 1 << 16

function splitSample({ offset, size }: Sample, frameBytes: number): Sample[] {
  const maxBytes = Math.max(1, Math.floor(stretchBytes / frameBytes)) * frameBytes
  return Array.from({ length: Math.ceil(size / maxBytes) }, (_, index) => ({
    offset: offset + index * maxBytes,
    size: Math.min(maxBytes, size - index * maxBytes),
  }))
}

/** Checks that a sample is within the file. */
function within(bytes: Uint8Array, sample: Sample): Sample {
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

function readChunks(bytes: Uint8Array, tables: Box) {
  const long = boxIn(bytes, tables, 'co64')
  const places =
    long === null ? tableIn(bytes, boxIn(bytes, tables, 'stco'), 'stco', 4) : tableIn(bytes, long, 'co64', 8)
  const offsetAt = (index: number): number =>
    long === null ? places.at(index, 0) : places.at(index, 0) * 2 ** 32 + places.at(index, 4)
  const runs = tableIn(bytes, boxIn(bytes, tables, 'stsc'), 'stsc', 12)
  return function* chunks() {
    let run = -1
    for (let index = 0; index < places.count; index += 1) {
      // Each entry applies from its first chunk, counted from 1, until that of the next entry.
      while (run + 1 < runs.count && runs.at(run + 1, 0) <= index + 1) run += 1
      if (run < 0) damaged('its table "stsc" is damaged')
      yield { offset: offsetAt(index), sampleCount: runs.at(run, 4) }
    }
  }
}

/** Bits of `tfhd` and `trun` that declare the fields that are present. */
const has = {
  baseOffset: 0x1,
  description: 0x2,
  defaultDuration: 0x8,
  defaultSize: 0x10,
  dataOffset: 0x1,
  firstFlags: 0x4,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  compositionOffset: 0x800,
} as const

interface Defaults {
  readonly duration: number
  readonly size: number
}

/**
 * Returns the samples of a track that is written in fragments, as browsers record it.
 *
 * @see ISO/IEC 14496-12 section 8.8
 */
export function fragmentedSamples(bytes: Uint8Array, movie: Box, trackId: number): Samples {
  const [offsets, sizes]: [number[], number[]] = [[], []]
  let duration = 0
  const defaults = readDefaults(bytes, movie, trackId)
  for (const moof of boxesIn(bytes, 0, bytes.length)) {
    if (moof.type !== 'moof') continue
    for (const traf of boxesIn(bytes, moof.start, moof.end)) {
      if (traf.type !== 'traf') continue
      for (const { offset, size, ticks } of samplesOf(bytes, traf, moof.from, trackId, defaults)) {
        offsets.push(offset)
        sizes.push(size)
        duration += ticks
        if (sizes.length > maxSamples) unreadable('it has too many samples')
      }
    }
  }
  return {
    duration,
    *[Symbol.iterator]() {
      for (const [index, size] of sizes.entries()) yield { offset: offsets[index] ?? 0, size }
    },
  }
}

function readDefaults(bytes: Uint8Array, movie: Box, trackId: number): Defaults {
  const view = viewOf(bytes)
  const defaultsBox = boxIn(bytes, movie, 'mvex')
  if (defaultsBox === null) return { duration: 0, size: 0 }
  for (const { type, start, end } of boxesIn(bytes, defaultsBox.start, defaultsBox.end)) {
    if (type !== 'trex' || end - start < 24 || view.getUint32(start + 4) !== trackId) continue
    return { duration: view.getUint32(start + 12), size: view.getUint32(start + 16) }
  }
  return { duration: 0, size: 0 }
}

function* samplesOf(
  bytes: Uint8Array,
  traf: Box,
  moofOffset: number,
  trackId: number,
  defaults: Defaults,
): Generator<Sample & { readonly ticks: number }> {
  const header = boxIn(bytes, traf, 'tfhd')
  if (header === null) damaged('one of its fragments has no header')
  const field = fieldReader(bytes, header)
  if (field.next() !== trackId) return
  const [high, low] = [field.nextIf(has.baseOffset), field.nextIf(has.baseOffset)]
  field.nextIf(has.description)
  const duration = field.nextIf(has.defaultDuration) ?? defaults.duration
  const fragmentDefaults = { duration, size: field.nextIf(has.defaultSize) ?? defaults.size }
  const start = high === null || low === null ? moofOffset : high * 2 ** 32 + low
  let at = start
  for (const run of boxesIn(bytes, traf.start, traf.end)) {
    if (run.type !== 'trun') continue
    for (const { size, ticks, offset } of runSamples(bytes, run, fragmentDefaults)) {
      if (offset !== null) at = start + offset
      yield { ...within(bytes, { offset: at, size }), ticks }
      at += size
    }
  }
}

function* runSamples(
  bytes: Uint8Array,
  run: Box,
  defaults: Defaults,
): Generator<{ readonly size: number; readonly ticks: number; readonly offset: number | null }> {
  const field = fieldReader(bytes, run)
  const count = field.next()
  const dataOffset = field.nextIf(has.dataOffset)
  let offset = dataOffset === null ? null : dataOffset | 0
  field.nextIf(has.firstFlags)
  // A run without fields per sample takes no space, so its count could be unlimited.
  if (count > bytes.length) damaged('its table "trun" is damaged')
  for (let index = 0; index < count; index += 1) {
    const ticks = field.nextIf(has.duration) ?? defaults.duration
    const size = field.nextIf(has.size) ?? defaults.size
    field.nextIf(has.flags)
    field.nextIf(has.compositionOffset)
    yield { size, ticks, offset }
    offset = null
  }
}

/** Reads the 32-bit fields of a box with version and flags. */
function fieldReader(
  bytes: Uint8Array,
  { type, start, end }: Box,
): {
  next(): number
  /** Returns null where the flags declare the field absent. */
  nextIf(flag: number): number | null
} {
  const view = viewOf(bytes)
  let offset = start + 4
  if (offset > end) damaged(`its table "${type}" is damaged`)
  const flags = view.getUint32(start)
  const next = (): number => {
    if (offset + 4 > end) damaged(`its table "${type}" is damaged`)
    offset += 4
    return view.getUint32(offset - 4)
  }
  return { next, nextIf: (flag) => ((flags & flag) === 0 ? null : next()) }
}
