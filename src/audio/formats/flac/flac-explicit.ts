import { damaged, unreadable } from '../../damage.ts'
import { crc8, readFrameHeader } from './flac-frames.ts'

/** How a frame's header says a sample rate: a code, and for some a number behind it. */
interface CodedRate {
  readonly code: number
  readonly extra: readonly number[]
}

/** Codes of the sizes of samples, in bits. */
const sampleSizes: Readonly<Record<number, number>> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7 }

/**
 * Writes into a frame what it leaves to the header of the file: its sample rate, and the size of its samples. The
 * decoder sees frames alone.
 *
 * @param frame a whole frame, up to the next one
 * @see RFC 9639 sections 9.1.2, 9.1.4 and 9.3
 */
export function explicitFrame(
  frame: Uint8Array,
  { sampleRateHz, sampleBits }: { readonly sampleRateHz: number; readonly sampleBits: number },
): Uint8Array {
  const header = readFrameHeader(frame, 0)
  if (header === null || crc16(frame) !== 0) damaged(`its frame ${header?.number ?? ''} has a wrong checksum`)
  const [third = 0, fourth = 0] = frame.subarray(2, 4)
  const rate = (third & 15) === 0 ? codedRate(sampleRateHz) : { code: third & 15, extra: [] }
  const sizeCode = ((fourth >> 1) & 7) === 0 ? sampleSizes[sampleBits] : (fourth >> 1) & 7
  if (sizeCode === undefined) unreadable(`its samples are of ${sampleBits} bits`)
  const head = Buffer.from([
    ...frame.subarray(0, 2),
    (third & 0xf0) | rate.code,
    (fourth & 0xf0) | (sizeCode << 1),
    ...frame.subarray(4, header.headerBytes - 1),
    ...rate.extra,
  ])
  const body = Buffer.concat([head, Buffer.from([crc8(head)]), frame.subarray(header.headerBytes, -2)])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16BE(crc16(body))
  return Buffer.concat([body, checksum])
}

function codedRate(sampleRateHz: number): CodedRate {
  if (sampleRateHz % 1_000 === 0 && sampleRateHz <= 255_000)
    return { code: 12, extra: [sampleRateHz / 1_000] }
  if (sampleRateHz <= 0xffff) return { code: 13, extra: [sampleRateHz >> 8, sampleRateHz & 0xff] }
  const tens = sampleRateHz / 10
  if (!Number.isInteger(tens)) unreadable(`its sample rate is ${sampleRateHz} Hz`)
  return { code: 14, extra: [tens >> 8, tens & 0xff] }
}

const table: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x8005
  return sum & 0xffff
})

/** CRC-16 with the polynomial x^16 + x^15 + x^2 + 1; over a frame with its own checksum it is 0. */
function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum = ((sum << 8) & 0xffff) ^ (table[(sum >> 8) ^ byte] as number)
  return sum
}
