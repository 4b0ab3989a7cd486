import telephony from 'alawmulaw/dist/alawmulaw.js'
import {
  type AudioStructure,
  cutShort,
  damaged,
  exactly,
  isPlausibleRate,
  maxPcmChannels,
  slices,
  textAt,
  unreadable,
  viewOf,
} from '../structure.ts'

/** Supported codings of AIFF-C, by their four letters. */
const aiffCodings: Readonly<
  Record<string, Partial<Pick<PcmLayout, 'coding' | 'isFloat' | 'isLittleEndian'>>>
> = {
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
  /** Number of units of the coding: samples, or packets. */
  readonly frameCount: number
  readonly bits: number
  readonly sampleRateHz: number
  readonly compression: string
}

/** Its chunks may have any order. @see Audio Interchange File Format AIFF-C, draft of 1991-08-26 */
export function readAiff(bytes: Uint8Array): AudioStructure {
  const view = viewOf(bytes)
  const declaredBytes = view.getUint32(4) + 8
  if (declaredBytes > bytes.length) {
    cutShort(`its header promises ${declaredBytes} bytes, ${bytes.length} are there`)
  }
  let common: Common | null = null
  let sound: { readonly start: number; readonly end: number } | null = null
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const type = textAt(bytes, offset, 4)
    const size = view.getUint32(offset + 4)
    const start = offset + 8
    if (start + size > bytes.length) damaged(`its chunk "${type}" is incomplete`)
    if (type === 'COMM') common = readCommon(bytes, start, size)
    if (type === 'SSND') {
      if (size < 8) damaged('its sound chunk is too short')
      sound = { start: start + 8 + view.getUint32(start), end: start + size }
    }
    if (common !== null && sound !== null)
      return describeSound(bytes, common, sound.start, sound.end - sound.start)
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

function describeSound(
  bytes: Uint8Array,
  common: Common,
  dataStart: number,
  dataBytes: number,
): AudioStructure {
  const { channelCount, frameCount, sampleRateHz, compression } = common
  const kind = aiffCodings[compression]
  if (kind === undefined) unreadable(`its sound is coded as "${compression}"`)
  const layout: PcmLayout = {
    sampleRateHz,
    channelCount,
    coding: 'lpcm',
    // A sample of 12 bits is in the upper bits of two bytes.
    bits: Math.ceil(common.bits / 8) * 8,
    isFloat: false,
    isLittleEndian: false,
    ...kind,
    dataStart,
    dataBytes,
  }
  const heldCount = Math.floor(dataBytes / packetBytesOf(layout))
  // libsndfile writes half the number of packets into a stereo file of IMA ADPCM.
  const isHalved = layout.coding === 'ima4' && frameCount === Math.floor(heldCount / channelCount)
  if (frameCount !== heldCount && !isHalved) {
    damaged(`its header promises ${frameCount} samples, its sound chunk holds ${Math.max(0, heldCount)}`)
  }
  return pcmStructure(bytes, layout)
}

/** Reads an 80-bit float of the 68881: sign and exponent, then a mantissa with an explicit first bit. */
function extendedFloat(view: DataView, offset: number): number {
  const exponent = view.getUint16(offset) & 0x7fff
  const mantissa = view.getUint32(offset + 2) * 2 ** 32 + view.getUint32(offset + 6)
  return mantissa * 2 ** (exponent - 16_383 - 63)
}

/** Encodings of AU, by number. */
const auEncodings: Readonly<Record<number, Pick<PcmLayout, 'coding' | 'bits' | 'isFloat'>>> = {
  1: { coding: 'ulaw', bits: 8, isFloat: false },
  2: { coding: 'lpcm', bits: 8, isFloat: false },
  3: { coding: 'lpcm', bits: 16, isFloat: false },
  4: { coding: 'lpcm', bits: 24, isFloat: false },
  5: { coding: 'lpcm', bits: 32, isFloat: false },
  6: { coding: 'lpcm', bits: 32, isFloat: true },
  7: { coding: 'lpcm', bits: 64, isFloat: true },
  27: { coding: 'alaw', bits: 8, isFloat: false },
}

/** Length that a writer leaves if it cannot seek back. */
const unknownSize = 0xffff_ffff

/** @see https://pubs.opengroup.org/external/auformat.html */
export function readAu(bytes: Uint8Array): AudioStructure {
  if (bytes.length < 24) damaged('its header is incomplete')
  const view = viewOf(bytes)
  const dataStart = view.getUint32(4)
  const declaredBytes = view.getUint32(8)
  const number = view.getUint32(12)
  const encoding = auEncodings[number]
  if (encoding === undefined) unreadable(`its sound has the encoding ${number}`)
  if (dataStart < 24 || dataStart > bytes.length) damaged(`its sound begins at byte ${dataStart}`)
  const layout = {
    ...encoding,
    sampleRateHz: view.getUint32(16),
    channelCount: view.getUint32(20),
    isLittleEndian: false,
    dataStart,
    dataBytes: bytes.length - dataStart,
  }
  if (declaredBytes !== unknownSize && Math.abs(declaredBytes - layout.dataBytes) >= packetBytesOf(layout)) {
    damaged(`its header promises ${declaredBytes} bytes of samples, ${layout.dataBytes} are there`)
  }
  return pcmStructure(bytes, layout)
}

type Description = Omit<PcmLayout, 'dataStart' | 'dataBytes'>

/** @see Apple Core Audio Format Specification 1.0 */
export function readCaf(bytes: Uint8Array): AudioStructure {
  const view = viewOf(bytes)
  if (bytes.length < 8 || view.getUint16(4) !== 1) damaged('its version is unknown')
  let description: Description | null = null
  for (let offset = 8; offset + 12 <= bytes.length; ) {
    const type = textAt(bytes, offset, 4)
    const size = Number(view.getBigInt64(offset + 4))
    const start = offset + 12
    // Only the chunk with sound may have an open length.
    const end = size === -1 && type === 'data' ? bytes.length : start + size
    if (size < -1 || end > bytes.length) damaged(`its chunk "${type}" is incomplete`)
    if (type === 'desc') description = readDescription(view, bytes, start, size)
    if (type === 'data') {
      if (description === null) damaged('it does not say what its sound is')
      if (end < start + 4) damaged('its sound chunk is too short')
      const sound = { dataStart: start + 4, dataBytes: end - start - 4 }
      return pcmStructure(bytes, { ...description, ...sound })
    }
    if (end <= offset) damaged(`its chunk "${type}" is damaged`)
    offset = end
  }
  damaged('it has no sound chunk')
}

function readDescription(view: DataView, bytes: Uint8Array, start: number, size: number): Description {
  if (size < 32) damaged('its description chunk is too short')
  const coding = textAt(bytes, start + 8, 4)
  if (coding !== 'lpcm' && coding !== 'alaw' && coding !== 'ulaw' && coding !== 'ima4') {
    unreadable(`its sound is coded as "${coding}"`)
  }
  const flags = view.getUint32(start + 12)
  const description = {
    sampleRateHz: view.getFloat64(start),
    channelCount: view.getUint32(start + 24),
    coding,
    bits: view.getUint32(start + 28),
    isFloat: coding === 'lpcm' && (flags & 1) !== 0,
    isLittleEndian: (flags & 2) !== 0,
  } as const
  const [declared, expected] = [view.getUint32(start + 16), packetBytesOf(description)]
  if (declared !== expected) {
    damaged(`its header says packets of ${declared} bytes, where its coding takes ${expected}`)
  }
  return description
}

/** Length of `NIST_1A` and of the header's size in seven characters, with their line ends. */
const prefixBytes = 16
/** A file of blocks is padded at its end to a multiple of this. */
const blockBytes = 1024

/**
 * Reads NIST SPHERE, as in TED-LIUM: a text header, then samples. Embedded compression (shorten) is not supported.
 *
 * @see NIST Speech Header Resources (SPHERE) 2.6, doc/header.doc
 */
export function readSphere(bytes: Uint8Array): AudioStructure {
  const headerBytes = Number(textAt(bytes, 8, 7).trim())
  if (!(headerBytes > prefixBytes) || headerBytes > bytes.length) damaged('its header is incomplete')
  const fields = readFields(bytes.subarray(prefixBytes, headerBytes))
  const coding = fields.get('sample_coding') ?? 'pcm'
  const layout: PcmLayout = {
    ...readCoding(coding, wholeField(fields, 'sample_n_bytes', '2')),
    sampleRateHz: wholeField(fields, 'sample_rate', ''),
    channelCount: wholeField(fields, 'channel_count', '1'),
    isLittleEndian: fields.get('sample_byte_format') === '01',
    dataStart: headerBytes,
    dataBytes: bytes.length - headerBytes,
  }
  // A writer that cannot seek back does not know the count, and leaves 0.
  const frames = wholeField(fields, 'sample_count', '0')
  if (frames === 0) return pcmStructure(bytes, layout)
  const soundBytes = frames * packetBytesOf(layout)
  if (soundBytes > layout.dataBytes || layout.dataBytes - soundBytes >= blockBytes) {
    const found = Math.floor(layout.dataBytes / packetBytesOf(layout))
    damaged(`its header promises ${frames} samples, ${found} are there`)
  }
  return pcmStructure(bytes, { ...layout, dataBytes: soundBytes })
}

/** Parses lines such as `sample_rate -i 16000` and `sample_coding -s3 pcm`, up to `end_head`. */
function readFields(header: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of new TextDecoder('latin1').decode(header).split('\n')) {
    if (line.trim() === 'end_head') break
    const [, name, value] = /^(\S+) -(?:i|r|s\d+) (.*)$/.exec(line.trim()) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, value.trim())
  }
  return fields
}

