import { damaged, unreadable } from '../damage.ts'
import { textAt, viewOf } from '../read-bytes.ts'
import type { AudioStructure } from '../structure.ts'
import { type PcmLayout, packetBytesOf, pcmStructure } from './riff/pcm-structure.ts'

type Description = Omit<PcmLayout, 'dataStart' | 'dataBytes'>

/** @see Apple Core Audio Format Specification 1.0 */
export function readCaf(bytes: Uint8Array): AudioStructure {
  const view = viewOf(bytes)
  if (bytes.length < 8 || view.getUint16(4) !== 1) damaged('its version is unknown')
  let description: Description | null = null
  for (let offset = 8; offset + 12 <= bytes.length; ) {
    const type = textAt(bytes, offset, 4)
    const size = Number(view.getBigInt64(offset + 4))
    const start = offset + 12
    // Only the sound may leave its length open.
    const end = size === -1 && type === 'data' ? bytes.length : start + size
    if (size < -1 || end > bytes.length) damaged(`its chunk "${type}" is incomplete`)
    if (type === 'desc') description = readDescription(view, bytes, start, size)
    if (type === 'data') {
      if (description === null) damaged('it does not say what its sound is')
      if (end < start + 4) damaged('its sound chunk is too short')
      const sound = { dataStart: start + 4, dataBytes: end - start - 4 }
      return pcmStructure(bytes, { ...description, ...sound })
    }
    if (end <= offset) damaged(`its chunk "${type}" is damaged`)
    offset = end
  }
  damaged('it has no sound chunk')
}

function readDescription(view: DataView, bytes: Uint8Array, start: number, size: number): Description {
  if (size < 32) damaged('its description chunk is too short')
  const coding = textAt(bytes, start + 8, 4)
  if (coding !== 'lpcm' && coding !== 'alaw' && coding !== 'ulaw' && coding !== 'ima4') {
    unreadable(`its sound is coded as "${coding}"`)
  }
  const flags = view.getUint32(start + 12)
  const description = {
    sampleRateHz: view.getFloat64(start),
    channelCount: view.getUint32(start + 24),
    coding,
    bits: view.getUint32(start + 28),
    isFloat: coding === 'lpcm' && (flags & 1) !== 0,
    isLittleEndian: (flags & 2) !== 0,
  } as const
  const [declared, expected] = [view.getUint32(start + 16), packetBytesOf(description)]
  if (declared !== expected) {
    damaged(`its header says packets of ${declared} bytes, where its coding takes ${expected}`)
  }
  return description
}
