import { damaged } from '../../damage.ts'
import { type AudioStructure, exactly, isPlausibleRate, maxPcmChannels, slices } from '../../structure.ts'

/** Samples that lie in a file one after the other, whatever the container around them. */
export interface PcmLayout {
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly coding: keyof typeof codings
  /** Of one sample of `lpcm`: a multiple of 8. */
  readonly bits: number
  readonly isFloat: boolean
  readonly isLittleEndian: boolean
  readonly dataStart: number
  readonly dataBytes: number
}

/** By the names of Core Audio: for people, and samples of one channel in a packet. */
const codings = {
  lpcm: { name: 'PCM', packetSamples: 1 },
  alaw: { name: 'A-law', packetSamples: 1 },
  ulaw: { name: 'mu-law', packetSamples: 1 },
  ima4: { name: 'IMA ADPCM', packetSamples: 64 },
} as const

const ima4PacketBytes = 34

/**
 * The sound of an AIFF, AU or CAF file, behind a CAF header of our own: one decoder reads them all, and it is given
 * nothing but what was checked.
 *
 * @see Apple Core Audio Format Specification 1.0
 */
export function pcmStructure(bytes: Uint8Array, layout: PcmLayout): AudioStructure {
  const { sampleRateHz, coding, bits, isFloat, dataStart, dataBytes } = layout
  const { name, packetSamples } = codings[coding]
  const packetBytes = packetBytesOf(layout)
  const packets = Math.floor(dataBytes / packetBytes)
  const sound = bytes.subarray(dataStart, dataStart + packets * packetBytes)
  return {
    codec: coding === 'lpcm' ? `${isFloat ? 'float ' : ''}${name}, ${bits} bit` : name,
    seconds: exactly((packets * packetSamples) / sampleRateHz),
    *steps() {
      yield cafHeader(layout, packetBytes, packetSamples)
      yield* slices(sound, packetBytes)
    },
  }
}

/** Bytes of the smallest part that holds a sample of every channel; a header that cannot be right ends the reading. */
export function packetBytesOf({
  coding,
  bits,
  isFloat,
  channelCount,
  sampleRateHz,
}: Omit<PcmLayout, 'dataStart' | 'dataBytes'>): number {
  const allowedBits = isFloat ? [32, 64] : [8, 16, 24, 32]
  if (
    channelCount < 1 ||
    channelCount > maxPcmChannels ||
    !isPlausibleRate(sampleRateHz) ||
    (coding === 'lpcm' && !allowedBits.includes(bits))
  ) {
    damaged(`its header says ${channelCount} channels, ${sampleRateHz} Hz, ${bits} bits`)
  }
  if (coding === 'ima4') return ima4PacketBytes * channelCount
  return coding === 'lpcm' ? (bits / 8) * channelCount : channelCount
}

function cafHeader(layout: PcmLayout, packetBytes: number, packetSamples: number): Uint8Array {
  const header = Buffer.alloc(8 + 12 + 32 + 12 + 4)
  header.write('caff', 0, 'latin1')
  header.writeUInt16BE(1, 4)
  header.write('desc', 8, 'latin1')
  header.writeBigUInt64BE(32n, 12)
  header.writeDoubleBE(layout.sampleRateHz, 20)
  header.write(layout.coding, 28, 'latin1')
  header.writeUInt32BE((layout.isFloat ? 1 : 0) | (layout.isLittleEndian ? 2 : 0), 32)
  header.writeUInt32BE(packetBytes, 36)
  header.writeUInt32BE(packetSamples, 40)
  header.writeUInt32BE(layout.channelCount, 44)
  header.writeUInt32BE(layout.bits, 48)
  header.write('data', 52, 'latin1')
  // To the end.
  header.writeBigInt64BE(-1n, 56)
  return header
}
