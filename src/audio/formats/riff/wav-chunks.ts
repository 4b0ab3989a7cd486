import { damaged } from '../../damage.ts'
import { hasText, textAt, viewOf } from '../../read-bytes.ts'

interface Chunk {
  readonly start: number
  readonly declaredSize: number
}

/** The chunks of a WAV file that matter, as far as the bytes at hand hold them. */
export interface WavChunks {
  readonly format: Chunk | null
  /** Samples of each channel as the `fact` chunk says; null where there is none. */
  readonly factCount: number | null
  readonly data: {
    readonly start: number
    /** Null where the writer could not know it: the samples go on to the end. */
    readonly declaredSize: number | null
  } | null
}

/** Writers that cannot seek back leave a length of 0, 2 GiB (sox) or 4 GiB (ffmpeg) and write on to the end. */
export const placeholderFrom = 0x7fff_f000

/** Behind the samples some writers leave a tag that is no chunk. */
const maxLooseBytes = 4_096
const maxLooseShare = 0.05

/** Chunks in any order, odd sizes padded, RF64, streamed headers. @see EBU Tech 3306 for RF64 */
export function findWavChunks(bytes: Uint8Array): WavChunks {
  const view = viewOf(bytes)
  let format: Chunk | null = null
  let factCount: number | null = null
  let longDataSize: number | null = null
  let offset = 12
  while (offset + 8 <= bytes.length) {
    const size = view.getUint32(offset + 4, true)
    const start = offset + 8
    if (hasText(bytes, offset, 'ds64') && start + 16 <= bytes.length) {
      longDataSize = Number(view.getBigUint64(start + 8, true))
    } else if (hasText(bytes, offset, 'fmt ') && start + Math.max(size, 16) <= bytes.length) {
      format = { start, declaredSize: size }
    } else if (hasText(bytes, offset, 'fact') && size >= 4 && start + 4 <= bytes.length) {
      factCount = view.getUint32(start, true)
    } else if (hasText(bytes, offset, 'data')) {
      const declaredSize = declaredDataSize(view, size, start, longDataSize)
      return { format, factCount, data: { start, declaredSize } }
    }
    offset = start + size + (size % 2)
  }
  return { format, factCount, data: null }
}

function declaredDataSize(
  view: DataView,
  size: number,
  start: number,
  longDataSize: number | null,
): number | null {
  if (longDataSize !== null && size === 0xffff_ffff) return longDataSize
  const riffSize = view.getUint32(4, true)
  // Zero is a length where the outer length agrees, and a placeholder where that one is missing as well.
  const isOpenEnded = size === 0 && (riffSize === 0 || riffSize >= placeholderFrom || riffSize < start - 8)
  return isOpenEnded || size >= placeholderFrom ? null : size
}

/** Behind the samples come other chunks, or nothing; otherwise the length of the samples is a wrong one. */
export function checkRest(bytes: Uint8Array, dataEnd: number, dataBytes: number): void {
  const view = viewOf(bytes)
  let offset = dataEnd + (dataEnd % 2)
  while (offset + 8 <= bytes.length && /^[ -~]{4}$/.test(textAt(bytes, offset, 4))) {
    const size = view.getUint32(offset + 4, true)
    if (offset + 8 + size > bytes.length) break
    offset += 8 + size + (size % 2)
  }
  const looseBytes = bytes.length - offset
  if (looseBytes <= maxLooseBytes || looseBytes <= dataBytes * maxLooseShare) return
  damaged(
    `its header promises ${dataBytes} bytes of samples, and ${looseBytes} bytes behind them are no chunk`,
  )
}
