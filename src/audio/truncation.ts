import type { AudioFormat } from './format.ts'
import { audioStart, hasText } from './format.ts'
import { findMp4Damage } from './mp4-boxes.ts'

/**
 * Says whether a file ends before its own structure does. Decoders take what is there and are content, which
 * would turn half an utterance into a wrong transcript. WebM and MP3 without a Xing header promise no length.
 *
 * @returns what is missing, in words, or null
 */
export function findTruncation(format: AudioFormat, bytes: Uint8Array): string | null {
  switch (format) {
    case 'ogg-vorbis':
    case 'ogg-opus':
      return findOggTruncation(bytes)
    case 'mp4':
      return findMp4Damage(bytes)
    case 'mp3':
      return findMp3Truncation(bytes)
    case 'adts':
      return findAdtsTruncation(bytes)
    case 'aiff':
      return findAiffTruncation(bytes)
    default:
      return null
  }
}

/** @see RFC 3533 section 6: 27 bytes of header, a segment table, the segments */
function findOggTruncation(bytes: Uint8Array): string | null {
  let offset = 0
  while (offset < bytes.length) {
    if (!hasText(bytes, offset, 'OggS')) return null
    const segmentCount = bytes[offset + 26] ?? 0
    const table = bytes.subarray(offset + 27, offset + 27 + segmentCount)
    const size = 27 + segmentCount + table.reduce((sum, length) => sum + length, 0)
    if (offset + size > bytes.length) return 'its last Ogg page is incomplete'
    offset += size
  }
  return null
}

/** Bytes of the Xing or Info tag behind the side information, by MPEG 1 or 2 and stereo or mono. */
const xingOffsets = [36, 21, 13] as const

/** @see https://www.codeproject.com/Articles/8295/MPEG-Audio-Frame-Header#XINGHeader */
function findMp3Truncation(bytes: Uint8Array): string | null {
  const start = audioStart(bytes)
  const tag = xingOffsets
    .map((offset) => start + offset)
    .find((offset) => hasText(bytes, offset, 'Xing') || hasText(bytes, offset, 'Info'))
  if (tag === undefined || tag + 16 > bytes.length) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const hasFrameCount = (view.getUint32(tag + 4) & 1) !== 0
  const hasByteCount = (view.getUint32(tag + 4) & 2) !== 0
  if (!hasByteCount) return null
  const declared = view.getUint32(tag + (hasFrameCount ? 12 : 8))
  const available = bytes.length - start
  return declared > available ? `its header promises ${declared} bytes, ${available} are there` : null
}

/** @see ISO/IEC 13818-7 section 6.2: the frame length is in 13 bits from bit 30 */
function findAdtsTruncation(bytes: Uint8Array): string | null {
  let offset = audioStart(bytes)
  while (offset + 7 <= bytes.length && bytes[offset] === 0xff && ((bytes[offset + 1] ?? 0) & 0xf6) === 0xf0) {
    const at = (index: number): number => bytes[offset + index] ?? 0
    const size = ((at(3) & 0x03) << 11) | (at(4) << 3) | (at(5) >> 5)
    if (size < 7) return null
    if (offset + size > bytes.length) return 'its last AAC frame is incomplete'
    offset += size
  }
  return null
}

function findAiffTruncation(bytes: Uint8Array): string | null {
  const declared = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4) + 8
  return declared > bytes.length ? `its header promises ${declared} bytes, ${bytes.length} are there` : null
}
