import {
  type AudioStructure,
  cutShort,
  damaged,
  exactly,
  hasBytes,
  hasText,
  isPlausibleRate,
  maxPcmChannels,
  slices,
  textAt,
  UnusableAudio,
  unreadable,
  viewOf,
} from '../structure.ts'
import data from './wav-codecs.json' with { type: 'json' }

/** Layout of a WAV file, whose parts were checked against each other. */
export interface WavLayout {
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly frameCount: number
  readonly codec: string
  /** Minimal header for the same samples: `RIFF`, `fmt `, `data`. */
  readonly header: Uint8Array
  /** Offset of the samples in the file; they are whole blocks. */
  readonly dataStart: number
  readonly dataBytes: number
  readonly blockBytes: number
}

const codecNames: Readonly<Record<number, string>> = {
  1: 'PCM',
  2: 'MS ADPCM',
  3: 'float PCM',
  6: 'A-law',
  7: 'mu-law',
  17: 'IMA ADPCM',
}
const extensibleTag = 0xfffe
/** End of the GUID of an extensible format, after its two-byte tag: of plain sound, and of Ambisonics. */
const tagTails: readonly string[] = ['000000001000800000aa00389b71', '00002107d3118644c8c1ca000000']

/** Reads WAV, RF64, BW64 and Sony Wave64. */
export function readWav(bytes: Uint8Array): AudioStructure {
  const layout = readWavLayout(bytes, bytes.length)
  checkAdpcmHeads(bytes, layout)
  const { codec, frameCount, sampleRateHz, header, dataStart, dataBytes, blockBytes } = layout
  return {
    codec,
    seconds: exactly(frameCount / sampleRateHz),
    *steps() {
      yield header
      yield* slices(bytes.subarray(dataStart, dataStart + dataBytes), blockBytes)
    },
  }
}

/**
 * Finds format and samples of a WAV file: chunks in any order, odd sizes padded, RF64, streamed headers. The decoder
 * gets a minimal header made of them, because it does not support padding, RF64 or truncation, and trusts wrong
 * counts.
 *
 * @param bytes the file, or a beginning of it that contains the header
 * @param fileBytes length of the file
 * @see Multimedia Programming Interface and Data Specifications 1.0 (1991); EBU Tech 3306 for RF64
 */
export function readWavLayout(bytes: Uint8Array, fileBytes: number): WavLayout {
  if (hasText(bytes, 0, 'RIFX')) unreadable('it is big-endian (RIFX)')
  const isWave64 = !hasText(bytes, 8, 'WAVE')
  const { format, factCount, data } = isWave64 ? findWave64Chunks(bytes) : findWavChunks(bytes)
  if (format === null) damaged('it has no format chunk')
  if (data === null) damaged('it has no data chunk')
  const available = fileBytes - data.start
  const size = data.declaredSize ?? available
  if (size > available) cutShort(`its header promises ${size} bytes of samples, ${available} are there`)
  if (!isWave64 && bytes.length === fileBytes) checkRest(bytes, data.start + size, size)
  const declared = bytes.subarray(format.start, format.start + format.declaredSize)
  return describeFormat(withoutExtension(declared), { start: data.start, size, factCount })
}

/** Rejects a moved or changed ADPCM block: the table index at its start, for each channel, is then invalid. */
function checkAdpcmHeads(bytes: Uint8Array, layout: WavLayout): void {
  const { codec, channelCount, dataStart, dataBytes, blockBytes, header } = layout
  if (codec !== codecNames[2] && codec !== codecNames[17]) return
  const isIma = codec === codecNames[17]
  const tableLength = isIma ? 89 : viewOf(header).getUint16(20 + 20, true)
  const view = viewOf(bytes)
  for (let block = dataStart; block < dataStart + dataBytes; block += blockBytes) {
    for (let channel = 0; channel < channelCount; channel += 1) {
      // A zero byte follows the index of IMA, which is unlikely in noise.
      const index = isIma ? view.getUint16(block + 4 * channel + 2, true) : view.getUint8(block + channel)
      if (index >= tableLength) damaged(`its block at byte ${block} begins with no head`)
    }
  }
}

/** Makes the first bytes of a file declare sound up to its end, whatever their header says. */
export function openEnded(head: Uint8Array, fileBytes: number): Uint8Array {
  const copy = Buffer.from(head)
  copy.writeUInt32LE(0xffff_ffff, readWavLayout(head, fileBytes).dataStart - 4)
  return copy
}

/** Removes the 22 bytes of the extensible format, after which the codec's own fields come. */
function withoutExtension(format: Uint8Array): Uint8Array {
  const isLonger = format.length > 40 && viewOf(format).getUint16(0, true) === extensibleTag
  if (!isLonger) return format
  const plain = Buffer.concat([format.subarray(0, 18), format.subarray(40)])
  plain.set(format.subarray(24, 26))
  return plain
}

