import { StringDecoder } from 'node:string_decoder'

/** Turns the bytes of a text into UTF-8, piece by piece. */
export interface Utf8Pieces {
  push(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** No text in UTF-8 has this byte, so that half a character is reported as whatever reports other bytes that are none. */
const noUtf8 = Buffer.of(0xff)

/**
 * Praat, and many programs of Windows, write UTF-16 with a byte order mark.
 *
 * @param first the first bytes of a file, at least two of them
 * @returns null where they are no byte order mark of UTF-16: the file is to be read as it is
 */
export function utf16ToUtf8(first: Uint8Array): Utf8Pieces | null {
  const isLittle = first[0] === 0xff && first[1] === 0xfe
  const isBig = first[0] === 0xfe && first[1] === 0xff
  // The mark of UTF-32 begins with that of UTF-16.
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

/** The whole of a text as UTF-8. */
export function asUtf8(bytes: Uint8Array): Uint8Array {
  const pieces = utf16ToUtf8(bytes)
  return pieces === null ? bytes : Buffer.concat([pieces.push(bytes), pieces.end()])
}
