import { damaged, textAt, unreadable, viewOf } from '../structure.ts'

/** A box of an MP4 file, which is a tree of boxes. */
export interface Box {
  readonly type: string
  /** Offset of the box's header. */
  readonly from: number
  /** Offset of the byte after the box's header. */
  readonly start: number
  readonly end: number
}

/** Max number of boxes: nine hours of fragments of 0.1 s. */
const maxBoxes = 2 ** 20

/**
 * Yields the consecutive boxes of a range of a file. A box that exceeds the range rejects the file.
 *
 * @see ISO/IEC 14496-12 section 4.2
 */
export function* boxesIn(bytes: Uint8Array, from: number, to: number): Generator<Box> {
  const view = viewOf(bytes)
  let offset = from
  for (let count = 0; offset + 8 <= to; count += 1) {
    if (count === maxBoxes) unreadable('it has too many boxes')
    const declared = view.getUint32(offset)
    const type = textAt(bytes, offset + 4, 4)
    const isLong = declared === 1 && offset + 16 <= to
    const headBytes = isLong ? 16 : 8
    const size = declared === 0 ? to - offset : isLong ? Number(view.getBigUint64(offset + 8)) : declared
    if (size < headBytes) return
    const end = offset + size
    if (end > to) damaged(`its box "${type}" is incomplete`)
    yield { type, from: offset, start: offset + headBytes, end }
    offset = end
  }
}

/** Returns the first box of a type within another box; null where there is none. */
export function boxIn(
  bytes: Uint8Array,
  { start, end }: Pick<Box, 'start' | 'end'>,
  type: string,
): Box | null {
  for (const box of boxesIn(bytes, start, end)) if (box.type === type) return box
  return null
}

/** Whether the times in a box have 64 bits, which depends on the version of the box. */
export function hasLongTimes(bytes: Uint8Array, { type, start }: Box): boolean {
  const version = bytes[start] ?? 0
  if (version > 1) damaged(`its box "${type}" is of version ${version}`)
  return version === 1
}

/** Returns the box at the end of a path; null where a box of the path is missing. */
export function boxAt(bytes: Uint8Array, from: Box, ...path: readonly string[]): Box | null {
  let box: Box | null = from
  for (const type of path) box = box === null ? null : boxIn(bytes, box, type)
  return box
}

export function bodyOf(bytes: Uint8Array, box: Box | null): Uint8Array {
  return box === null ? new Uint8Array() : bytes.subarray(box.start, box.end)
}

/**
 * Reads a table that starts with version, flags and a count.
 *
 * @param entryBytes size of an entry
 * @returns a function that reads a 32-bit number of an entry in place, so that no array is needed
 */
export function tableIn(
  bytes: Uint8Array,
  box: Box | null,
  type: string,
  entryBytes: number,
): { readonly count: number; at(index: number, byte: number): number } {
  if (box === null) damaged(`its table "${type}" is missing`)
  const view = viewOf(bytes)
  const size = box.end - box.start
  const count = size < 8 ? 0 : view.getUint32(box.start + 4)
  if (size < 8 || count * entryBytes > size - 8) damaged(`its table "${type}" is damaged`)
  return { count, at: (index, byte) => view.getUint32(box.start + 8 + index * entryBytes + byte) }
}

/** Parts of bytes that are concatenated once. */
export type Parts = readonly Uint8Array[]

/** Writes a box whose content is boxes or bytes. */
export function box(type: string, ...content: readonly (Parts | Uint8Array)[]): Parts {
  const parts = content.flat() as Uint8Array[]
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + sizeOf(parts))
  head.write(type, 4, 'latin1')
  return [head, ...parts]
}

export function sizeOf(parts: Parts): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

/** Encodes 32-bit numbers. */
export function words(values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4)
  })
  return bytes
}
