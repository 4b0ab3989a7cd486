import { damaged, unreadable } from '../../damage.ts'
import { viewOf } from '../../read-bytes.ts'
import { type Box, boxesIn, boxIn } from './mp4-boxes.ts'
import { maxSamples, type Sample, type Samples, within } from './mp4-samples.ts'

/** Bits of `tfhd` and `trun` that say which fields are there. */
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
 * The samples of a track that is written in fragments, as recorders of browsers do.
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
      for (const { sample, ticks } of samplesOf(bytes, { traf, moofOffset: moof.from, trackId, defaults })) {
        offsets.push(sample.offset)
        sizes.push(sample.size)
        duration += ticks
        if (sizes.length > maxSamples) unreadable('it has too many samples')
      }
    }
  }
  return {
    count: sizes.length,
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

interface Fragment {
  readonly traf: Box
  readonly moofOffset: number
  readonly trackId: number
  readonly defaults: Defaults
}

function* samplesOf(
  bytes: Uint8Array,
  { traf, moofOffset, trackId, defaults }: Fragment,
): Generator<{ readonly sample: Sample; readonly ticks: number }> {
  const header = boxIn(bytes, traf, 'tfhd')
  if (header === null) damaged('one of its fragments has no header')
  const field = fieldReader(bytes, header)
  const flags = field.flags
  if (field.next(true) !== trackId) return
  const base =
    field.next((flags & has.baseOffset) !== 0) * 2 ** 32 + field.next((flags & has.baseOffset) !== 0)
  field.next((flags & has.description) !== 0)
  const duration = field.next((flags & has.defaultDuration) !== 0)
  const size = field.next((flags & has.defaultSize) !== 0)
  const own: Defaults = {
    duration: (flags & has.defaultDuration) === 0 ? defaults.duration : duration,
    size: (flags & has.defaultSize) === 0 ? defaults.size : size,
  }
  const start = (flags & has.baseOffset) === 0 ? moofOffset : base
  let at = start
  for (const run of boxesIn(bytes, traf.start, traf.end)) {
    if (run.type !== 'trun') continue
    for (const { size, ticks, offset } of runSamples(bytes, run, own)) {
      if (offset !== null) at = start + offset
      yield { sample: within(bytes, { offset: at, size }), ticks }
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
  const { flags } = field
  const count = field.next(true)
  const given = field.next((flags & has.dataOffset) !== 0)
  let offset = (flags & has.dataOffset) === 0 ? null : given | 0
  field.next((flags & has.firstFlags) !== 0)
  // Without fields for each sample a run takes no space, and could go on for ever.
  if (count > bytes.length) damaged('its table "trun" is damaged')
  for (let index = 0; index < count; index += 1) {
    const ticks = (flags & has.duration) === 0 ? defaults.duration : field.next(true)
    const size = (flags & has.size) === 0 ? defaults.size : field.next(true)
    field.next((flags & has.flags) !== 0)
    field.next((flags & has.compositionOffset) !== 0)
    yield { size, ticks, offset }
    offset = null
  }
}

/** The fields of a box with version and flags, of 32 bits each; one that is not there reads as 0. */
function fieldReader(
  bytes: Uint8Array,
  { type, start, end }: Box,
): { readonly flags: number; next(isThere: boolean): number } {
  const view = viewOf(bytes)
  let offset = start + 4
  if (offset > end) damaged(`its table "${type}" is damaged`)
  return {
    flags: view.getUint32(start) & 0xff_ffff,
    next(isThere) {
      if (!isThere) return 0
      if (offset + 4 > end) damaged(`its table "${type}" is damaged`)
      offset += 4
      return view.getUint32(offset - 4)
    },
  }
}
