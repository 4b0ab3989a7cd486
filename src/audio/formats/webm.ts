import { sumOf } from '#prelude'
import {
  type AudioStructure,
  cutShort,
  damaged,
  maxCodecChannels,
  textAt,
  unreadable,
  viewOf,
} from '../structure.ts'
import { opusPacketSamples, opusRateHz } from './ogg-packets.ts'

const ids = {
  timestampScale: 0x2ad7b1,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  channels: 0x9f,
  clusterTimestamp: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
} as const

/** Max values in the header of a supported file. @see RFC 8794 section 11.2, RFC 9559 section 4.2 */
const maxInHead: ReadonlyMap<number, readonly [name: string, max: number]> = new Map([
  [0x4286, ['EBML version', 1]],
  [0x42f7, ['EBML version', 1]],
  [0x42f2, ['length of ids', 4]],
  [0x42f3, ['length of sizes', 8]],
  [0x4287, ['version', 4]],
  [0x4285, ['version', 4]],
])

const soundTrack = 2
/** Beginnings of the names of codecs that the decoder reads. */
const decodedCodecs = /^A_(?:AAC|AC3|ALAC|DTS|EAC3|FLAC|MPEG\/L3|OPUS|PCM|VORBIS)/
const usualScaleNs = 1_000_000

/** Min bytes, or frames of sound, after which a step ends with a block. */
const stepBytes = 1 << 14
const stepFrames = 32

/** Tolerance for the encoder's delay, the last packet and rounded times. */
const looseSeconds = 1

/** Facts about the first sound track, from its entry and its blocks. */
interface Track {
  number: number
  type: number
  codec: string
  channelCount: number
}

/** @see RFC 9559 (Matroska) and RFC 8794 (EBML) */
export function readWebm(bytes: Uint8Array): AudioStructure {
  const found = survey(bytes)
  if (found.track === null) damaged('it has no track of sound')
  const { codec } = found.track
  if (!decodedCodecs.test(codec)) unreadable(`its codec is "${codec}"`)
  // Packets of Opus have their lengths; for other codecs the times of the blocks are used.
  const isOpus = codec === 'A_OPUS'
  const seconds = isOpus ? found.opusSamples / opusRateHz : found.lastSeconds - (found.firstSeconds ?? 0)
  return {
    codec: null,
    seconds: { min: Math.max(0, seconds - looseSeconds), max: seconds + looseSeconds },
    *steps() {
      let from = 0
      for (const end of found.ends) {
        yield bytes.subarray(from, end)
        from = end
      }
      if (from < bytes.length) yield bytes.subarray(from)
    },
  }
}

interface Survey {
  track: Track | null
  opusSamples: number
  firstSeconds: number | null
  lastSeconds: number
  /** Offsets at which the steps end. */
  readonly ends: number[]
}

function survey(bytes: Uint8Array): Survey {
  const found: Survey = { track: null, opusSamples: 0, firstSeconds: null, lastSeconds: 0, ends: [] }
  let track: Track = { number: 0, type: 0, codec: '', channelCount: 1 }
  const numbers = new Set<number>()
  let [scaleNs, clusterTime, from, frames] = [usualScaleNs, 0, 0, 0]
  for (const { id, start, end } of elements(bytes)) {
    const [name, max] = maxInHead.get(id) ?? ['', Number.POSITIVE_INFINITY]
    if (unsigned(bytes, start, end) > max) unreadable(`its ${name} is ${unsigned(bytes, start, end)}`)
    if (id === ids.timestampScale) scaleNs = unsigned(bytes, start, end)
    if (id === ids.trackEntry) track = { number: 0, type: 0, codec: '', channelCount: 1 }
    if (id === ids.trackNumber) {
      track.number = unsigned(bytes, start, end)
      numbers.add(track.number)
    }
    if (id === ids.trackType) track.type = unsigned(bytes, start, end)
    if (id === ids.codec) track.codec = textAt(bytes, start, end - start)
    if (id === ids.channels) track.channelCount = unsigned(bytes, start, end)
    if (found.track === null && track.type === soundTrack) found.track = track
    if (id === ids.clusterTimestamp) clusterTime = unsigned(bytes, start, end)
    if (id !== ids.simpleBlock && id !== ids.block) continue
    const block = readBlock(bytes, start, end)
    if (!numbers.has(block.track)) damaged(`its block at byte ${start} is of no track that it has`)
    if (block.track !== found.track?.number) continue
    const { codec, channelCount } = found.track
    if (channelCount > maxCodecChannels) {
      unreadable(`it has ${channelCount} channels, and ${maxCodecChannels} are the most`)
    }
    const seconds = ((clusterTime + block.time) * scaleNs) / 1e9
    found.firstSeconds ??= seconds
    found.lastSeconds = Math.max(found.lastSeconds, seconds)
    if (codec === 'A_OPUS') found.opusSamples += sumOf(block.frames, opusPacketSamples)
    frames += block.frames.length
    if (end - from < stepBytes && frames < stepFrames) continue
    found.ends.push(end)
    from = end
    frames = 0
  }
  return found
}

/** Elements that contain elements, on the path to the blocks of sound. */
const containers: ReadonlySet<number> = new Set([
  0x1a45dfa3, // EBML
  0x18538067, // Segment
  0x1549a966, // Info
  0x1654ae6b, // Tracks
  0xae, // TrackEntry
  0xe1, // Audio
  0x1f43b675, // Cluster
  0xa0, // BlockGroup
])

