import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import canonicalize from 'canonicalize'

/** No document of this program comes near this limit; a large run is stored as lines, not as one document. */
const maxValues = 5_000_000
const maxDepth = 64
/** Up to this length, in UTF-16 units, the value of a text can become deep, but not large. */
const smallTextLength = 65_536

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * The reason why a text has too many brackets or commas to be parsed; null where it can be. The value of
 * `[[[[…` takes a hundred times the memory of the text, so callers check first. Quoted parts do not count.
 */
export function bracketExcess(
  text: string,
  limits: { readonly values: number; readonly depth: number } = { values: maxValues, depth: maxDepth },
): string | null {
  let [depth, values] = [0, 0]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      for (index += 1; index < text.length && text.charCodeAt(index) !== quote; index += 1) {
        if (text.charCodeAt(index) === backslash) index += 1
      }
    } else if (code === openBracket || code === openBrace) {
      values += 1
      depth += 1
      if (depth > limits.depth) return `it is nested more than ${limits.depth} levels deep`
    } else if (code === closeBracket || code === closeBrace) depth -= 1
    else if (code === comma) values += 1
    if (values > limits.values) return `it has more than ${limits.values} values`
  }
  return null
}

/**
 * Parses JSON that comes from outside this program. Programs in Python write `NaN` and `Infinity` into it, as Whisper
 * does for the confidence of silence; each is read as null.
 *
 * @throws SyntaxError where it is not JSON, or exceeds the limits on values and depth
 */
export function parseForeignJson(text: string): unknown {
  const excess = text.length <= smallTextLength && !mayBeDeep(text) ? null : bracketExcess(text)
  if (excess !== null) throw new SyntaxError(excess)
  try {
    return JSON.parse(text)
  } catch (error) {
    const corrected = text.replaceAll(quotedOrNoNumber, (found) => (found.startsWith('"') ? found : 'null'))
    if (corrected === text) throw error
    return JSON.parse(corrected)
  }
}

/** A quoted text also matches where it is cut off, because its escapes would be read again from each quote otherwise. */
const quotedOrNoNumber = /"[^"\\]*(?:\\.[^"\\]*)*"?|\bNaN\b|-?\bInfinity\b/gs

/** Whether a text has enough opening brackets to be too deep. It is quick, because most lines have a few. */
function mayBeDeep(text: string): boolean {
  let count = 0
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > maxDepth) return true
    }
  }
  return false
}

/** Parses a line with a JSON object. @returns what is wrong with it, to follow its position */
export function parseJsonObject(line: string): Readonly<Record<string, unknown>> | string {
  try {
    const value = parseForeignJson(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : 'is not a JSON object'
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
}

/** Parses a JSON text; returns `undefined` where it is invalid. Never throws, and never quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return parseForeignJson(text)
  } catch {
    return undefined
  }
}

/**
 * The SHA-256 of a value's canonical JSON, 64 hexadecimal digits. Equal values have equal fingerprints,
 * whatever the order of their keys.
 *
 * @param value anything that JSON can represent
 */
export function fingerprint(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))))
}

/**
 * The canonical JSON of a value: the same text for equal values.
 * @throws TypeError for a value that JSON cannot represent
 * @see RFC 8785, JSON Canonicalization Scheme
 */
function canonicalJson(value: unknown): string {
  const canonical = canonicalize(value)
  if (canonical === undefined) throw new TypeError('a value without a JSON form has no fingerprint')
  return canonical
}
