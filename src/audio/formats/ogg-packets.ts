import { damaged } from '../structure.ts'
import type { PacketLength } from './ogg-pages.ts'

/** Max number of modes: encoders write one kind of block, or short and long ones. */
const maxModes = 2
const setupPacket = 5
const modeBits = { type: 16, mapping: 8, count: 6 } as const
const modeLength = 1 + 2 * modeBits.type + modeBits.mapping

/**
 * Returns a function that gives the samples of each packet. Consecutive blocks overlap, so the output is a quarter of
 * both.
 *
 * @param head the first header of the stream, at least 30 bytes
 * @see Vorbis I specification, sections 4.2.4 and 4.3.8
 */
export function vorbisPacketLength(head: Uint8Array): PacketLength {
  const sizes = head[28] ?? 0
  const [short, long] = [2 ** (sizes & 15), 2 ** (sizes >> 4)]
  let modes: readonly boolean[] = []
  let before: number | null = null
  return (packet, isWhole) => {
    const first = packet[0] ?? 0
    // Packets with an odd type are headers.
    if ((first & 1) === 1) {
      if (first === setupPacket && isWhole) modes = readModes(packet)
      return 0
    }
    const isLong = modes[(first >> 1) & (modes.length - 1)]
    if (isLong === undefined || packet.length === 0) return Number.NaN
    const block = isLong ? long : short
    const samples = before === null ? 0 : (before + block) / 4
    before = block
    return samples
  }
}

/**
 * Reads which modes have long blocks. They are at the end of the setup header, whose start needs a decoder, so they
 * are read backwards. The page counts verify the result.
 *
 *   … | number of modes - 1 | long? 0 0 mapping | long? 0 0 mapping | 1 | zeros to the end of the byte
 *
 * @returns an empty list where the pattern is not found
 */
function readModes(setup: Uint8Array): readonly boolean[] {
  const bitCount = setup.length * 8
  const bitAt = (fromEnd: number): number =>
    ((setup[setup.length - 1 - (fromEnd >> 3)] ?? 0) >> (7 - (fromEnd & 7))) & 1
  const valueAt = (fromEnd: number, length: number): number => {
    let value = 0
    for (let bit = 0; bit < length; bit += 1) value = value * 2 + bitAt(fromEnd + bit)
    return value
  }
  let at = 0
  while (at < bitCount && bitAt(at) === 0) at += 1
  at += 1
  let found: readonly boolean[] = []
  const modes: boolean[] = []
  while (modes.length < maxModes && at + modeLength + modeBits.count <= bitCount) {
    if (valueAt(at, modeBits.mapping) >= 64) break
    if (valueAt(at + modeBits.mapping, 2 * modeBits.type) !== 0) break
    modes.unshift(bitAt(at + modeLength - 1) === 1)
    at += modeLength
    if (valueAt(at, modeBits.count) + 1 === modes.length) found = [...modes]
  }
  return found
}

/** Rate at which Opus counts and is decoded, for any encoded rate. */
export const opusRateHz = 48_000

/** Returns the samples per channel in one frame, by the configuration in a packet's first byte. */
function frameSamples(configuration: number): number {
  if (configuration < 12) return [480, 960, 1920, 2880][configuration % 4] ?? 0
  if (configuration < 16) return configuration % 2 === 0 ? 480 : 960
  return [120, 240, 480, 960][configuration % 4] ?? 0
}

/** Max length of a packet: 120 ms. */
const maxPacketSamples = 5_760

/**
 * Returns the samples per channel of a packet, from its first two bytes.
 *
 * @see RFC 6716 section 3.1 and 3.2
 */
export function opusPacketSamples(packet: Uint8Array): number {
  const [first, second = 0] = packet
  if (first === undefined) damaged('one of its packets is empty')
  const code = first & 3
  const frameCount = code === 0 ? 1 : code === 3 ? second & 63 : 2
  const samples = frameCount * frameSamples(first >> 3)
  if (samples === 0 || samples > maxPacketSamples)
    damaged('one of its packets is longer than a packet can be')
  return samples
}
