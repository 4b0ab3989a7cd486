/**
 * `too long`: over a megabyte besides the audio. `keys`: a refused key, with which `json` ends. `shape`: so
 * many or so deep values that parsing them takes far more memory than the text.
 */
interface JsonProblem {
  readonly kind: 'too long' | 'keys' | 'shape'
  readonly what: string
}

const audioKey = 'audio_base64'

/** Maximum size without audio: enough for a vocabulary of 10,000 words with 100 letters each. */
const maxJsonBytes = 2 ** 20
/** Maximum nesting; real requests are only a few levels deep. */
const maxDepth = 64
/** Maximum number of values in all arrays and objects; a vocabulary has up to 10,000 words. */
const maxValues = 50_000

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const comma = 0x2c

const closingQuote = Buffer.from('"')
const controlCharacter = Buffer.from('\n')

/** Maximum number of keys, far above real requests, to bound memory. */
const maxKeys = 1_000

/** Length of `\u002f`, the longest escape. */
const maxEscapeLength = 6
const letterU = 0x75
/** Marks an invalid escape. */
const noCharacter = -1
/** Character codes of the two-character escapes, by the second character. */
const escapes: Readonly<Record<number, number>> = Object.fromEntries(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
)
/** Longer runs between escapes are passed on without copying. */
const shortRun = 256
/** Maximum length of a key; longer keys are no fields, so they are not compared. */
const maxKeyBytes = 100

/**
 * Reads a JSON object in chunks, and decodes its one long text on the way. The JSON parser later reads the
 * rest, and decides whether it is valid:
 *
 *   {"engine":"local","audio_base64":"UklGRiQ…","model":"m"}   input
 *   {"engine":"local","audio_base64":"","model":"m"}           kept, next to the decoded bytes
 *
 * A duplicate key is refused: parsers disagree on which value counts (RFC 8259, section 4), and memory for
 * the audio is reserved only once.
 *
 * @param expectedCharacters expected length of the audio; memory for it is reserved when its key is read
 */
export function createJsonReader(expectedCharacters: number) {
  const json: Buffer[] = []
  let audio: ReturnType<typeof createBase64Reader> | undefined
  /** The reader's state: outside of texts, in a text, or in the audio. */
  let place: 'between' | 'text' | 'audio' = 'between'
  let depth = 0
  let valueCount = 0
  let keptBytes = 0
  let isEscaped = false
  /** Bytes of the top-level key that is being read; null in any other text. */
  let key: number[] | null = null
  let lastKey: string | null = null
  const keys = new Set<string>()
  let problem: JsonProblem | null = null
  let isObject = false
  let isKeyNext = false
  /** Length of the unfinished escape in the audio, with its backslash; 0 where there is none. */
  let escapeLength = 0
  /** Character code of the escape so far; `noCharacter` where it is invalid. */
  let escapeCode = 0
  let isJson = true
  /** Buffer of unescaped characters, because passing them on one by one takes a hundred times as long. */
  const gathered = new Uint8Array(4_096)
  let gatheredCount = 0

  function readBetween(byte: number): void {
    if (byte === comma || byte === openBrace || byte === openBracket) {
      valueCount += 1
      if (valueCount > maxValues)
        problem = { kind: 'shape', what: `The body has more than ${maxValues} values.` }
    }
    if (byte === quote) {
      const isAudio = depth === 1 && !isKeyNext && lastKey === audioKey
      place = isAudio ? 'audio' : 'text'
      key = depth === 1 && isKeyNext ? [] : null
      if (isAudio) {
        audio = createBase64Reader(expectedCharacters)
        lastKey = null
      }
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === 0) isObject = byte === openBrace
      depth += 1
      if (depth > maxDepth) {
        problem = { kind: 'shape', what: `The body is nested more than ${maxDepth} levels deep.` }
      }
      isKeyNext = byte === openBrace
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1
    else if (byte === comma && depth === 1) {
      isKeyNext = isObject
      lastKey = null
    }
  }

  function readText(byte: number): void {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) {
      if (key !== null) endKey(key)
      place = 'between'
      return
    }
    if (key !== null && key.length <= maxKeyBytes) key.push(byte)
  }

  function endKey(bytes: readonly number[]): void {
    isKeyNext = false
    lastKey = bytes.length > maxKeyBytes ? null : decodeKey(bytes)
    if (lastKey !== null && keys.has(lastKey))
      problem = { kind: 'keys', what: `The body has the key ${JSON.stringify(lastKey)} twice.` }
    else if (keys.size === maxKeys)
      problem = { kind: 'keys', what: `The body has more than ${maxKeys} keys.` }
    // A long key is not compared, but counts.
    keys.add(lastKey ?? `${keys.size} long`)
  }

  /** @returns the position up to which the audio was read */
  function readAudio(chunk: Buffer, start: number): number {
    if (escapeLength > 0) return readEscape(chunk, start)
    const end = endOfPlain(chunk, start)
    if (gatheredCount > 0 && end - start < shortRun) {
      for (let index = start; index < end; index += 1) gather(chunk[index] as number)
    } else {
      handOnGathered()
      audio?.push(chunk.subarray(start, end))
    }
    const byte = chunk[end]
    if (byte === backslash) escapeLength = 1
    else if (byte === quote) {
      handOnGathered()
      json.push(closingQuote)
      place = 'between'
    } else if (byte !== undefined) endJson()
    return end + 1
  }

  function readEscape(chunk: Buffer, start: number): number {
    for (let index = start; index < chunk.length; index += 1) {
      const byte = chunk[index] as number
      escapeLength += 1
      if (escapeLength === 2) escapeCode = byte === letterU ? 0 : (escapes[byte] ?? noCharacter)
      else escapeCode = escapeCode === noCharacter ? noCharacter : withDigit(escapeCode, byte)
      if (escapeLength === maxEscapeLength || (escapeLength === 2 && byte !== letterU)) {
        if (escapeCode === noCharacter) endJson()
        // Base64 has no character beyond ASCII.
        gather(escapeCode < 0x80 ? escapeCode : 0)
        escapeLength = 0
        return index + 1
      }
    }
    return chunk.length
  }

  function gather(character: number): void {
    gathered[gatheredCount] = character
    gatheredCount += 1
    if (gatheredCount === gathered.length) handOnGathered()
  }

  function handOnGathered(): void {
    if (gatheredCount > 0) audio?.push(gathered.subarray(0, gatheredCount))
    gatheredCount = 0
  }

  /** Makes `json` invalid for its parser, because the audio has a control character or an invalid escape. */
  function endJson(): void {
    if (isJson) json.push(controlCharacter)
    isJson = false
  }

  /** Empty parts are skipped, because each would keep the memory of its whole chunk. */
  function keep(chunk: Buffer, start: number, end: number): void {
    if (start >= end) return
    keptBytes += end - start
    if (keptBytes > maxJsonBytes) {
      problem = { kind: 'too long', what: 'The body has over a megabyte besides the audio.' }
    } else json.push(chunk.subarray(start, end))
  }

  return {
    /** The body in chunks, with an empty text in place of the audio; invalid JSON in the audio stays invalid. */
    json: json as readonly Buffer[],
    /** @returns false if the body is refused, so that reading stops */
    push(chunk: Buffer): boolean {
      let copied = 0
      let position = 0
      while (position < chunk.length && problem === null) {
        if (place === 'audio') {
          keep(chunk, copied, position)
          while (place === 'audio' && position < chunk.length) position = readAudio(chunk, position)
          copied = Math.min(position, chunk.length)
        } else {
          // Other texts than keys are skipped to their end.
          if (place === 'text' && key === null && !isEscaped) position = endOfPlain(chunk, position)
          if (position === chunk.length) break
          const byte = chunk[position] ?? 0
          if (place === 'text') readText(byte)
          else readBetween(byte)
          position += 1
        }
      }
      keep(chunk, copied, problem === null ? chunk.length : position)
      return problem === null
    },
    /** The reason for refusing the body; null so far. */
    get problem(): JsonProblem | null {
      return problem
    },
    /** The audio; undefined where the body has none, null where it is not base64. */
    finish: () => audio?.finish(),
  }
}

