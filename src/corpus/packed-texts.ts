/** Texts of a list that grows, in one block of bytes: millions of them as JavaScript strings take three times as much. */
export interface PackedTexts {
  add(text: string): void
  readonly length: number
  at(index: number): string
}

export function packedTexts(): PackedTexts {
  let bytes = Buffer.alloc(1 << 16)
  let ends = new Float64Array(1 << 12)
  let length = 0
  const endOf = (index: number): number => (index < 0 ? 0 : (ends[index] ?? 0))
  return {
    add(text) {
      const from = endOf(length - 1)
      const size = Buffer.byteLength(text)
      if (from + size > bytes.length) {
        bytes = Buffer.concat([bytes.subarray(0, from)], Math.max(2 * bytes.length, from + size))
      }
      if (length === ends.length) {
        const longer = new Float64Array(2 * length)
        longer.set(ends)
        ends = longer
      }
      bytes.write(text, from)
      ends[length] = from + size
      length += 1
    },
    get length() {
      return length
    },
    at: (index) => bytes.toString('utf8', endOf(index - 1), endOf(index)),
  }
}
