import { damaged, unreadable } from '../damage.ts'
import { viewOf } from '../read-bytes.ts'
import { isPlausibleRate } from '../structure.ts'

/** What an ALAC decoder needs to know of a track. */
export interface AlacConfig {
  readonly sampleRateHz: number
  readonly channelCount: number
  /** Samples of each channel in every frame but the last. */
  readonly frameSamples: number
}

const configBytes = 28
const maxFrameSamples = 2 ** 16

/**
 * The body of an `alac` box. The decoder makes room for what it says, and reads the last 24 bytes of it.
 *
 * @see https://github.com/macosforge/alac, ALACMagicCookieDescription.txt
 */
export function readAlacConfig(body: Uint8Array): AlacConfig {
  if (body.length !== configBytes) unreadable('its ALAC has a custom channel layout')
  const view = viewOf(body)
  const [frameSamples, bits] = [view.getUint32(4), view.getUint8(9)]
  const [channelCount, sampleRateHz] = [view.getUint8(13), view.getUint32(24)]
  const isPlausible = frameSamples > 0 && frameSamples <= maxFrameSamples && [16, 20, 24, 32].includes(bits)
  if (!isPlausible || !isPlausibleRate(sampleRateHz)) {
    damaged(`its ALAC has ${frameSamples} samples in a frame, of ${bits} bits, at ${sampleRateHz} Hz`)
  }
  if (channelCount < 1 || channelCount > 2)
    unreadable(`its ALAC has ${channelCount} channels, and 2 are the most`)
  return { sampleRateHz, channelCount, frameSamples }
}

/**
 * Samples of each channel that a frame says it holds: the decoder makes room for them without a further look.
 *
 *   | element 3 bits | instance 4 | unused 12 | has a count 1 | shift 2 | is raw 1 | count 32 |
 */
export function alacFrameSamples(frame: Uint8Array, { channelCount, frameSamples }: AlacConfig): number {
  const head = new Uint8Array(8)
  head.set(frame.subarray(0, 7))
  const bits = viewOf(head).getBigUint64(0)
  const element = Number(bits >> 61n)
  // A single channel is one element, and so is a pair: no element follows with another count.
  if (element !== channelCount - 1) damaged('one of its ALAC frames is of other channels')
  const hasCount = ((bits >> 44n) & 1n) === 1n
  const count = hasCount ? Number((bits >> 9n) & 0xffff_ffffn) : frameSamples
  if (count === 0 || count > frameSamples) damaged(`one of its ALAC frames says that it has ${count} samples`)
  return count
}