/** @returns `noCharacter` where the byte is no hexadecimal digit */
function withDigit(code: number, byte: number): number {
  const lower = byte | 0x20
  const digit =
    byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
  return digit === -1 ? noCharacter : code * 16 + digit
}

/** The position of the text's end, of an escape, or of a control character. */
function endOfPlain(chunk: Buffer, start: number): number {
  let index = start
  for (; index < chunk.length; index += 1) {
    const byte = chunk[index] as number
    if (byte === quote || byte === backslash || byte < space) break
  }
  return index
}

function decodeKey(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString('utf8')
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    // An invalid JSON string is reported by the parser of the whole body.
    return text
  }
}

/**
 * Collects bytes in one contiguous array, without copying if the expected size was right.
 *
 * @param expectedBytes expected size; the system assigns memory only when it is written
 */
export function createByteStore(expectedBytes: number) {
  let memory = new Uint8Array(Math.max(expectedBytes, 1_024))
  let sizeBytes = 0

  /** Space for more bytes; the caller fills it, then calls `advance`. */
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
    /** Returns all bytes, whose memory then belongs to the caller. */
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

/** The meaning of each byte: six bits, or one of the three constants above. */
const meanings = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (/\s/.test(character)) return blank
  if (character === '=') return padding
  const index = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(character)
  if (index !== -1) return index
  return { '-': 62, _: 63 }[character] ?? unknown
})

/**
 * Decodes base64 in chunks: both alphabets, with or without padding, with white space anywhere. Node's
 * decoder needs strings, skips invalid characters, and cannot resume.
 *
 * @param expectedCharacters maximum length, if known
 */
function createBase64Reader(expectedCharacters: number) {
  const store = createByteStore(Math.ceil((expectedCharacters * 3) / 4))
  /** Bits that do not form a whole byte yet, and their number. */
  let bits = 0
  let bitCount = 0
  let characterCount = 0
  let paddingCount = 0
  let isBroken = false

  /**
   * Reads up to the next position where groups of four base64 characters may begin.
   *
   * @returns the position, and the number of bytes written so far
   */
  function readUneven(
    from: Uint8Array,
    start: number,
    to: Uint8Array,
    offset: number,
  ): { readonly index: number; readonly written: number } {
    // Local variables are several times faster than those of the enclosing function.
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
    /** Decodes the next characters as bytes, because a string of them would take more memory than the audio. */
    push(characters: Uint8Array) {
      // Invalid input stays invalid, so the rest is ignored.
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
 * Decodes groups of four characters into three bytes each, up to the first other character.
 *
 * @returns the position where it stopped
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
