import { type Base64Reader, createBase64Reader } from './base64-reader.ts'

/** A JSON body that is checked while it comes in, and whose `audio_base64` is taken out on the way. */
export interface JsonReader {
  /** @returns false where the body is refused: nothing more of it is read */
  push(chunk: Buffer): boolean
  /** Why the body is refused, or null so far. What is in `json` then ends with the key that is too much. */
  readonly problem: string | null
  /** The body with a short text in place of the audio, in pieces; what is wrong in the audio's text as JSON stays wrong. */
  readonly json: readonly Buffer[]
  /** The audio; undefined where the body has none, null where it is not base64. */
  finish(): Uint8Array<ArrayBuffer> | null | undefined
}

const audioKey = 'audio_base64'

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const comma = 0x2c

const closingQuote = Buffer.from('"')

/** No request has more keys; a body of a million of them would only cost memory. */
const maxKeys = 1_000

/** `\` and up to five characters: the longest escape is `\u002f`. */
const maxEscapeLength = 6
/** Longer keys have no meaning here: they are neither read to their end nor compared. */
const maxKeyBytes = 100

/**
 * Reads a JSON object in pieces and decodes the one long text in it on the way. The parser of JSON sees all the
 * rest, and has the last word on whether it is JSON:
 *
 *   {"engine":"local","audio_base64":"UklGRiQ…","model":"m"}   comes in
 *   {"engine":"local","audio_base64":"","model":"m"}           is left, and the decoded bytes
 *
 * A key that the object has twice is refused at the second one: parsers disagree on which value counts (RFC 8259,
 * section 4), and memory for the audio is reserved once only.
 *
 * @param expectedCharacters of the audio; memory for it is reserved when its key comes
 */
export function createJsonReader(expectedCharacters: number): JsonReader {
  const json: Buffer[] = []
  let audio: Base64Reader | undefined
  /** Where in the text the reader is. */
  let place: 'between' | 'text' | 'audio' = 'between'
  let depth = 0
  let isEscaped = false
  /** Of the text under way at the outermost level before a colon; null for any other. */
  let key: number[] | null = null
  let lastKey: string | null = null
  const keys = new Set<string>()
  let problem: string | null = null
  let isObject = false
  let isKeyNext = false
  /** An escape in the audio that has begun. */
  let unfinished = ''

  function readBetween(byte: number): void {
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
    lastKey = bytes.length > maxKeyBytes ? null : textOf(bytes)
    if (lastKey !== null && keys.has(lastKey))
      problem = `The body has the key ${JSON.stringify(lastKey)} twice.`
    else if (keys.size === maxKeys) problem = `The body has more than ${maxKeys} keys.`
    // A key that is not compared counts all the same.
    keys.add(lastKey ?? `${keys.size} long`)
  }

  /** @returns where the audio's text was read up to */
  function readAudio(chunk: Buffer, start: number): number {
    if (unfinished !== '') return readEscape(chunk, start)
    const end = firstOf(chunk, start, quote, backslash)
    const characters = chunk.subarray(start, end)
    // JSON has no bare control characters in its texts; its own parser says so.
    if (hasControl(characters)) json.push(Buffer.from('\n'))
    audio?.push(characters)
    if (chunk[end] === backslash) unfinished = '\\'
    else if (end < chunk.length) {
      json.push(closingQuote)
      place = 'between'
    }
    return end + 1
  }

  function readEscape(chunk: Buffer, start: number): number {
    unfinished += String.fromCharCode(chunk[start] ?? 0)
    if (unfinished[1] !== 'u' || unfinished.length === maxEscapeLength) {
      json.push(Buffer.from(unfinished, 'latin1'))
      audio?.push(Buffer.from(unescaped(unfinished)))
      unfinished = ''
    }
    return start + 1
  }

  /** An empty part would hold the memory of its whole chunk. */
  function keep(chunk: Buffer, start: number, end: number): void {
    if (start < end) json.push(chunk.subarray(start, end))
  }

  return {
    json,
    push(chunk) {
      let copied = 0
      let position = 0
      while (position < chunk.length && problem === null) {
        if (place === 'audio') {
          keep(chunk, copied, position)
          while (place === 'audio' && position < chunk.length) position = readAudio(chunk, position)
          copied = Math.min(position, chunk.length)
        } else {
          // Of a text that is no key only its end matters, and it may be 50 MB away.
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
    get problem() {
      return problem
    },
    finish: () => audio?.finish(),
  }
}

/** Where a text's end or an escape in it comes. A backslash behind the next quote is not looked for. */
function endOfPlain(chunk: Buffer, start: number): number {
  const quoteAt = chunk.indexOf(quote, start)
  const end = quoteAt === -1 ? chunk.length : quoteAt
  const escapeAt = chunk.subarray(start, end).indexOf(backslash)
  return escapeAt === -1 ? end : start + escapeAt
}

function firstOf(chunk: Buffer, start: number, ...bytes: readonly number[]): number {
  const found = bytes.map((byte) => chunk.indexOf(byte, start)).filter((index) => index !== -1)
  return Math.min(chunk.length, ...found)
}

function hasControl(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    if ((bytes[index] as number) < space) return true
  }
  return false
}

/** @returns null for what is no text of JSON */
function textOf(bytes: readonly number[]): string | null {
  return unescaped(Buffer.from(bytes).toString('utf8'))
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    // Not a JSON string; the parser of the whole body reports it.
    return text
  }
}
