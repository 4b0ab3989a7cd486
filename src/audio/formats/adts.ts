import { damaged } from '../damage.ts'
import type { AudioStructure } from '../structure.ts'
import { startOfFrames, stepsOf } from './mpeg.ts'

/** Sampling frequencies of MPEG-4 by their index. */
export const aacRates: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]
/** Samples of each channel that an AAC frame holds, before a doubling by SBR. */
const blockSamples = 1024
/** Each holds four blocks at the most. */
const framesPerStep = 16
/** The decoder needs a frame to begin with, and some encoders end with silence. */
const looseFrames = 4
const maxLostBytes = 4_096

interface AdtsFrame {
  readonly sizeBytes: number
  readonly blockCount: number
  readonly sampleRateHz: number
  readonly channelConfiguration: number
}

/** Frames in a row that no bytes make by chance. */
const provingFrames = 4

/** Where frames begin that no bytes make by chance; null where there are none near the beginning. */
export function adtsStart(bytes: Uint8Array): number | null {
  return startOfFrames(bytes, (offset) => isProven(bytes, offset))
}

function isProven(bytes: Uint8Array, start: number): boolean {
  const first = readAdtsFrame(bytes, start)
  let offset = start
  for (let count = 0; count < provingFrames && offset < bytes.length; count += 1) {
    const frame = readAdtsFrame(bytes, offset)
    if (first === null || frame === null || !areAlike(frame, first)) return false
    offset += frame.sizeBytes
  }
  return true
}

function areAlike(left: AdtsFrame, right: AdtsFrame): boolean {
  return left.sampleRateHz === right.sampleRateHz && left.channelConfiguration === right.channelConfiguration
}

/** @see ISO/IEC 13818-7 section 6.2 */
export function readAdts(bytes: Uint8Array): AudioStructure {
  const start = adtsStart(bytes) ?? 0
  let [blocks, end, lostBytes] = [0, start, 0]
  let first: AdtsFrame | null = null
  for (const { offset, frame } of adtsFrames(bytes, start)) {
    first ??= frame
    if (!areAlike(frame, first)) damaged(`at byte ${offset} its sample rate or its channels change`)
    lostBytes += offset - end
    blocks += frame.blockCount
    end = offset + frame.sizeBytes
  }
  if (first === null) damaged('it has no whole frame')
  if (lostBytes > maxLostBytes) damaged(`${lostBytes} bytes between its frames are none`)
  const blockSeconds = blockSamples / first.sampleRateHz
  const seconds = blocks * blockSeconds
  return {
    codec: 'AAC',
    seconds: {
      min: Math.max(0, seconds - looseFrames * blockSeconds),
      max: seconds + looseFrames * blockSeconds,
    },
    steps: () => stepsOf(bytes, adtsFrames(bytes, start), framesPerStep),
  }
}

function* adtsFrames(
  bytes: Uint8Array,
  start: number,
): Generator<{ readonly offset: number; readonly frame: AdtsFrame }> {
  let [offset, expected] = [start, start]
  while (offset + 7 <= bytes.length) {
    const frame = readAdtsFrame(bytes, offset)
    if (frame !== null && (offset === expected || isProven(bytes, offset))) {
      if (offset + frame.sizeBytes > bytes.length) damaged('its last AAC frame is incomplete')
      yield { offset, frame }
      offset += frame.sizeBytes
      expected = offset
      continue
    }
    const next = bytes.indexOf(0xff, offset + 1)
    if (next === -1) return
    offset = next
  }
}

/** @returns null for bytes that are no frame's header */
function readAdtsFrame(bytes: Uint8Array, offset: number): AdtsFrame | null {
  const at = (index: number): number => bytes[offset + index] ?? 0
  if (at(0) !== 0xff || (at(1) & 0xf6) !== 0xf0) return null
  const sampleRateHz = aacRates[(at(2) >> 2) & 15]
  const sizeBytes = ((at(3) & 3) << 11) | (at(4) << 3) | (at(5) >> 5)
  if (sampleRateHz === undefined || sizeBytes < 7) return null
  return {
    sizeBytes,
    blockCount: (at(6) & 3) + 1,
    sampleRateHz,
    channelConfiguration: ((at(2) & 1) << 2) | (at(3) >> 6),
  }
}