function wholeField(fields: ReadonlyMap<string, string>, name: string, usual: string): number {
  const written = fields.get(name) ?? usual
  if (written === '' || !Number.isInteger(Number(written)))
    damaged(`its header says "${written}" for ${name}`)
  return Number(written)
}

function readCoding(coding: string, sampleBytes: number): Pick<PcmLayout, 'coding' | 'bits' | 'isFloat'> {
  if (coding === 'ulaw' || coding === 'mu-law') return { coding: 'ulaw', bits: 8, isFloat: false }
  if (coding === 'alaw') return { coding: 'alaw', bits: 8, isFloat: false }
  if (coding !== 'pcm') unreadable(`its sound has the coding ${coding}; convert it with sph2pipe`)
  return { coding: 'lpcm', bits: sampleBytes * 8, isFloat: false }
}

/** Layout of consecutive samples in a file of any container. */
interface PcmLayout {
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly coding: keyof typeof codings
  /** Bits per sample of `lpcm`, a multiple of 8. */
  readonly bits: number
  readonly isFloat: boolean
  readonly isLittleEndian: boolean
  readonly dataStart: number
  readonly dataBytes: number
}

/** Codings by Core Audio's names, with a name for messages and the samples per channel in a packet. */
const codings = {
  lpcm: { name: 'PCM', packetSamples: 1 },
  alaw: { name: 'A-law', packetSamples: 1 },
  ulaw: { name: 'mu-law', packetSamples: 1 },
  ima4: { name: 'IMA ADPCM', packetSamples: 64 },
} as const

