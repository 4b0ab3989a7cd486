import { damaged } from '../damage.ts'
import { aacRates } from './adts.ts'

/** What a decoder needs to know of an AAC track. */
export interface AacConfig {
  /** Of the core: half of what comes out, where SBR doubles it. */
  readonly sampleRateHz: number
  /** Samples of each channel of the core in a frame. */
  readonly frameSamples: number
}

/** Object types whose frames are of 512 or 480 samples: low delay, and enhanced low delay. */
const lowDelayTypes: readonly number[] = [23, 39]
/** Object types that say the rate of SBR before their own. */
const extendedTypes: readonly number[] = [5, 29]

/** @see ISO/IEC 14496-3 section 1.6.2.1, AudioSpecificConfig */
export function readAacConfig(bytes: Uint8Array): AacConfig {
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

/** Reads bits, the highest first. */
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
 * The codec and its configuration in the body of an `esds` box.
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
