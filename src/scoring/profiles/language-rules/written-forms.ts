import type { Stage } from '../profile.ts'
import { isLetter } from './plain-marks.ts'

/** Something that is written with figures and marks, and the words that are said for it. */
export interface WrittenForm {
  /**
   * What every such form holds, so that texts without it are not searched: characters, at least one of which is no letter; one of
   * several; or a mark that many texts hold, where only some places count.
   */
  readonly needs: string | { readonly oneOf: string } | CommonMark
  /** What a text is looked through for before the pattern, where that is faster. */
  readonly mayHold?: RegExp
  /** Global, for texts in small letters. */
  readonly pattern: RegExp
  /** What is written instead: a replacement as `String.replace` takes it, or made from the match and its groups. */
  readonly said: string | ((match: string, ...groups: string[]) => string)
}

/**
 * Any digit, a digit with a letter or mark directly after it, the sign of a currency, a dash before a figure, a full stop inside of a
 * word, an apostrophe that is not between letters, a mark that ends a clause inside of a text.
 */
interface CommonMark {
  readonly any:
    | 'digit'
    | 'joined digit'
    | 'currency'
    | 'dash'
    | 'inner full stop'
    | 'outer apostrophe'
    | 'inner mark'
  /** What such a text holds besides. */
  readonly with?: string
}

/** A stage that applies written forms one after another. What a form says holds no mark that the text did not have. */
export function writtenFormStage(forms: readonly WrittenForm[], example: Stage['example']): Stage {
  const bits = new Map<string, number>()
  const bitOf = (mark: string): number => {
    const bit = bits.get(mark) ?? 1 << bits.size
    bits.set(mark, bit)
    return bit
  }
  const prepared = forms.map((form) => ({
    bit: bitOf(markOf(form)),
    part: typeof form.needs === 'string' ? form.needs : 'with' in form.needs ? form.needs.with : '',
    mayHold: form.mayHold ?? null,
    pattern: form.pattern,
    // TypeScript has no overload for both kinds of replacement at once.
    said: form.said as string,
  }))
  const findMarks = markFinder(bits)
  // Few marks are in a text, and the same few in most texts.
  const byMarks = new Map<number, typeof prepared>()
  const formsWith = (marks: number): typeof prepared => {
    const known = byMarks.get(marks)
    if (known !== undefined) return known
    const some = prepared.filter(({ bit }) => (marks & bit) !== 0)
    if (byMarks.size > maxRemembered) byMarks.clear()
    byMarks.set(marks, some)
    return some
  }
  return {
    name: 'written forms',
    does: 'Times, initialisms, ranges, fractions, telephone numbers and marks become what is said for them.',
    example,
    // What a function makes of a match is part of the version.
    settings: forms.map(({ pattern, said }) => [pattern.source, typeof said === 'string' ? said : null]),
    apply(text) {
      const marks = findMarks(text)
      if (marks === 0) return text
      let result = text
      for (const { part, mayHold, pattern, said } of formsWith(marks)) {
        if (result.includes(part) && (mayHold === null || mayHold.test(result)))
          result = result.replace(pattern, said)
      }
      return result
    },
  }
}

const maxRemembered = 1000

const oneOf = 'one of '

/** The mark by which one pass over a text finds out whether a form can be in it. */
function markOf({ needs }: WrittenForm): string {
  if (typeof needs !== 'string') return 'any' in needs ? needs.any : `${oneOf}${needs.oneOf}`
  return /[^a-z]/.exec(needs)?.[0] ?? needs
}

const [space, apostrophe, fullStop, zero, nine] = Array.from(" '.09", (character) =>
  character.charCodeAt(0),
) as [number, number, number, number, number]

const clauseMarks: ReadonlySet<number> = new Set(Array.from('.,;:!?…–—', (mark) => mark.charCodeAt(0)))

/** Whether a digit is directly before a letter or a mark, where that is no mark at the end of a word: 5k, 1,000, but not “5, ”. */
function isJoined(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  if (Number.isNaN(next) || next === space || isDigit(next)) return false
  return !clauseMarks.has(next) || isDigit(text.charCodeAt(at + 2))
}

const dashes: ReadonlySet<number> = new Set(Array.from('-‐‑–—', (mark) => mark.charCodeAt(0)))

function isBeforeFigure(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1) === space ? at + 2 : at + 1
  return isDigit(text.charCodeAt(next)) || '$£€'.includes(text.charAt(next))
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine
}

/** Finds the bits of all marks that a text holds, in one pass. */
function markFinder(bits: ReadonlyMap<string, number>): (text: string) => number {
  const bitOf = (mark: CommonMark['any']): number => bits.get(mark) ?? 0
  const [digit, joinedDigit, dash, innerFullStop, outerApostrophe, innerMark] = [
    bitOf('digit'),
    bitOf('joined digit'),
    bitOf('dash'),
    bitOf('inner full stop'),
    bitOf('outer apostrophe'),
    bitOf('inner mark'),
  ]
  const byCode = new Map<number, number>()
  const add = (characters: string, bit: number): void => {
    for (const character of characters)
      byCode.set(character.charCodeAt(0), (byCode.get(character.charCodeAt(0)) ?? 0) | bit)
  }
  for (const [mark, bit] of bits) {
    if (mark.length === 1) add(mark, bit)
    else if (mark.startsWith(oneOf)) add(mark.slice(oneOf.length), bit)
  }
  add('$£€', bitOf('currency'))
  const ascii = Int32Array.from({ length: 128 }, (_, code) => byCode.get(code) ?? 0)
  return (text) => {
    let found = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (isLetter(code) || code === space) continue
      if (isDigit(code)) {
        found |= isJoined(text, at) ? digit | joinedDigit : digit
        continue
      }
      found |= (code < 128 ? ascii[code] : byCode.get(code)) ?? 0
      if (dashes.has(code) && isBeforeFigure(text, at)) found |= dash
      if (code === apostrophe) {
        if (!(isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1))))
          found |= outerApostrophe
      } else if (at + 1 < text.length && clauseMarks.has(code))
        found |= code === fullStop && text.charCodeAt(at + 1) !== space ? innerFullStop : innerMark
    }
    return found
  }
}
