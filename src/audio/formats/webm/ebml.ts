import { cutShort } from '../../damage.ts'

/** The elements of WebM and Matroska. @see RFC 8794 (EBML) and RFC 9559 */

/** Elements that hold elements, on the way to the blocks of sound. */
const containers: ReadonlySet<number> = new Set([
  0x18538067, // Segment
  0x1549a966, // Info
  0x1654ae6b, // Tracks
  0xae, // TrackEntry
  0xe1, // Audio
  0x1f43b675, // Cluster
  0xa0, // BlockGroup
])

interface Element {
  readonly id: number
  /** Behind the element's head. */
  readonly start: number
  readonly end: number
}

/** All elements in order, containers before what they hold. Live recordings leave the length of a container open. */
export function* elements(bytes: Uint8Array): Generator<Element> {
  let offset = 0
  while (offset < bytes.length) {
    const id = vint(bytes, offset, true)
    const size = id === null ? null : vint(bytes, offset + id.length, false)
    if (id === null || size === null) {
      // Zeros, or what is no element; a head that the end cuts is one of sound.
      if ((bytes[offset] ?? 0) === 0) return
      cutShort('its last element is incomplete')
    }
    const start = offset + id.length + size.length
    const isOpenEnded = size.value === 2 ** (7 * size.length) - 1
    const end = isOpenEnded ? bytes.length : start + size.value
    // A live recording, which ends between two blocks, says nowhere how long it is. One that ends within a block was cut.
    if (end > bytes.length) cutShort(`its last element ends ${end - bytes.length} bytes behind the file`)
    if (containers.has(id.value)) {
      yield { id: id.value, start, end }
      offset = start
      continue
    }
    yield { id: id.value, start, end }
    offset = end
  }
}

/** A number whose first byte says by its zeros how long it is. @returns null behind the end, or for none */
export function vint(
  bytes: Uint8Array,
  offset: number,
  keepsMark: boolean,
): { readonly value: number; readonly length: number } | null {
  const first = bytes[offset]
  if (first === undefined || first === 0) return null
  const length = Math.clz32(first) - 23
  if (offset + length > bytes.length) return null
  let value = keepsMark ? first : first & (0xff >> length)
  for (let index = 1; index < length; index += 1) value = value * 256 + (bytes[offset + index] ?? 0)
  return { value, length }
}

export function unsigned(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (const byte of bytes.subarray(start, Math.min(end, start + 8))) value = value * 256 + byte
  return value
}