function describeFormat(
  format: Uint8Array,
  data: { readonly start: number; readonly size: number; readonly factCount: number | null },
): WavLayout {
  if (format.length < 16) damaged('its format chunk is too short')
  const view = viewOf(format)
  const declaredTag = view.getUint16(0, true)
  const tag = declaredTag === extensibleTag && format.length >= 26 ? view.getUint16(24, true) : declaredTag
  checkExtension(format, declaredTag)
  const name = codecNames[tag]
  if (name === undefined) refuseCodec(tag)
  const channelCount = view.getUint16(2, true)
  const sampleRateHz = view.getUint32(4, true)
  const blockBytes = view.getUint16(12, true)
  if (
    channelCount < 1 ||
    channelCount > maxPcmChannels ||
    !isPlausibleRate(sampleRateHz) ||
    blockBytes < channelCount
  ) {
    damaged(`${channelCount} channels, ${sampleRateHz} Hz, blocks of ${blockBytes} bytes`)
  }
  const isAdpcm = tag === 2 || tag === 17
  const declared = { channelCount, blockBytes, bits: view.getUint16(14, true) }
  const layout = isAdpcm ? adpcmLayout(tag, format, declared) : pcmLayout(tag, declared)
  const blockCount = Math.floor(data.size / blockBytes)
  const frameCount = blockCount * layout.framesPerBlock
  if (isAdpcm) checkFact(data.factCount, frameCount, { channelCount, ...layout })
  const dataBytes = blockCount * blockBytes
  const header = minimalHeader(format, { tag, ...layout, dataBytes })
  const codec = isAdpcm ? name : `${name}, ${layout.bits} bit`
  return {
    sampleRateHz,
    channelCount,
    frameCount,
    codec,
    header,
    dataStart: data.start,
    dataBytes,
    blockBytes,
  }
}

function checkExtension(format: Uint8Array, tag: number): void {
  if (tag !== extensibleTag || format.length < 40) return
  const view = viewOf(format)
  const bits = (view.getUint16(12, true) / view.getUint16(2, true)) * 8
  if (view.getUint16(18, true) > bits)
    damaged(`${view.getUint16(18, true)} of the ${bits} bits of a sample are valid`)
  const tail = Buffer.from(format.subarray(26, 40)).toString('hex')
  if (!tagTails.includes(tail)) unreadable('its codec is one of a GUID that is not known')
}

function refuseCodec(tag: number): never {
  const { name, isConvertible } = foreignWavCodec(tag)
  if (isConvertible) unreadable(`its codec is ${name}`)
  throw new UnusableAudio(
    `cannot be read: its codec is ${name}, which ffmpeg does not find in a WAV file either; convert it with the program that wrote it`,
  )
}

function checkFact(
  factCount: number | null,
  frameCount: number,
  { channelCount, framesPerBlock }: BlockLayout & Pick<DeclaredBlocks, 'channelCount'>,
): void {
  if (factCount === null || factCount === 0 || factCount >= placeholderFrom) return
  // libsndfile writes half the count into a stereo file of IMA ADPCM.
  const isRight = [factCount, factCount * channelCount].some(
    (count) => count <= frameCount && count > frameCount - 2 * framesPerBlock,
  )
  if (isRight) return
  damaged(`its header promises ${factCount} samples, its blocks hold ${frameCount}`)
}

interface BlockLayout {
  readonly framesPerBlock: number
  readonly bits: number
}

interface DeclaredBlocks {
  readonly channelCount: number
  readonly blockBytes: number
  readonly bits: number
}

/** The bytes decide, not the declared bits, because a sample of 20 bits is in the upper bits of three bytes. */
function pcmLayout(tag: number, { channelCount, blockBytes, bits }: DeclaredBlocks): BlockLayout {
  const bytesPerSample = blockBytes / channelCount
  if (tag === 1 && bits === 64 && bytesPerSample === 8) unreadable('its samples are integers of 64 bits')
  const allowed = tag === 1 ? [1, 2, 3, 4] : tag === 3 ? [4, 8] : [1]
  // The upper byte of a sample is always used.
  const minBits = Math.max(1, (bytesPerSample - 1) * 8 + 1)
  const isWholeFloat = tag !== 3 || bits === bytesPerSample * 8
  if (!allowed.includes(bytesPerSample) || bits > bytesPerSample * 8 || bits < minBits || !isWholeFloat) {
    damaged(`${bits} bits for each of ${channelCount} channels in ${blockBytes} bytes`)
  }
  return { framesPerBlock: 1, bits: bytesPerSample * 8 }
}

/** Bytes per channel at the start of a block, and the number of samples in them. */
const adpcmHeads: Readonly<Record<number, readonly [number, number]>> = { 2: [7, 2], 17: [4, 1] }

