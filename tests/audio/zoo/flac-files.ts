import { big, bits, join, type Piece, samplesBig } from './bytes.ts'
import { rateHz } from './pcm-files.ts'

/** A frame: of real samples in one channel, or of the same value in any number of them. */
interface Frame {
  readonly samples?: Int16Array
  /** Of a frame of silence. */
  readonly size?: number
  readonly channels?: number
  /** Of the frame. Default: its place. */
  readonly number?: number
  /** 0: as the header of the file says. Default: 5, 16 kHz. */
  readonly rateCode?: number
}

/** A frame as RFC 9639 has it: header with CRC-8, a subframe for each channel, CRC-16. */
export function flacFrame({
  samples,
  size = samples?.length ?? 0,
  channels = 1,
  number = 0,
  rateCode = 5,
}: Frame): Buffer {
  const head = join(
    bits([0b11111111111110, 14], [0, 2], [7, 4], [rateCode, 4], [channels - 1, 4], [4, 3], [0, 1]),
    codedNumber(number),
    big(2, size - 1),
  )
  const subframe =
    samples === undefined ? bits([0, 8], [0, 16]) : join(bits([0b00000010, 8]), samplesBig(samples))
  const body = join(
    head,
    big(1, crc8(head)),
    Array.from({ length: channels }, () => subframe),
  )
  return join(body, big(2, crc16(body)))
}

interface FlacFields {
  /** What STREAMINFO says. Default: what the frames come to. */
  readonly total?: number
  readonly rate?: number
  readonly channels?: number
}

function streamInfo({ total = 0, rate = rateHz, channels = 1 }: FlacFields): Buffer {
  return join(
    big(2, 16, 65_535),
    big(3, 0, 0),
    bits([rate, 20], [channels - 1, 3], [15, 5], [Math.floor(total / 2 ** 32), 4]),
    big(4, total),
    Buffer.alloc(16),
  )
}

/** A file of frames; STREAMINFO is its only metadata. */
export function flac(frames: readonly Frame[], fields: FlacFields = {}): Buffer {
  const counted = frames.reduce((sum, { samples, size }) => sum + (size ?? samples?.length ?? 0), 0)
  const info = streamInfo({ total: counted, channels: frames[0]?.channels ?? 1, ...fields })
  return join(
    'fLaC',
    bits([1, 1], [0, 7]),
    big(3, info.length),
    info,
    frames.map((frame, index) => flacFrame({ number: index, ...frame })),
  )
}

/** Real samples in blocks, as an encoder would part them. */
export function flacBlocks(sound: Int16Array, blockSize = 4_096): Frame[] {
  return Array.from({ length: Math.ceil(sound.length / blockSize) }, (_, index) => ({
    samples: sound.subarray(index * blockSize, (index + 1) * blockSize),
  }))
}

/** FLAC in Ogg: the packets, of which the first is the header. */
export function oggFlacPackets(frames: readonly Frame[], fields: FlacFields = {}): Buffer[] {
  const counted = frames.reduce((sum, { samples, size }) => sum + (size ?? samples?.length ?? 0), 0)
  const info = streamInfo({ total: counted, channels: frames[0]?.channels ?? 1, ...fields })
  const comment = join(bits([1, 1], [4, 7]), big(3, 8), Buffer.alloc(8))
  return [
    join('\u007fFLAC', big(1, 1, 0), big(2, 1), 'fLaC', bits([0, 8]), big(3, info.length), info),
    comment,
    ...frames.map((frame, index) => flacFrame({ number: index, ...frame })),
  ]
}

/** As UTF-8 codes characters, in up to seven bytes. */
function codedNumber(number: number): Piece {
  if (number < 0x80) return big(1, number)
  const bytes: number[] = []
  let rest = number
  let room = 0x3f
  while (rest > room) {
    bytes.unshift(0x80 | (rest % 64))
    rest = Math.floor(rest / 64)
    room >>= 1
  }
  return big(1, (~(room * 2 + 1) & 0xff) | rest, ...bytes)
}

function crc8(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => {
    let next = sum ^ byte
    for (let bit = 0; bit < 8; bit += 1) next = (next & 0x80) === 0 ? next << 1 : ((next << 1) ^ 0x107) & 0xff
    return next
  }, 0)
}

const table16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x8005
  return sum & 0xffff
})

function crc16(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => ((sum << 8) & 0xffff) ^ (table16[(sum >> 8) ^ byte] ?? 0), 0)
}
