/** Boxes that hold boxes, on the way to the tables that say where samples are. */
const containers = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'mvex',
  'moof',
  'traf',
  'edts',
  'udta',
  'sinf',
])

interface Box {
  readonly type: string
  /** First byte behind the box's header. */
  readonly start: number
  readonly end: number
}

/**
 * Checks the boxes of an MP4 file before they are handed to the decoder, which believes every count in them
 * and would make a table of four thousand million entries.
 *
 * @returns what is wrong, in words, or null
 * @see ISO/IEC 14496-12, sections 4.2 (boxes), 8.6 and 8.7 (tables), 8.8.8 (fragments)
 */
export function findMp4Damage(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return findDamage(view, 0, view.byteLength, 0)
}

/** The four letters of the first audio sample entry, such as `mp4a`, or null. */
export function findMp4Codec(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let range: { start: number; end: number } = { start: 0, end: view.byteLength }
  for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd']) {
    const box = readBoxes(view, range.start, range.end).find((candidate) => candidate.type === type)
    if (box === undefined) return null
    range = box
  }
  return range.start + 16 <= range.end ? readType(view, range.start + 12) : null
}

function findDamage(view: DataView, from: number, to: number, depth: number): string | null {
  for (const box of readBoxes(view, from, to)) {
    if (box.end > to) return `its box "${box.type}" is incomplete`
    const damage =
      containers.has(box.type) && depth < 16
        ? findDamage(view, box.start, box.end, depth + 1)
        : findTableDamage(view, box)
    if (damage !== null) return damage
  }
  return null
}

function readBoxes(view: DataView, from: number, to: number): Box[] {
  const boxes: Box[] = []
  let offset = from
  while (offset + 8 <= to) {
    const { size, headerSize } = readBoxSize(view, offset, to)
    if (size < headerSize) break
    boxes.push({ type: readType(view, offset + 4), start: offset + headerSize, end: offset + size })
    offset += size
  }
  return boxes
}

function readBoxSize(view: DataView, offset: number, to: number): { size: number; headerSize: number } {
  const size = view.getUint32(offset)
  if (size === 0) return { size: to - offset, headerSize: 8 }
  if (size === 1 && offset + 16 <= to) return { size: Number(view.getBigUint64(offset + 8)), headerSize: 16 }
  return { size, headerSize: 8 }
}

function readType(view: DataView, offset: number): string {
  const letters = String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)))
  return letters.replaceAll(/[^ -~]/g, '?')
}

/** Bytes of one entry of the tables that start with version, flags and a count. */
const entryBytes: Readonly<Record<string, number>> = {
  stts: 8,
  ctts: 8,
  stsc: 12,
  stco: 4,
  co64: 8,
  elst: 12,
}

function findTableDamage(view: DataView, { type, start, end }: Box): string | null {
  const size = end - start
  const damaged = `its table "${type}" is damaged`
  const bytesPerEntry = entryBytes[type]
  if (bytesPerEntry !== undefined) {
    return size < 8 || view.getUint32(start + 4) * bytesPerEntry > size - 8 ? damaged : null
  }
  if (type === 'stsz') {
    if (size < 12) return damaged
    const sampleSize = view.getUint32(start + 4)
    const sampleCount = view.getUint32(start + 8)
    const fits = sampleSize === 0 ? sampleCount * 4 <= size - 12 : sampleCount * sampleSize <= view.byteLength
    return fits ? null : damaged
  }
  // A run may have no entries of its own, only a count; a sample has at least one byte.
  if (type === 'trun') return size < 8 || view.getUint32(start + 4) > view.byteLength ? damaged : null
  return null
}