/** @see Microsoft Multimedia Standards Update (1994), on IMA ADPCM and MS ADPCM */
function adpcmLayout(
  tag: number,
  format: Uint8Array,
  { channelCount, blockBytes, bits }: DeclaredBlocks,
): BlockLayout {
  const view = viewOf(format)
  const [headBytes, headFrames] = adpcmHeads[tag] ?? [0, 0]
  // Every byte after the block's header has two samples.
  const framesPerBlock = headFrames + ((blockBytes - headBytes * channelCount) * 2) / channelCount
  const declared = format.length >= 20 ? view.getUint16(18, true) : framesPerBlock
  const coefficients = format.length >= 22 ? view.getUint16(20, true) : 0
  const hasCoefficients = tag !== 2 || (coefficients > 0 && format.length >= 22 + 4 * coefficients)
  if (
    declared !== framesPerBlock ||
    !Number.isInteger(framesPerBlock) ||
    framesPerBlock <= headFrames ||
    !hasCoefficients ||
    channelCount > 2 ||
    bits !== 4
  ) {
    damaged(
      `${declared} samples of ${bits} bits for each of ${channelCount} channels in blocks of ${blockBytes} bytes`,
    )
  }
  return { framesPerBlock, bits: 4 }
}

/** Writes a header with every field that the decoder reads, including those that the file omits. */
function minimalHeader(
  format: Uint8Array,
  layout: BlockLayout & { readonly tag: number; readonly dataBytes: number },
): Uint8Array {
  const { tag, bits, framesPerBlock, dataBytes } = layout
  const formatChunk = formatFor(format, tag, framesPerBlock)
  const header = new Uint8Array(12 + 8 + formatChunk.length + 8)
  const view = viewOf(header)
  writeText(header, 0, 'RIFF')
  view.setUint32(4, Math.min(header.length - 8 + dataBytes, 0xffff_ffff), true)
  writeText(header, 8, 'WAVEfmt ')
  view.setUint32(16, formatChunk.length, true)
  header.set(formatChunk, 20)
  view.setUint16(20, tag, true)
  view.setUint16(34, bits, true)
  writeText(header, 20 + formatChunk.length, 'data')
  view.setUint32(24 + formatChunk.length, Math.min(dataBytes, 0xffff_ffff), true)
  return header
}

/** Returns the format chunk: 16 bytes for PCM, plus block length for IMA ADPCM, or coefficients for MS ADPCM. */
function formatFor(format: Uint8Array, tag: number, framesPerBlock: number): Uint8Array {
  if (tag === 2) return format.subarray(0, 22 + 4 * viewOf(format).getUint16(20, true))
  if (tag !== 17) return format.subarray(0, 16)
  const chunk = new Uint8Array(20)
  chunk.set(format.subarray(0, 16))
  viewOf(chunk).setUint16(16, 2, true)
  viewOf(chunk).setUint16(18, framesPerBlock, true)
  return chunk
}

export function writeText(bytes: Uint8Array, offset: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) bytes[offset + index] = text.charCodeAt(index)
}

interface Chunk {
  readonly start: number
  readonly declaredSize: number
}

/** The relevant chunks of a WAV file, as far as the available bytes contain them. */
interface WavChunks {
  readonly format: Chunk | null
  /** Number of samples per channel in the `fact` chunk; null where there is none. */
  readonly factCount: number | null
  readonly data: {
    readonly start: number
    /** Null where the writer did not know it, so that the samples extend to the end. */
    readonly declaredSize: number | null
  } | null
}

/** Min length that is a placeholder. Writers that cannot seek back leave 0, 2 GiB (sox) or 4 GiB (ffmpeg). */
const placeholderFrom = 0x7fff_f000

/** Max bytes after the samples that are no chunk, because some writers append a tag. */
const maxLooseBytes = 4_096
const maxLooseShare = 0.05

/** Finds chunks in any order, odd sizes padded, RF64, streamed headers. @see EBU Tech 3306 for RF64 */
function findWavChunks(bytes: Uint8Array): WavChunks {
  const view = viewOf(bytes)
  let format: Chunk | null = null
  let factCount: number | null = null
  let longDataSize: number | null = null
  let offset = 12
  while (offset + 8 <= bytes.length) {
    const size = view.getUint32(offset + 4, true)
    const start = offset + 8
    if (hasText(bytes, offset, 'ds64') && start + 16 <= bytes.length) {
      longDataSize = Number(view.getBigUint64(start + 8, true))
    } else if (hasText(bytes, offset, 'fmt ') && start + Math.max(size, 16) <= bytes.length) {
      format = { start, declaredSize: size }
    } else if (hasText(bytes, offset, 'fact') && size >= 4 && start + 4 <= bytes.length) {
      factCount = view.getUint32(start, true)
    } else if (hasText(bytes, offset, 'data')) {
      const declaredSize = declaredDataSize(view, size, start, longDataSize)
      return { format, factCount, data: { start, declaredSize } }
    }
    offset = start + size + (size % 2)
  }
  return { format, factCount, data: null }
}

