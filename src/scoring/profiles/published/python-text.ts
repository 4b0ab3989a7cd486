import { onDemand } from '#prelude'
import { pythonSpace as space } from '../../tokens.ts'

// The published normalisers are written in Python, whose regular expressions and string methods read text as
// Unicode does where JavaScript's read ASCII. This file holds the differences, so that the stages can be
// written as they were published.

/** A regular expression in both readings: the one for plain ASCII is several times faster. */
export interface PythonPattern {
  readonly ascii: RegExp
  readonly unicode: RegExp
}

/**
 * A pattern of Python's `re`, for replacing all of its matches. Understood as Python does: `\b`, `\d` and
 * `\s`, the last two outside of character classes.
 */
export function pythonPattern(source: string): PythonPattern {
  const ascii = source.replaceAll('\\s', `[${space}]`)
  const unicode = ascii
    .replaceAll('\\b', '(?:(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_])|(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_]))')
    .replaceAll('\\d', '\\p{Nd}')
  // Classes of Unicode take long to compile, and most runs never need the patterns of most profiles.
  return onDemand<PythonPattern>({
    ascii: () => new RegExp(ascii, 'g'),
    unicode: () => new RegExp(unicode, 'gu'),
  })
}

/** `[^\\w\\s]`: neither letter, digit, underscore nor white space. */
export const nonWord: PythonPattern = {
  ascii: new RegExp(`[^\\w${space}]`, 'g'),
  unicode: new RegExp(`[^\\p{L}\\p{N}_${space}]`, 'gu'),
}

const beyondAscii = /[\u0080-\uffff]/

/** Replaces every match, in the reading that the text needs. */
export function substitute(text: string, pattern: PythonPattern, replacement: string): string {
  return text.replace(beyondAscii.test(text) ? pattern.unicode : pattern.ascii, replacement)
}

/** Whether the pattern matches anywhere, in the reading that the text needs. */
export function matches(text: string, pattern: PythonPattern): boolean {
  return text.search(beyondAscii.test(text) ? pattern.unicode : pattern.ascii) >= 0
}

const otherSpace = space.replace('\\x20', '\\x1f')
const unevenSpace = /* @__PURE__ */ new RegExp(`(?:[${otherSpace}]| [${space}])[${space}]*`, 'g')
const anyOtherSpace = /* @__PURE__ */ new RegExp(`[${otherSpace}]`)
const spaceRun = /* @__PURE__ */ new RegExp(`[${space}]+`)

/** `re.sub(r"\s+", " ", text)`: one space for every run, those at the ends included. */
export function collapseSpaceRuns(text: string): string {
  return text.replace(unevenSpace, ' ')
}

/** `text.split()`: the words between white space, none of them empty. */
export function splitWords(text: string): string[] {
  const words = anyOtherSpace.test(text) ? text.split(spaceRun) : text.split(' ')
  return words.includes('') ? words.filter((word) => word !== '') : words
}

/** The words one space apart: the text itself, where it is in that form already. */
export function joinWords(words: readonly string[], text: string): string {
  let length = words.length - 1
  for (const word of words) length += word.length
  return length === text.length && !anyOtherSpace.test(text) ? text : words.join(' ')
}

const decimalDigits = /^\p{Nd}+(?:\.\p{Nd}+)?$/u
const asciiDigits = /^[0-9]+(?:\.[0-9]+)?$/

/** `re.match(r"^\d+(\.\d+)?$", text)`: digits of any script, with or without decimals. */
export function isDecimalNumber(text: string): boolean {
  return beyondAscii.test(text) ? decimalDigits.test(text) : asciiDigits.test(text)
}

/** The same number in ASCII digits: `int` and `Fraction` take digits of any script. */
export function asciiNumber(text: string): string {
  return beyondAscii.test(text) ? text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit))) : text
}

/** Unicode keeps the ten digits of a script in one run from nought to nine; some runs touch. */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(codePoint - before - 1))) before += 1
  return before % 10
}
