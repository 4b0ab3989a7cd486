import { damaged } from '../../damage.ts'

/** The rate at which Opus counts and is decoded, whatever was encoded. */
export const opusRateHz = 48_000

/** Samples of each channel in one frame, by the configuration in a packet's first byte. */
function frameSamples(configuration: number): number {
  if (configuration < 12) return [480, 960, 1920, 2880][configuration % 4] ?? 0
  if (configuration < 16) return configuration % 2 === 0 ? 480 : 960
  return [120, 240, 480, 960][configuration % 4] ?? 0
}

/** The longest packet: 120 ms. */
const maxPacketSamples = 5_760

/**
 * Samples of each channel that a packet comes to, read from its first two bytes.
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