function declaredDataSize(
  view: DataView,
  size: number,
  start: number,
  longDataSize: number | null,
): number | null {
  if (longDataSize !== null && size === 0xffff_ffff) return longDataSize
  const riffSize = view.getUint32(4, true)
  // 0 is a length if the RIFF length agrees, and a placeholder if that one is missing as well.
  const isOpenEnded = size === 0 && (riffSize === 0 || riffSize >= placeholderFrom || riffSize < start - 8)
  return isOpenEnded || size >= placeholderFrom ? null : size
}

/** Rejects a wrong length of the samples: only other chunks, or nothing, may follow them. */
function checkRest(bytes: Uint8Array, dataEnd: number, dataBytes: number): void {
  const view = viewOf(bytes)
  let offset = dataEnd + (dataEnd % 2)
  while (offset + 8 <= bytes.length && /^[ -~]{4}$/.test(textAt(bytes, offset, 4))) {
    const size = view.getUint32(offset + 4, true)
    if (offset + 8 + size > bytes.length) break
    offset += 8 + size + (size % 2)
  }
  const looseBytes = bytes.length - offset
  if (looseBytes <= maxLooseBytes || looseBytes <= dataBytes * maxLooseShare) return
  damaged(
    `its header promises ${dataBytes} bytes of samples, and ${looseBytes} bytes behind them are no chunk`,
  )
}

/** End of the chunk names of Sony Wave64; their first four bytes are WAV's. */
const guidTail = [0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a] as const
const riffTail = [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0x00, 0x00] as const

const letters = (text: string): readonly number[] => Array.from(text, (letter) => letter.charCodeAt(0))

const wave64HeadBytes = 24

export function isWave64(bytes: Uint8Array): boolean {
  return (
    hasBytes(bytes, 0, [...letters('riff'), ...riffTail]) &&
    hasBytes(bytes, 24, [...letters('wave'), ...guidTail])
  )
}

/**
 * Finds the chunks of a Wave64 file. They are WAV's, with names of 16 bytes, sizes of 8 bytes that include the
 * chunk's header, and ends at multiples of 8.
 *
 * @see Sony Pictures Digital, Wave64 File Format (2003)
 */
function findWave64Chunks(bytes: Uint8Array): WavChunks {
  const view = viewOf(bytes)
  let format: WavChunks['format'] = null
  let factCount: number | null = null
  for (let offset = 40; offset + wave64HeadBytes <= bytes.length; ) {
    const size = Number(view.getBigUint64(offset + 16, true))
    if (size < wave64HeadBytes) break
    const [start, declaredSize] = [offset + wave64HeadBytes, size - wave64HeadBytes]
    const is = (text: string): boolean => hasBytes(bytes, offset, [...letters(text), ...guidTail])
    if (is('fmt ') && start + Math.max(declaredSize, 16) <= bytes.length) format = { start, declaredSize }
    if (is('fact') && start + 4 <= bytes.length) factCount = view.getUint32(start, true)
    if (is('data')) return { format, factCount, data: { start, declaredSize } }
    offset += Math.ceil(size / 8) * 8
  }
  return { format, factCount, data: null }
}

/**
 * Names, by format tag, of the WAV codecs that are not supported here and that ffmpeg can convert. Each has the tags
 * by which ffmpeg finds it in a WAV file.
 *
 * @see RFC 2361, and mmreg.h of the Windows SDK for what was registered after it
 */
const convertible = namesByTag(data.convertible)

/** Codecs, or tags of those above, that only the program that wrote them can read. */
const unknownToOthers = namesByTag(data.unknownToOthers)

function namesByTag(codecs: Readonly<Record<string, readonly string[]>>): ReadonlyMap<number, string> {
  return new Map(
    Object.entries(codecs).flatMap(([name, tags]) => tags.map((tag) => [Number(tag), name] as const)),
  )
}

/**
 * @returns the usual name, or the number of an unknown tag; and whether ffmpeg finds it by its tag, as it may for
 *   newer tags
 */
export function foreignWavCodec(tag: number) {
  const name = convertible.get(tag)
  if (name !== undefined) return { name, isConvertible: true }
  const unknown = unknownToOthers.get(tag)
  return { name: unknown ?? `unknown (0x${tag.toString(16)})`, isConvertible: unknown === undefined }
}

/** All tags that have a name here. */
export const foreignWavTags: readonly number[] = [...convertible.keys(), ...unknownToOthers.keys()]
