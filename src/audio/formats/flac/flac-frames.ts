/** The headers of FLAC's frames. @see RFC 9639 section 9.1 */

/** The header of a frame. */
export interface FlacFrame {
  readonly offset: number
  /** Samples of each channel. */
  readonly blockSize: number
  readonly channelCount: number
  /** Null where STREAMINFO says it. */
  readonly sampleRateHz: number | null
  /** Of the frame where all blocks are of one size, else of its first sample. */
  readonly number: number
  readonly isVariable: boolean
  readonly headerBytes: number
  /** Whether the rate or the size of samples is left to STREAMINFO. */
  readonly isImplicit: boolean
}

const codedRates = [
  null,
  88_200,
  176_400,
  192_000,
  8_000,
  16_000,
  22_050,
  24_000,
  32_000,
  44_100,
  48_000,
  96_000,
] as const

/** @returns null for bytes that are no frame header */
export function readFrameHeader(bytes: Uint8Array, offset: number): FlacFrame | null {
  const at = (index: number): number => bytes[offset + index] ?? 0
  if (at(0) !== 0xff || (at(1) & 0xfe) !== 0xf8 || (at(3) & 1) !== 0) return null
  const [sizeCode, rateCode, channelCode] = [at(2) >> 4, at(2) & 15, at(3) >> 4]
  if (sizeCode === 0 || rateCode === 15 || channelCode > 10) return null
  const numberBytes = codedNumberBytes(at(4))
  if (numberBytes === 0) return null
  let end = 4 + numberBytes
  let blockSize = sizeCode === 1 ? 192 : sizeCode <= 5 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8)
  if (sizeCode === 6) blockSize = at(end) + 1
  if (sizeCode === 7) blockSize = (at(end) << 8) + at(end + 1) + 1
  end += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0
  let sampleRateHz = codedRates[rateCode] ?? null
  if (rateCode === 12) sampleRateHz = at(end) * 1000
  if (rateCode > 12) sampleRateHz = ((at(end) << 8) + at(end + 1)) * (rateCode === 13 ? 1 : 10)
  end += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0
  if (offset + end >= bytes.length || crc8(bytes.subarray(offset, offset + end)) !== at(end)) return null
  return {
    offset,
    blockSize,
    channelCount: channelCode < 8 ? channelCode + 1 : 2,
    sampleRateHz,
    number: codedNumber(bytes, offset + 4, numberBytes),
    isVariable: (at(1) & 1) === 1,
    headerBytes: end + 1,
    isImplicit: rateCode === 0 || ((at(3) >> 1) & 7) === 0,
  }
}

/** Numbers are coded as UTF-8 codes characters, in up to seven bytes. @returns 0 where none begins with this byte */
function codedNumberBytes(first: number): number {
  if (first < 0x80) return 1
  const ones = Math.clz32(~(first << 24))
  return ones >= 2 && ones <= 7 ? ones : 0
}

function codedNumber(bytes: Uint8Array, offset: number, count: number): number {
  const first = bytes[offset] ?? 0
  if (count === 1) return first
  let number = first & (0x7f >> count)
  for (let index = 1; index < count; index += 1) number = number * 64 + ((bytes[offset + index] ?? 0) & 0x3f)
  return number
}

/** CRC-8 with the polynomial x^8 + x^2 + x + 1. */
export function crc8(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum = checksums[sum ^ byte] as number
  return sum
}

const checksums: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x80) === 0 ? sum << 1 : ((sum << 1) ^ 7) & 0xff
  return sum
})

const checksums16: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x8005
  return sum & 0xffff
})

/** CRC-16 with the polynomial x^16 + x^15 + x^2 + 1; over a frame with its own checksum it is 0. */
export function crc16Step(sum: number, byte: number): number {
  return ((sum << 8) & 0xffff) ^ (checksums16[(sum >> 8) ^ byte] as number)
}
