import { cutShort, damaged, unreadable } from '../damage.ts'
import { textAt, viewOf } from '../read-bytes.ts'
import type { AudioStructure } from '../structure.ts'
import { type PcmLayout, packetBytesOf, pcmStructure } from './riff/pcm-structure.ts'

/** Codings of AIFF-C by their four letters. What is not here is not decoded. */
const codings: Readonly<Record<string, Partial<Pick<PcmLayout, 'coding' | 'isFloat' | 'isLittleEndian'>>>> = {
  NONE: {},
  twos: {},
  in24: {},
  in32: {},
  sowt: { isLittleEndian: true },
  fl32: { isFloat: true },
  FL32: { isFloat: true },
  fl64: { isFloat: true },
  FL64: { isFloat: true },
  alaw: { coding: 'alaw' },
  ALAW: { coding: 'alaw' },
  ulaw: { coding: 'ulaw' },
  ULAW: { coding: 'ulaw' },
  ima4: { coding: 'ima4' },
}

interface Common {
  readonly channelCount: number
  /** Of the coding: samples, or packets. */
  readonly frameCount: number
  readonly bits: number
  readonly sampleRateHz: number
  readonly compression: string
}

/** @see Audio Interchange File Format AIFF-C, draft of 1991-08-26 */
export function readAiff(bytes: Uint8Array): AudioStructure {
  const view = viewOf(bytes)
  const declaredBytes = view.getUint32(4) + 8
  if (declaredBytes > bytes.length) {
    cutShort(`its header promises ${declaredBytes} bytes, ${bytes.length} are there`)
  }
  let common: Common | null = null
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const type = textAt(bytes, offset, 4)
    const size = view.getUint32(offset + 4)
    const start = offset + 8
    if (start + size > bytes.length) damaged(`its chunk "${type}" is incomplete`)
    if (type === 'COMM') common = readCommon(bytes, start, size)
    if (type === 'SSND' && common !== null) {
      if (size < 8) damaged('its sound chunk is too short')
      const dataStart = start + 8 + view.getUint32(start)
      return soundOf(bytes, common, dataStart, start + size - dataStart)
    }
    offset = start + size + (size % 2)
  }
  damaged(common === null ? 'it does not say what its sound is' : 'it has no sound chunk')
}

function readCommon(bytes: Uint8Array, start: number, size: number): Common {
  if (size < 18) damaged('its common chunk is too short')
  const view = viewOf(bytes)
  const isCompressed = textAt(bytes, 8, 4) === 'AIFC'
  if (isCompressed && size < 22) damaged('its common chunk names no coding')
  return {
    channelCount: view.getUint16(start),
    frameCount: view.getUint32(start + 2),
    bits: view.getUint16(start + 6),
    sampleRateHz: extendedFloat(view, start + 8),
    compression: isCompressed ? textAt(bytes, start + 18, 4) : 'NONE',
  }
}

function soundOf(bytes: Uint8Array, common: Common, dataStart: number, dataBytes: number): AudioStructure {
  const { channelCount, frameCount, sampleRateHz, compression } = common
  const kind = codings[compression]
  if (kind === undefined) unreadable(`its sound is coded as "${compression}"`)
  const layout: PcmLayout = {
    sampleRateHz,
    channelCount,
    coding: 'lpcm',
    // A sample of 12 bits lies at the top of two bytes.
    bits: Math.ceil(common.bits / 8) * 8,
    isFloat: false,
    isLittleEndian: false,
    ...kind,
    dataStart,
    dataBytes,
  }
  const heldCount = Math.floor(dataBytes / packetBytesOf(layout))
  if (frameCount !== heldCount) {
    damaged(`its header promises ${frameCount} samples, its sound chunk holds ${Math.max(0, heldCount)}`)
  }
  return pcmStructure(bytes, layout)
}

/** A number of 80 bits, as the 68881 had them: sign and exponent, then a mantissa whose first bit is written out. */
function extendedFloat(view: DataView, offset: number): number {
  const exponent = view.getUint16(offset) & 0x7fff
  const mantissa = view.getUint32(offset + 2) * 2 ** 32 + view.getUint32(offset + 6)
  return mantissa * 2 ** (exponent - 16_383 - 63)
}
