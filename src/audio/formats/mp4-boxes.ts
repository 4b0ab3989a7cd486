import { damaged, textAt, unreadable, viewOf } from '../structure.ts'

/** One box of an MP4 file; the file is a tree of them. */
export interface Box {
  readonly type: string
  /** First byte of the box's head. */
  readonly from: number
  /** First byte behind the box's head. */
  readonly start: number
  readonly end: number
}

/** Nine hours of fragments of a tenth of a second. */
const maxBoxes = 2 ** 20

/**
 * The boxes that lie one after the other in a stretch of a file. One that does not end within it ends the reading.
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

/** The first box of a type within another one; null where there is none. */
export function boxIn(
  bytes: Uint8Array,
  { start, end }: Pick<Box, 'start' | 'end'>,
  type: string,
): Box | null {
  for (const box of boxesIn(bytes, start, end)) if (box.type === type) return box
  return null
}

/** Whether the times in a box have 64 bits: there are two versions of each box with times. */
export function hasLongTimes(bytes: Uint8Array, { type, start }: Box): boolean {
  const version = bytes[start] ?? 0
  if (version > 1) damaged(`its box "${type}" is of version ${version}`)
  return version === 1
}

/** The box at the end of a path; null where one of them is missing. */
export function boxAt(bytes: Uint8Array, from: Box, ...path: readonly string[]): Box | null {
  let box: Box | null = from
  for (const type of path) box = box === null ? null : boxIn(bytes, box, type)
  return box
}

export function bodyOf(bytes: Uint8Array, box: Box | null): Uint8Array {
  return box === null ? new Uint8Array() : bytes.subarray(box.start, box.end)
}

/**
 * The entries of a table that begins with version, flags and a count.
 *
 * @param entryBytes of each entry
 * @returns an array of numbers of 32 bits for each entry is not made; a function reads them where they lie
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

/** Bytes in parts, to be put together once. */
export type Parts = readonly Uint8Array[]

/** Writes a box, of other boxes or of bytes. */
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

/** Numbers of 32 bits. */
export function words(values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4)
  })
  return bytes
}
