import { type AudioStructure, damaged, unreadable } from '../structure.ts'
import { startOfFrames, stepsOf } from './mpeg.ts'

/** Sampling frequencies of MPEG-4 by their index. */
const aacRates: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]
/** Samples per channel in an AAC frame, before SBR doubles them. */
const blockSamples = 1024
/** Max number of frames per step. Each has at most four blocks. */
const framesPerStep = 16
/** Tolerance in frames: the decoder needs a frame to start, and some encoders end with silence. */
const looseFrames = 4
const maxLostBytes = 4_096

interface AdtsFrame {
  readonly sizeBytes: number
  readonly blockCount: number
  readonly sampleRateHz: number
  readonly channelConfiguration: number
}

/** Number of consecutive valid frames that prove sound. Fewer are enough where the kind of frame is known. */
const provingFrames = { unknown: 4, known: 2 } as const

/** Returns the start of frames that are valid beyond chance; null where there are none near the beginning. */
export function adtsStart(bytes: Uint8Array): number | null {
  return startOfFrames<AdtsFrame>({
    bytes,
    isStart: (offset) => isProven(bytes, offset, null),
    readFrame: (offset) => readAdtsFrame(bytes, offset),
    areTwins: areAlike,
  })
}

/** @param like a frame of the same sound; null where none is known */
function isProven(bytes: Uint8Array, start: number, like: AdtsFrame | null): boolean {
  const first = like ?? readAdtsFrame(bytes, start)
  const wanted = like === null ? provingFrames.unknown : provingFrames.known
  let offset = start
  for (let count = 0; count < wanted && offset < bytes.length; count += 1) {
    const frame = readAdtsFrame(bytes, offset)
    if (first === null || frame === null || !areAlike(frame, first)) return false
    offset += frame.sizeBytes
  }
  return true
}

function areAlike(left: AdtsFrame, right: AdtsFrame): boolean {
  return left.sampleRateHz === right.sampleRateHz && left.channelConfiguration === right.channelConfiguration
}

/** @see ISO/IEC 13818-7 section 6.2 */
export function readAdts(bytes: Uint8Array): AudioStructure {
  const start = adtsStart(bytes) ?? 0
  let [blocks, end, lostBytes] = [0, start, 0]
  let first: AdtsFrame | null = null
  for (const { offset, frame } of adtsFrames(bytes, start)) {
    first ??= frame
    if (!areAlike(frame, first)) damaged(`at byte ${offset} its sample rate or its channels change`)
    lostBytes += offset - end
    blocks += frame.blockCount
    end = offset + frame.sizeBytes
  }
  if (first === null) damaged('it has no whole frame')
  // It has, for example, three or seven channels. The decoder does not support such files.
  if (first.channelConfiguration === 0) unreadable('the number of its channels is not in its header')
  if (lostBytes > maxLostBytes) damaged(`${lostBytes} bytes between its frames are none`)
  const blockSeconds = blockSamples / first.sampleRateHz
  const seconds = blocks * blockSeconds
  return {
    codec: 'AAC',
    seconds: {
      min: Math.max(0, seconds - looseFrames * blockSeconds),
      max: seconds + looseFrames * blockSeconds,
    },
    steps: () => stepsOf(bytes, adtsFrames(bytes, start), framesPerStep),
  }
}

function* adtsFrames(
  bytes: Uint8Array,
  start: number,
): Generator<{ readonly offset: number; readonly frame: AdtsFrame }> {
  const first = readAdtsFrame(bytes, start)
  let [offset, expected] = [start, start]
  while (offset + 7 <= bytes.length) {
    const frame = readAdtsFrame(bytes, offset)
    if (frame !== null && (offset === expected || isProven(bytes, offset, first))) {
      if (offset + frame.sizeBytes > bytes.length) damaged('its last AAC frame is incomplete')
      yield { offset, frame }
      offset += frame.sizeBytes
      expected = offset
      continue
    }
    const next = bytes.indexOf(0xff, offset + 1)
    if (next === -1) return
    offset = next
  }
}

/** @returns null for bytes that are not the header of a frame */
function readAdtsFrame(bytes: Uint8Array, offset: number): AdtsFrame | null {
  const at = (index: number): number => bytes[offset + index] ?? 0
  if (at(0) !== 0xff || (at(1) & 0xf6) !== 0xf0) return null
  const sampleRateHz = aacRates[(at(2) >> 2) & 15]
  const sizeBytes = ((at(3) & 3) << 11) | (at(4) << 3) | (at(5) >> 5)
  if (sampleRateHz === undefined || sizeBytes < 7) return null
  return {
    sizeBytes,
    blockCount: (at(6) & 3) + 1,
    sampleRateHz,
    channelConfiguration: ((at(2) & 1) << 2) | (at(3) >> 6),
  }
}

/** Object types with frames of 512 or 480 samples: low delay, and enhanced low delay. */
const lowDelayTypes: readonly number[] = [23, 39]
/** Object types with the rate of SBR before their own type. */
const extendedTypes: readonly number[] = [5, 29]

/**
 * Reads the parameters of an AAC track: the rate of the core, which is half of the output's where SBR doubles it, and
 * the samples per channel in a frame.
 *
 * @see ISO/IEC 14496-3 section 1.6.2.1, AudioSpecificConfig
 */
export function readAacConfig(bytes: Uint8Array) {
  const bits = bitReader(bytes)
  const readType = (): number => {
    const type = bits(5)
    return type === 31 ? 32 + bits(6) : type
  }
  const readRate = (): number => {
    const index = bits(4)
    return index === 15 ? bits(24) : (aacRates[index] ?? 0)
  }
  let type = readType()
  const sampleRateHz = readRate()
  bits(4)
  if (extendedTypes.includes(type)) {
    readRate()
    type = readType()
  }
  if (sampleRateHz === 0) damaged('its AAC configuration says no sample rate')
  const isShort = bits(1) === 1
  if (lowDelayTypes.includes(type)) return { sampleRateHz, frameSamples: isShort ? 480 : 512 }
  return { sampleRateHz, frameSamples: isShort ? 960 : 1024 }
}

/** Reads bits, the most significant first. */
function bitReader(bytes: Uint8Array): (count: number) => number {
  let position = 0
  return (count) => {
    let value = 0
    for (let index = 0; index < count; index += 1, position += 1) {
      if (position >> 3 >= bytes.length) damaged('its AAC configuration is incomplete')
      value = value * 2 + (((bytes[position >> 3] ?? 0) >> (7 - (position & 7))) & 1)
    }
    return value
  }
}

const descriptors = { elementaryStream: 3, decoderConfig: 4, decoderSpecific: 5 } as const

/**
 * Reads the codec and its configuration from the body of an `esds` box.
 *
 * @see ISO/IEC 14496-1 section 7.2.6
 */
export function readElementaryStream(body: Uint8Array): {
  readonly objectType: number
  readonly config: Uint8Array | null
} {
  let objectType = 0
  let offset = 4
  while (offset + 2 <= body.length) {
    const tag = body[offset] ?? 0
    let length = 0
    offset += 1
    for (let count = 0; count < 4; count += 1) {
      const byte = body[offset] ?? 0
      offset += 1
      length = (length << 7) | (byte & 0x7f)
      if (byte < 0x80) break
    }
    if (tag === descriptors.elementaryStream) offset += 3
    else if (tag === descriptors.decoderConfig) {
      objectType = body[offset] ?? 0
      offset += 13
    } else if (tag === descriptors.decoderSpecific) {
      return { objectType, config: body.subarray(offset, offset + length) }
    } else offset += length
  }
  return { objectType, config: null }
}
