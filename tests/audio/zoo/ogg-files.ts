import { bits, join, little, type Piece } from './bytes.ts'

interface PageFields {
  readonly serial?: number
  readonly sequence: number
  readonly granule: number
  readonly isFirst?: boolean
  readonly isLast?: boolean
  /** In place of the right one. */
  readonly checksum?: number
}

/** A page of whole packets, with its checksum. */
export function oggPage(packets: readonly Uint8Array[], fields: PageFields): Buffer {
  const { serial = 7, sequence, granule, isFirst = false, isLast = false } = fields
  const lacing = packets.flatMap(({ length }) => [...Array(Math.floor(length / 255)).fill(255), length % 255])
  const head = (checksum: number): Buffer =>
    join(
      'OggS',
      little(1, 0, (isFirst ? 2 : 0) | (isLast ? 4 : 0)),
      little(8, granule),
      little(4, serial, sequence, checksum),
      little(1, lacing.length, ...lacing),
    )
  const page = join(head(0), ...packets)
  return join(head(fields.checksum ?? crc32(page)), ...packets)
}

interface StreamFields {
  /** Samples that a packet of sound counts. */
  readonly packetSamples: number
  /** Packets that are headers, each on a separate page. */
  readonly headers: number
  readonly perPage?: number
  /** Added to the count of the last page. */
  readonly lastBy?: number
  /** Added to every count of samples. */
  readonly offset?: number
}

/** Packets as an Ogg file. */
export function oggStream(packets: readonly Uint8Array[], fields: StreamFields): Buffer[] {
  const { packetSamples, headers, perPage = 50, lastBy = 0, offset = 0 } = fields
  const pages = packets
    .slice(0, headers)
    .map((packet, sequence) => oggPage([packet], { sequence, granule: 0, isFirst: sequence === 0 }))
  const sound = packets.slice(headers)
  for (let start = 0; start < sound.length; start += perPage) {
    const end = Math.min(sound.length, start + perPage)
    const isLast = end === sound.length
    const granule = end * packetSamples + offset + (isLast ? lastBy : 0)
    pages.push(oggPage(sound.slice(start, end), { sequence: pages.length, granule, isLast }))
  }
  return pages
}

interface OpusFields {
  readonly channels?: number
  readonly family?: number
  readonly streams?: number
}

/** The two headers of Ogg Opus. */
export function opusHeaders({ channels = 1, family = 0, streams = 1 }: OpusFields = {}): Buffer[] {
  const mapping: Piece = family === 0 ? '' : join(little(1, streams, 0), Buffer.alloc(channels, 255))
  return [
    join(
      'OpusHead',
      little(1, 1, channels),
      little(2, 0),
      little(4, 48_000),
      little(2, 0),
      little(1, family),
      mapping,
    ),
    join('OpusTags', little(4, 3), 'zoo', little(4, 0)),
  ]
}

/** 120 ms of nothing in two bytes: SILK, 60 ms, two frames without a byte. */
export const silentOpusPacket: Buffer = join(bits([3, 5], [0, 1], [3, 2]), bits([0, 2], [2, 6]))
export const silentOpusSamples = 5_760

const table: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1
  return sum
})

function crc32(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum = (sum << 8) ^ (table[((sum >>> 24) ^ byte) & 0xff] ?? 0)
  return sum >>> 0
}

/** Gives pages that were changed their checksums again. */
export function withChecksums(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file)
  for (
    let offset = 0;
    offset + 27 <= bytes.length && bytes.toString('latin1', offset, offset + 4) === 'OggS';
  ) {
    const segments = bytes.subarray(offset + 27, offset + 27 + (bytes[offset + 26] ?? 0))
    const end = offset + 27 + segments.length + segments.reduce((sum, length) => sum + length, 0)
    bytes.writeUInt32LE(0, offset + 22)
    bytes.writeUInt32LE(crc32(bytes.subarray(offset, end)), offset + 22)
    offset = end
  }
  return bytes
}