const cluster = 0x1f43b675
/** Elements of a cluster. Ids of top-level elements, which end a cluster of open length, have four bytes. */
const inClusters: ReadonlySet<number> = new Set([0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf, 0xec, 0xbf])

interface Element {
  readonly id: number
  /** Offset after the element's header. */
  readonly start: number
  readonly end: number
}

/** Yields all elements in order, containers before their content. Live recordings leave a container's length open. */
function* elements(bytes: Uint8Array): Generator<Element> {
  let offset = 0
  /** Containers around the current offset. */
  const around: Element[] = []
  while (offset < bytes.length) {
    const id = vint(bytes, offset, true)
    const size = id === null ? null : vint(bytes, offset + id.length, false)
    if (id === null || size === null) {
      // Zeros at the end are padding. Otherwise the last element's header is cut.
      if ((bytes[offset] ?? 0) === 0) return
      cutShort('its last element is incomplete')
    }
    const start = offset + id.length + size.length
    const isOpenEnded = size.value === 2 ** (7 * size.length) - 1
    while ((around.at(-1)?.end ?? bytes.length) <= offset) around.pop()
    const limit = around.at(-1)?.end ?? bytes.length
    const end = isOpenEnded ? limit : start + size.value
    // A live recording ends between two blocks and declares no length, so only an end within a block shows a cut.
    if (end > bytes.length) cutShort(`its last element ends ${end - bytes.length} bytes behind the file`)
    if (end > limit) damaged(`its element at byte ${offset} ends behind the one that it is in`)
    if (around.at(-1)?.id === cluster && id.length < 4 && !inClusters.has(id.value)) {
      damaged(`its element at byte ${offset} is none of a cluster`)
    }
    if (containers.has(id.value)) {
      around.push({ id: id.value, start, end })
      yield { id: id.value, start, end }
      offset = start
      continue
    }
    yield { id: id.value, start, end }
    offset = end
  }
}

/** Reads a number whose length is given by the leading zero bits of its first byte. @returns null for none */
function vint(
  bytes: Uint8Array,
  offset: number,
  keepsMark: boolean,
): { readonly value: number; readonly length: number } | null {
  const first = bytes[offset]
  if (first === undefined || first === 0) return null
  const length = Math.clz32(first) - 23
  if (offset + length > bytes.length) return null
  let value = keepsMark ? first : first & (0xff >> length)
  for (let index = 1; index < length; index += 1) value = value * 256 + (bytes[offset + index] ?? 0)
  return { value, length }
}

function unsigned(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (const byte of bytes.subarray(start, Math.min(end, start + 8))) value = value * 256 + byte
  return value
}

/** Reads the frames of one track, at one time in ticks since the cluster's time. */
function readBlock(bytes: Uint8Array, start: number, end: number) {
  const track = vint(bytes, start, false)
  const head = start + (track?.length ?? 0)
  if (track === null || head + 3 > end) damaged('one of its blocks is damaged')
  const lacing = ((bytes[head + 2] ?? 0) >> 1) & 3
  return {
    track: track.value,
    time: viewOf(bytes).getInt16(head),
    frames: lacedFrames(bytes.subarray(head + 3, end), lacing),
  }
}

/** @see RFC 9559 section 10.3: no lacing, Xiph's, fixed sizes, EBML's */
function lacedFrames(body: Uint8Array, lacing: number): Uint8Array[] {
  if (lacing === 0) return [body]
  const count = (body[0] ?? 0) + 1
  if (lacing === 2) {
    const size = (body.length - 1) / count
    if (!Number.isInteger(size)) damaged('one of its blocks is damaged')
    return Array.from({ length: count }, (_, index) =>
      body.subarray(1 + index * size, 1 + (index + 1) * size),
    )
  }
  const { sizes, start } = lacing === 1 ? xiphSizes(body, count) : ebmlSizes(body, count)
  let offset = start
  const frames = sizes.map((size) => {
    offset += size
    return body.subarray(offset - size, offset)
  })
  if (offset > body.length || sizes.some((size) => size < 0)) damaged('one of its blocks is damaged')
  return [...frames, body.subarray(offset)]
}

function xiphSizes(body: Uint8Array, count: number): { sizes: number[]; start: number } {
  const sizes: number[] = []
  let offset = 1
  while (sizes.length < count - 1 && offset < body.length) {
    let size = 0
    while (body[offset] === 255) {
      size += 255
      offset += 1
    }
    sizes.push(size + (body[offset] ?? 0))
    offset += 1
  }
  return { sizes, start: offset }
}

/** Returns sizes of which the first is coded as it is, and the others as differences. */
function ebmlSizes(body: Uint8Array, count: number): { sizes: number[]; start: number } {
  const sizes: number[] = []
  let offset = 1
  while (sizes.length < count - 1) {
    const number = vint(body, offset, false)
    if (number === null) damaged('one of its blocks is damaged')
    const middle = 2 ** (7 * number.length - 1) - 1
    sizes.push(sizes.length === 0 ? number.value : (sizes.at(-1) ?? 0) + number.value - middle)
    offset += number.length
  }
  return { sizes, start: offset }
}