const ima4PacketBytes = 34

/**
 * Wraps the sound of an AIFF, AU or CAF file in a CAF header of our own. One decoder then reads all of them, and gets
 * only checked fields.
 *
 * @see Apple Core Audio Format Specification 1.0
 */
function pcmStructure(bytes: Uint8Array, layout: PcmLayout): AudioStructure {
  const { sampleRateHz, coding, bits, isFloat, dataStart, dataBytes } = layout
  const { name, packetSamples } = codings[coding]
  const packetBytes = packetBytesOf(layout)
  const packets = Math.floor(dataBytes / packetBytes)
  const sound = bytes.subarray(dataStart, dataStart + packets * packetBytes)
  return {
    codec: coding === 'lpcm' ? `${isFloat ? 'float ' : ''}${name}, ${bits} bit` : name,
    seconds: exactly((packets * packetSamples) / sampleRateHz),
    *steps() {
      if (coding !== 'alaw' && coding !== 'ulaw') {
        yield cafHeader(layout, packetBytes, packetSamples)
        return yield* slices(sound, packetBytes)
      }
      // The decoder of CAF reads samples of G.711 as too small, and inverts those of A-law, so they are decoded here.
      yield cafHeader({ ...layout, coding: 'lpcm', bits: 16, isLittleEndian: true }, 2 * packetBytes, 1)
      const { decode } = coding === 'alaw' ? telephony.alaw : telephony.mulaw
      for (const part of slices(sound, packetBytes)) yield new Uint8Array(decode(part).buffer)
    },
  }
}

/** Returns the bytes of the smallest unit with a sample of every channel; rejects an invalid header. */
function packetBytesOf(layout: Omit<PcmLayout, 'dataStart' | 'dataBytes'>): number {
  const { coding, bits, isFloat, channelCount, sampleRateHz } = layout
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
  // The length -1 means up to the end.
  header.writeBigInt64BE(-1n, 56)
  return header
}
