import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import type { AudioFailure } from './decoding.ts'
import { hasText, isPlausibleRate } from './format.ts'

/** Where the parts of a WAV file are, checked against each other. */
export interface WavLayout {
  readonly sampleRateHz: number
  readonly channelCount: number
  readonly frameCount: number
  readonly codec: string
  /** A minimal header for the same samples: `RIFF`, `fmt `, `data`. */
  readonly header: Uint8Array
  /** Where the samples lie in the file: whole blocks only. */
  readonly dataStart: number
  readonly dataBytes: number
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
const mostChannels = 64

/** Writers that cannot seek back leave a length of 0, 2 GiB (sox) or 4 GiB (ffmpeg) and write on to the end. */
const placeholderFrom = 0x7fff_f000

interface Chunk {
  readonly start: number
  readonly declaredSize: number
}

/**
 * Finds format and samples of a WAV file: chunks in any order, odd sizes padded, RF64, streamed headers.
 * The decoder gets a minimal header made from this, because it does not know padding, RF64 or truncation,
 * and trusts counts that it should not.
 *
 * @param bytes the file, or as much of its beginning as holds the header
 * @param fileBytes length of the file
 * @see Multimedia Programming Interface and Data Specifications 1.0 (1991); EBU Tech 3306 for RF64
 */
export function readWavLayout(
  bytes: Uint8Array,
  fileBytes: number = bytes.length,
): Outcome<WavLayout, AudioFailure> {
  if (hasText(bytes, 0, 'RIFX'))
    return failed({ reason: 'this is a big-endian WAV file (RIFX), which is not supported' })
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { format, data } = findChunks(bytes, view)
  if (format === null) return failed({ reason: 'this WAV file has no format chunk' })
  if (data === null) return failed({ reason: 'this WAV file has no data chunk: it is cut short or empty' })
  const available = fileBytes - data.start
  if (data.declaredSize > available && data.declaredSize < placeholderFrom) {
    return failed({
      reason: `this WAV file is cut short: its header promises ${data.declaredSize} bytes of samples, ${available} are there`,
    })
  }
  return describeFormat(bytes.subarray(format.start, format.start + format.declaredSize), {
    start: data.start,
    size: Math.min(data.declaredSize, available),
  })
}

function findChunks(bytes: Uint8Array, view: DataView): { format: Chunk | null; data: Chunk | null } {
  let format: Chunk | null = null
  let longDataSize: number | null = null
  let offset = 12
  while (offset + 8 <= bytes.length) {
    const size = view.getUint32(offset + 4, true)
    const start = offset + 8
    if (hasText(bytes, offset, 'ds64') && start + 16 <= bytes.length) {
      longDataSize = Number(view.getBigUint64(start + 8, true))
    } else if (hasText(bytes, offset, 'fmt ') && start + Math.max(size, 16) <= bytes.length) {
      format = { start, declaredSize: size }
    } else if (hasText(bytes, offset, 'data')) {
      return { format, data: { start, declaredSize: declaredDataSize(view, size, start, longDataSize) } }
    }
    offset = start + size + (size % 2)
  }
  return { format, data: null }
}

function declaredDataSize(view: DataView, size: number, start: number, longDataSize: number | null): number {
  if (longDataSize !== null && size === 0xffff_ffff) return longDataSize
  const riffSize = view.getUint32(4, true)
  // Zero is a length where the outer length agrees, and a placeholder where that one is missing as well.
  const isOpenEnded = size === 0 && (riffSize === 0 || riffSize >= placeholderFrom || riffSize < start - 8)
  return isOpenEnded ? placeholderFrom : size
}

function describeFormat(
  format: Uint8Array,
  data: { readonly start: number; readonly size: number },
): Outcome<WavLayout, AudioFailure> {
  if (format.length < 16) return failed({ reason: 'the format chunk of this WAV file is too short' })
  const view = new DataView(format.buffer, format.byteOffset, format.byteLength)
  const declaredTag = view.getUint16(0, true)
  const tag = declaredTag === extensibleTag && format.length >= 26 ? view.getUint16(24, true) : declaredTag
  const name = codecNames[tag]
  if (name === undefined)
    return failed({ reason: `this WAV file holds codec 0x${tag.toString(16)}, which is not supported` })
  const channelCount = view.getUint16(2, true)
  const sampleRateHz = view.getUint32(4, true)
  const blockBytes = view.getUint16(12, true)
  if (
    channelCount < 1 ||
    channelCount > mostChannels ||
    !isPlausibleRate(sampleRateHz) ||
    blockBytes < channelCount
  ) {
    return failed({
      reason: `the header of this WAV file is damaged: ${channelCount} channels, ${sampleRateHz} Hz, blocks of ${blockBytes} bytes`,
    })
  }
  const isAdpcm = tag === 2 || tag === 17
  const layout = isAdpcm
    ? adpcmLayout(tag, format, { channelCount, blockBytes })
    : pcmLayout(tag, { channelCount, blockBytes, bits: view.getUint16(14, true) })
  if (!layout.ok) return layout
  const { framesPerBlock, bits } = layout.value
  const blockCount = Math.floor(data.size / blockBytes)
  return succeeded({
    sampleRateHz,
    channelCount,
    frameCount: blockCount * framesPerBlock,
    codec: isAdpcm ? name : `${name}, ${bits} bit`,
    header: minimalHeader(format, { tag, bits, dataSize: blockCount * blockBytes }),
    dataStart: data.start,
    dataBytes: blockCount * blockBytes,
  })
}

interface BlockLayout {
  readonly framesPerBlock: number
  readonly bits: number
}

interface DeclaredBlocks {
  readonly channelCount: number
  readonly blockBytes: number
}

/** A sample of 20 bits lies at the top of three bytes, so the bytes decide and not the declared bits. */
function pcmLayout(
  tag: number,
  { channelCount, blockBytes, bits }: DeclaredBlocks & { readonly bits: number },
): Outcome<BlockLayout, AudioFailure> {
  const bytesPerSample = blockBytes / channelCount
  const allowed = tag === 1 ? [1, 2, 3, 4] : tag === 3 ? [4, 8] : [1]
  if (!allowed.includes(bytesPerSample) || bits > bytesPerSample * 8) {
    return failed({
      reason: `the header of this WAV file is damaged: ${bits} bits for each of ${channelCount} channels in ${blockBytes} bytes`,
    })
  }
  return succeeded({ framesPerBlock: 1, bits: bytesPerSample * 8 })
}

function adpcmLayout(
  tag: number,
  format: Uint8Array,
  { channelCount, blockBytes }: DeclaredBlocks,
): Outcome<BlockLayout, AudioFailure> {
  const view = new DataView(format.buffer, format.byteOffset, format.byteLength)
  const declared = format.length >= 20 ? view.getUint16(18, true) : 0
  const [headerBytes, framesInHeader] = tag === 2 ? [7, 2] : [4, 1]
  const mostFrames = framesInHeader + Math.floor((blockBytes / channelCount - headerBytes) * 2)
  const framesPerBlock = declared === 0 ? mostFrames : declared
  const hasCoefficients =
    tag !== 2 || (format.length >= 22 && format.length >= 22 + 4 * view.getUint16(20, true))
  if (
    framesPerBlock < framesInHeader ||
    framesPerBlock > mostFrames ||
    !hasCoefficients ||
    channelCount > 2
  ) {
    return failed({ reason: 'the ADPCM header of this WAV file is damaged' })
  }
  return succeeded({ framesPerBlock, bits: 4 })
}

function minimalHeader(
  format: Uint8Array,
  { tag, bits, dataSize }: { readonly tag: number; readonly bits: number; readonly dataSize: number },
): Uint8Array {
  // ADPCM keeps its extension (block length, coefficients); everything else is said in the first 16 bytes.
  const kept = bits === 4 ? format : format.subarray(0, 16)
  const header = new Uint8Array(12 + 8 + kept.length + 8)
  const view = new DataView(header.buffer)
  writeText(header, 0, 'RIFF')
  view.setUint32(4, Math.min(header.length - 8 + dataSize, 0xffff_ffff), true)
  writeText(header, 8, 'WAVEfmt ')
  view.setUint32(16, kept.length, true)
  header.set(kept, 20)
  view.setUint16(20, tag, true)
  view.setUint16(34, bits, true)
  writeText(header, 20 + kept.length, 'data')
  view.setUint32(24 + kept.length, Math.min(dataSize, 0xffff_ffff), true)
  return header
}

export function writeText(bytes: Uint8Array, offset: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) bytes[offset + index] = text.charCodeAt(index)
}
