import { damaged, hasText, viewOf } from '../structure.ts'

/** A page with a valid structure and checksum. */
export interface OggPage {
  readonly offset: number
  readonly end: number
  /** Identifies the stream within the file. */
  readonly serial: number
  readonly sequence: number
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The codec's count at the end of the last packet that ends in this page; -1 where none does. */
  readonly granule: number
  readonly packets: readonly OggPacketPart[]
}

/** A packet, or its part in this page. */
interface OggPacketPart {
  readonly bytes: Uint8Array
  /** Whether it begins in this page, not in the one before. */
  readonly begins: boolean
  readonly ends: boolean
}

const headBytes = 27

/**
 * Yields the pages of a file. An incomplete page or a wrong checksum rejects the file.
 *
 * @see RFC 3533 section 6
 */
export function* oggPages(bytes: Uint8Array): Generator<OggPage> {
  let offset = 0
  let index = 0
  while (offset < bytes.length) {
    if (!hasText(bytes, offset, 'OggS')) damaged(`at byte ${offset} no Ogg page begins`)
    const segments = bytes.subarray(offset + headBytes, offset + headBytes + (bytes[offset + 26] ?? 0))
    const bodyStart = offset + headBytes + (bytes[offset + 26] ?? 0)
    const end = bodyStart + segments.reduce((sum, length) => sum + length, 0)
    if (offset + headBytes > bytes.length || end > bytes.length) damaged('its last Ogg page is incomplete')
    index += 1
    if (pageChecksum(bytes, offset, end) !== viewOf(bytes).getUint32(offset + 22, true)) {
      damaged(`the checksum of its Ogg page ${index} is wrong`)
    }
    yield readPage(bytes, offset, bodyStart, end)
    offset = end
  }
}

function readPage(bytes: Uint8Array, offset: number, bodyStart: number, end: number): OggPage {
  const view = viewOf(bytes)
  const flags = view.getUint8(offset + 5)
  return {
    offset,
    end,
    serial: view.getUint32(offset + 14, true),
    sequence: view.getUint32(offset + 18, true),
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    granule: Number(view.getBigInt64(offset + 6, true)),
    packets: packetParts(bytes, offset, bodyStart, (flags & 1) !== 0),
  }
}

/** Joins segments into packets; a segment of 255 bytes continues in the next one. */
function packetParts(
  bytes: Uint8Array,
  offset: number,
  bodyStart: number,
  isContinued: boolean,
): OggPacketPart[] {
  const parts: OggPacketPart[] = []
  let [start, at, begins] = [bodyStart, bodyStart, !isContinued]
  for (const length of bytes.subarray(offset + headBytes, bodyStart)) {
    at += length
    if (length === 255) continue
    parts.push({ bytes: bytes.subarray(start, at), begins, ends: true })
    start = at
    begins = true
  }
  if (at > start) parts.push({ bytes: bytes.subarray(start, at), begins, ends: false })
  return parts
}

/** Computes a CRC-32 with the polynomial 0x04c11db7, over the page with zeros in place of its checksum. */
function pageChecksum(bytes: Uint8Array, offset: number, end: number): number {
  let sum = 0
  for (let index = offset; index < offset + 22; index += 1) sum = step(sum, bytes[index] as number)
  for (let index = 0; index < 4; index += 1) sum = step(sum, 0)
  for (let index = offset + 26; index < end; index += 1) {
    sum = ((sum << 8) ^ (table[((sum >>> 24) ^ (bytes[index] as number)) & 0xff] as number)) | 0
  }
  return sum >>> 0
}

function step(sum: number, byte: number): number {
  return ((sum << 8) ^ (table[((sum >>> 24) ^ byte) & 0xff] as number)) | 0
}

const table: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1
  return sum
})

/**
 * Returns the samples per channel that a packet yields after its predecessors; NaN where that is unknown.
 *
 * @param isWhole false for the first part of a packet that continues in the next page
 */
export type PacketLength = (packet: Uint8Array, isWhole: boolean) => number

/** Compares the counts of a stream's pages with the lengths of its packets. */
export interface PageCounts {
  add(page: OggPage): void
  /** Returns the number of decoded samples, including those before the start; null where only decoding shows it. */
  exact(): number | null
}

/**
 * The last page's count is exact on two conditions. Every earlier page counts exactly the samples of the packets so
 * far. The last page is marked as the end, and counts no more than its packets have; the rest is cut away.
 *
 *   packets   960 960 960 | 960 960 960 | 960 960
 *   counts           2880 |        5760 |    7000, the end: 7000 samples
 *
 * Streams that were cut, joined or not finished differ, and decoders disagree about them.
 *
 * @see RFC 7845 section 4, and appendix A.2 of the Vorbis I specification
 */
export function comparePageCounts(lengthOf: PacketLength): PageCounts {
  let [samples, pending, counted] = [0, 0, 0]
  let [isExact, isEnded] = [true, false]
  return {
    add({ packets, granule, isLast }) {
      isExact &&= !isEnded
      for (const { bytes, begins, ends } of packets) {
        if (begins) pending = lengthOf(bytes, ends)
        if (ends) samples += pending
      }
      if (granule >= 0) {
        isExact &&= isLast ? counted <= granule && granule <= samples : granule === samples
        counted = granule
      }
      isEnded = isLast && granule >= 0
    },
    exact: () => (isExact && isEnded ? counted : null),
  }
}
