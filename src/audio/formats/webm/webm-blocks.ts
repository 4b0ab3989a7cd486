import { damaged } from '../../damage.ts'
import { viewOf } from '../../read-bytes.ts'
import { vint } from './ebml.ts'

/** Frames of one track, at one time. */
export interface Block {
  readonly track: number
  /** From the cluster's own time, in its ticks. */
  readonly time: number
  readonly frames: readonly Uint8Array[]
}

export function readBlock(bytes: Uint8Array, start: number, end: number): Block {
  const track = vint(bytes, start, false)
  const head = start + (track?.length ?? 0)
  if (track === null || head + 3 > end) damaged('one of its blocks is damaged')
  const lacing = ((bytes[head + 2] ?? 0) >> 1) & 3
  return {
    track: track.value,
    time: viewOf(bytes).getInt16(head),
    frames: lacedFrames(bytes.subarray(head + 3, end), lacing),
  }
}

/** @see RFC 9559 section 10.3: no lacing, Xiph's, fixed sizes, EBML's */
function lacedFrames(body: Uint8Array, lacing: number): Uint8Array[] {
  if (lacing === 0) return [body]
  const count = (body[0] ?? 0) + 1
  if (lacing === 2) {
    const size = (body.length - 1) / count
    if (!Number.isInteger(size)) damaged('one of its blocks is damaged')
    return Array.from({ length: count }, (_, index) =>
      body.subarray(1 + index * size, 1 + (index + 1) * size),
    )
  }
  const { sizes, start } = lacing === 1 ? xiphSizes(body, count) : ebmlSizes(body, count)
  let offset = start
  const frames = sizes.map((size) => {
    offset += size
    return body.subarray(offset - size, offset)
  })
  if (offset > body.length || sizes.some((size) => size < 0)) damaged('one of its blocks is damaged')
  return [...frames, body.subarray(offset)]
}

function xiphSizes(body: Uint8Array, count: number): { sizes: number[]; start: number } {
  const sizes: number[] = []
  let offset = 1
  while (sizes.length < count - 1 && offset < body.length) {
    let size = 0
    while (body[offset] === 255) {
      size += 255
      offset += 1
    }
    sizes.push(size + (body[offset] ?? 0))
    offset += 1
  }
  return { sizes, start: offset }
}

/** The first size as it is, the others as differences. */
function ebmlSizes(body: Uint8Array, count: number): { sizes: number[]; start: number } {
  const sizes: number[] = []
  let offset = 1
  while (sizes.length < count - 1) {
    const number = vint(body, offset, false)
    if (number === null) damaged('one of its blocks is damaged')
    const middle = 2 ** (7 * number.length - 1) - 1
    sizes.push(sizes.length === 0 ? number.value : (sizes.at(-1) ?? 0) + number.value - middle)
    offset += number.length
  }
  return { sizes, start: offset }
}
