/**
 * Bytes that come bit by bit and end up in one piece of memory, without being copied where their number was known.
 *
 * @param expectedBytes as many as are expected to come; memory is used only as they do
 */
export function createByteStore(expectedBytes: number) {
  let memory = new Uint8Array(Math.max(expectedBytes, 1_024))
  let sizeBytes = 0

  /** Room for so many more; to be filled, and counted with `advance`. */
  function reserve(moreBytes: number): Buffer {
    if (sizeBytes + moreBytes > memory.length) {
      const larger = new Uint8Array(Math.max(memory.length * 2, sizeBytes + moreBytes))
      larger.set(memory.subarray(0, sizeBytes))
      memory = larger
    }
    return Buffer.from(memory.buffer, sizeBytes, moreBytes)
  }

  return {
    get sizeBytes() {
      return sizeBytes
    },
    reserve,
    advance(moreBytes: number) {
      sizeBytes += moreBytes
    },
    append(bytes: Uint8Array) {
      reserve(bytes.length).set(bytes)
      sizeBytes += bytes.length
    },
    /** Everything so far. The memory is the caller's from now on. */
    take(): Uint8Array<ArrayBuffer> {
      const bytes = memory.subarray(0, sizeBytes)
      memory = new Uint8Array(0)
      sizeBytes = 0
      return bytes
    },
  }
}

const blank = 64
const padding = 65
const unknown = 66

/** The value of each byte: six bits, or one of the three above. */
const meanings = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (/\s/.test(character)) return blank
  if (character === '=') return padding
  const index = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(character)
  if (index !== -1) return index
  return { '-': 62, _: 63 }[character] ?? unknown
})

export type Base64Reader = ReturnType<typeof createBase64Reader>

/**
 * Decodes base64 as it comes: of either alphabet, with or without padding, with blanks anywhere. Node's own decoder
 * wants text, passes over what is wrong in it, and cannot go on where it stopped.
 *
 * @param expectedCharacters at most, as far as it is known
 */
export function createBase64Reader(expectedCharacters: number) {
  const store = createByteStore(Math.ceil((expectedCharacters * 3) / 4))
  /** Bits that do not make a whole byte yet, and how many. */
  let bits = 0
  let bitCount = 0
  let characterCount = 0
  let paddingCount = 0
  let isBroken = false

  /**
   * What is not four characters of base64 in a row, up to where such may begin again.
   *
   * @returns where it stopped, and how many bytes are written then
   */
  function readUneven(
    from: Uint8Array,
    start: number,
    to: Uint8Array,
    offset: number,
  ): { readonly index: number; readonly written: number } {
    // Local variables: those around a function take several times as long.
    let [index, written, characters] = [start, offset, 0]
    let [kept, keptCount] = [bits, bitCount]
    const isEnding = paddingCount > 0
    for (; index < from.length; index += 1) {
      const meaning = meanings[from[index] as number] as number
      if (meaning === blank) continue
      if (meaning > blank || isEnding) break
      characters += 1
      kept = ((kept << 6) | meaning) & 0xfff
      keptCount += 6
      if (keptCount < 8) continue
      keptCount -= 8
      to[written] = kept >> keptCount
      written += 1
      if (keptCount > 0 || meanings[from[index + 1] ?? 0] === blank) continue
      index += 1
      break
    }
    characterCount += characters
    bits = kept
    bitCount = keptCount
    const next = index < from.length ? (meanings[from[index] as number] as number) : blank
    if (next > blank || (isEnding && next < blank)) {
      paddingCount += next === padding ? 1 : 0
      isBroken = next !== padding || paddingCount > 2
      index += 1
    }
    return { index, written }
  }

  return {
    /** Takes the next characters, as bytes. Makes no text of them, which would take more memory than the audio. */
    push(characters: Uint8Array) {
      // Nothing mends it: the rest is not looked at.
      if (isBroken) return
      const target = store.reserve(Math.ceil((characters.length * 3) / 4) + 3)
      let written = 0
      let index = 0
      while (index < characters.length && !isBroken) {
        if (bitCount === 0 && paddingCount === 0) {
          const quadsEnd = writeQuads(characters, index, target, written)
          characterCount += quadsEnd - index
          written += ((quadsEnd - index) / 4) * 3
          index = quadsEnd
        }
        if (index < characters.length) ({ index, written } = readUneven(characters, index, target, written))
      }
      store.advance(written)
    },
    /** @returns null for what is not base64 */
    finish(): Uint8Array<ArrayBuffer> | null {
      const isWhole = characterCount % 4 !== 1 && (paddingCount === 0 || characterCount > 0)
      return isWhole && !isBroken ? store.take() : null
    },
  }
}

/**
 * Four characters make three bytes, as long as nothing else comes between.
 *
 * @returns where it stopped
 */
function writeQuads(from: Uint8Array, start: number, to: Uint8Array, offset: number): number {
  let written = offset
  let index = start
  for (const last = from.length - 4; index <= last; index += 4) {
    const first = meanings[from[index] as number] as number
    const second = meanings[from[index + 1] as number] as number
    const third = meanings[from[index + 2] as number] as number
    const fourth = meanings[from[index + 3] as number] as number
    if ((first | second | third | fourth) >= blank) return index
    to[written] = (first << 2) | (second >> 4)
    to[written + 1] = (second << 4) | (third >> 2)
    to[written + 2] = (third << 6) | fourth
    written += 3
  }
  return index
}
