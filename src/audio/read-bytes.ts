export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function hasText(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[offset + index] !== text.charCodeAt(index)) return false
  }
  return true
}

export function hasBytes(bytes: Uint8Array, offset: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[offset + index] === byte)
}

/** Letters of one byte each; what is none is a question mark, so that the text can be shown. */
export function textAt(bytes: Uint8Array, offset: number, length: number): string {
  let text = ''
  for (let index = offset; index < offset + length && index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?'
  }
  return text
}

/** Where the sound starts: after tags of ID3v2. Behind the end where one is cut short. */
export function soundStart(bytes: Uint8Array): number {
  let start = 0
  while (hasText(bytes, start, 'ID3')) {
    const at = (offset: number): number => (bytes[start + offset] ?? 0) & 0x7f
    const size = (at(6) << 21) | (at(7) << 14) | (at(8) << 7) | at(9)
    const footer = ((bytes[start + 5] ?? 0) & 0x10) === 0 ? 0 : 10
    start += 10 + size + footer
  }
  return start
}

/** Tags of MP3 that some programs write behind every file: APE's, which ends in its own size, then ID3v1. */
export function withoutEndTags(bytes: Uint8Array): Uint8Array {
  const rest = hasText(bytes, bytes.length - 128, 'TAG') ? bytes.subarray(0, -128) : bytes
  const footer = rest.length - 32
  if (!hasText(rest, footer, 'APETAGEX')) return rest
  const view = viewOf(rest)
  const headBytes = view.getUint32(footer + 20, true) >>> 31 === 1 ? 32 : 0
  return rest.subarray(0, Math.max(0, rest.length - view.getUint32(footer + 12, true) - headBytes))
}
