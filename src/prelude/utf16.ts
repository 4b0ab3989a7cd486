import { StringDecoder } from 'node:string_decoder'

/** Converts the bytes of a text to UTF-8, chunk by chunk. */
export interface Utf8Pieces {
  push(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** A byte that UTF-8 never has. It replaces half a character, so that the check for invalid UTF-8 reports it. */
const noUtf8 = Buffer.of(0xff)

/**
 * A converter for text in UTF-16 with a byte order mark, which Praat and many Windows programs write.
 *
 * @param first the first bytes of a file, at least two of them
 * @returns null where the bytes are no byte order mark of UTF-16, so that the file needs no conversion
 */
export function utf16ToUtf8(first: Uint8Array): Utf8Pieces | null {
  const isLittle = first[0] === 0xff && first[1] === 0xfe
  const isBig = first[0] === 0xfe && first[1] === 0xff
  // The byte order mark of little-endian UTF-32 begins with that of UTF-16.
  if (!(isLittle || isBig) || (isLittle && first[2] === 0 && first[3] === 0)) return null
  const decoder = new StringDecoder('utf16le')
  let isBegun = false
  let half: Uint8Array = new Uint8Array()
  const encoded = (text: string): Uint8Array => {
    const plain = isBegun ? text : text.replace(/^\ufeff/, '')
    isBegun ||= text.length > 0
    const parts = plain.split(/[\ud800-\udfff]/u).map((part) => Buffer.from(part))
    return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [noUtf8, part])))
  }
  return {
    push(bytes) {
      const whole = Buffer.concat([half, bytes])
      const even = whole.length & ~1
      half = whole.subarray(even)
      return encoded(decoder.write(isLittle ? whole.subarray(0, even) : whole.subarray(0, even).swap16()))
    },
    end: () => Buffer.concat([encoded(decoder.end()), ...(half.length > 0 ? [noUtf8] : [])]),
  }
}

/** Converts a complete text to UTF-8; text without a byte order mark of UTF-16 is returned unchanged. */
export function asUtf8(bytes: Uint8Array): Uint8Array {
  const pieces = utf16ToUtf8(bytes)
  return pieces === null ? bytes : Buffer.concat([pieces.push(bytes), pieces.end()])
}
