import { hasBytes, viewOf } from '../../read-bytes.ts'
import type { WavChunks } from './wav-chunks.ts'

/** What the names of chunks of Sony Wave64 end in; the first four bytes are those of WAV. */
const guidTail = [0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a] as const
const riffTail = [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0x00, 0x00] as const

const name = (text: string): readonly number[] => Array.from(text, (letter) => letter.charCodeAt(0))

const headBytes = 24

export function isWave64(bytes: Uint8Array): boolean {
  return (
    hasBytes(bytes, 0, [...name('riff'), ...riffTail]) && hasBytes(bytes, 24, [...name('wave'), ...guidTail])
  )
}

/**
 * The chunks of a Wave64 file: those of WAV, with names of 16 bytes, sizes of 8 that count the chunk's own head, and
 * ends at multiples of 8.
 *
 * @see Sony Pictures Digital, Wave64 File Format (2003)
 */
export function findWave64Chunks(bytes: Uint8Array): WavChunks {
  const view = viewOf(bytes)
  let format: WavChunks['format'] = null
  let factCount: number | null = null
  for (let offset = 40; offset + headBytes <= bytes.length; ) {
    const size = Number(view.getBigUint64(offset + 16, true))
    if (size < headBytes) break
    const [start, declaredSize] = [offset + headBytes, size - headBytes]
    const is = (text: string): boolean => hasBytes(bytes, offset, [...name(text), ...guidTail])
    if (is('fmt ') && start + Math.max(declaredSize, 16) <= bytes.length) format = { start, declaredSize }
    if (is('fact') && start + 4 <= bytes.length) factCount = view.getUint32(start, true)
    if (is('data')) return { format, factCount, data: { start, declaredSize } }
    offset += Math.ceil(size / 8) * 8
  }
  return { format, factCount, data: null }
}
