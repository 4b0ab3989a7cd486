import { closest, distance } from 'fastest-levenshtein'

/** Escapes text for the content of an element or for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

/** A count with its noun: `1 problem`, `2 problems`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A count with separators: `26,214,400`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** A number above a limit, with one decimal or as many more as show that it is above: `10.003` for a limit of 10. */
export function formatAbove(value: number, limit: number): string {
  const digits = [1, 2, 3, 4, 5, 6].find((count) => Number(value.toFixed(count)) > limit)
  return digits === undefined ? String(value) : value.toFixed(digits)
}

/** The address of a target that is a transcription server, `openai:http://gpu:8000/v1`; null for any other target. */
export function serverAddressIn(target: string): string | null {
  const prefix = 'openai:'
  return target.trim().startsWith(prefix) ? target.trim().slice(prefix.length) : null
}

/** Quotes a text where necessary, so that a shell reads it as one word. */
export function shellWord(text: string): string {
  return /^(?!~)[\w./~+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Quotes the texts of an option or argument that takes several, separated by commas. */
export function shellList(texts: readonly string[]): string {
  return texts.map(shellWord).join(',')
}

/** Settings in one line: `punctuate=true, keyterm=Ada,Bob`. Empty where there are none. */
export function settingsInWords(
  settings: Readonly<Record<string, boolean | number | string | readonly string[]>>,
): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ')
}

/**
 * The name that a misspelt one probably means: a permutation of its letters, or the closest by edit distance.
 * Case does not count.
 *
 * @returns null where none is close enough
 */
export function nearest(name: string, names: Iterable<string>): string | null {
  const wanted = name.toLowerCase()
  const byLowerCase = new Map(Array.from(names, (candidate) => [candidate.toLowerCase(), candidate]))
  if (wanted === '' || byLowerCase.size === 0) return null
  const lowerCaseNames = [...byLowerCase.keys()]
  const swapped = lowerCaseNames.find((candidate) => sortLetters(candidate) === sortLetters(wanted))
  const found = swapped ?? closest(wanted, lowerCaseNames)
  // Up to a third of the letters may be wrong; with more it would be another word.
  const limit = Math.max(1, Math.floor(Math.max(wanted.length, found.length) / 3))
  return swapped !== undefined || distance(wanted, found) <= limit ? (byLowerCase.get(found) ?? null) : null
}

function sortLetters(word: string): string {
  return [...word].sort().join('')
}

/**
 * Pattern of one character of a script that is written without spaces between words. Kana and Han match by
 * script extension, so that the long-vowel mark and the iteration mark stay with their run.
 */
export const unspacedCharacter =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]'

/** The IMF-fixdate of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`. `Date.parse` alone would read a date in "1.5". */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Parses the header `Retry-After`: seconds, which some servers send with decimals, or an HTTP date.
 *
 * @param today the current time, asked for only where the header is a date
 * @returns seconds from now, 0 for a past date; null for anything else, which counts as not sent
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfter(text: string, today: () => Date): number | null {
  const seconds = httpDate.test(text)
    ? Math.max(0, (Date.parse(text) - today().getTime()) / 1000)
    : /^\d+(\.\d+)?$/.test(text)
      ? Number(text)
      : Number.NaN
  return Number.isFinite(seconds) ? seconds : null
}

/**
 * A target as the user wrote it, without possible passwords, for a message. A password can be between `//`
 * and the last `@`, with slashes in it, or after `?` or `#`.
 */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/.*@/s, '//…@').replace(/[?#].*$/s, '?…')
}

/**
 * Whether an address contains a user or a password. A forwarded port also precedes an `@`, and is no
 * credential: `http://127.0.0.1:39201@127.0.0.1:4000`.
 */
export function hasCredentials(text: string): boolean {
  const [, authority = ''] = /:\/\/(.*)@[^@]*$/s.exec(text) ?? []
  return authority !== '' && !/^(localhost|[\d.]+|\[[\da-f:]+\]):\d+\/?$/i.test(authority)
}
