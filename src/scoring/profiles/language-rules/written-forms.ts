import type { Stage } from '../profile.ts'
import { isLetter } from './plain-marks.ts'

/** Something that is written with figures and marks, and the words that are said for it. */
export interface WrittenForm {
  /**
   * What every such form holds, so that texts without it are not searched: characters, at least one of which is no letter; or a
   * mark that many texts hold, where only some places count.
   */
  readonly needs: string | CommonMark
  /** What a text is looked through for before the pattern, where that is faster. */
  readonly mayHold?: RegExp
  /** Global, for texts in small letters. */
  readonly pattern: RegExp
  /** What is written instead: a replacement as `String.replace` takes it, or made from the match and its groups. */
  readonly said: string | ((match: string, ...groups: string[]) => string)
}

/**
 * Any digit, the sign of a currency, a full stop inside of a word, an apostrophe that is not between letters, a mark that ends a
 * clause inside of a text.
 */
interface CommonMark {
  readonly any: 'digit' | 'currency' | 'inner full stop' | 'outer apostrophe' | 'inner mark'
}

/** A stage that applies written forms one after another. What a form says holds no mark that the text did not have. */
export function writtenFormStage(forms: readonly WrittenForm[], example: Stage['example']): Stage {
  const bits = new Map<string, number>()
  const bitOf = (mark: string): number => {
    const bit = bits.get(mark) ?? 1 << bits.size
    bits.set(mark, bit)
    return bit
  }
  const prepared = forms.map((form) => ({ ...form, bit: bitOf(markOf(form)) }))
  return {
    name: 'written forms',
    does: 'Times, initialisms, ranges, fractions, telephone numbers and marks become what is said for them.',
    example,
    // What a function makes of a match is part of the version.
    settings: forms.map(({ pattern, said }) => [pattern.source, typeof said === 'string' ? said : null]),
    apply(text) {
      const marks = marksIn(text, bits)
      if (marks === 0) return text
      let result = text
      for (const { needs, bit, mayHold, pattern, said } of prepared) {
        if ((marks & bit) === 0 || (typeof needs === 'string' && !result.includes(needs))) continue
        // TypeScript has no overload for both kinds of replacement at once.
        if (mayHold === undefined || mayHold.test(result)) result = result.replace(pattern, said as string)
      }
      return result
    },
  }
}

/** The mark by which one pass over a text finds out whether a form can be in it. */
function markOf({ needs }: WrittenForm): string {
  if (typeof needs !== 'string') return needs.any
  return /[^a-z]/.exec(needs)?.[0] ?? needs
}

const [space, apostrophe, fullStop, zero, nine] = Array.from(" '.09", (character) =>
  character.charCodeAt(0),
) as [number, number, number, number, number]

const currencySigns: ReadonlySet<number> = new Set(Array.from('$£€', (sign) => sign.charCodeAt(0)))
const clauseMarks: ReadonlySet<number> = new Set(Array.from('.,;:!?…–—', (mark) => mark.charCodeAt(0)))

/** The bits of all marks that a text holds. */
function marksIn(text: string, bits: ReadonlyMap<string, number>): number {
  let found = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isLetter(code) || code === space) continue
    found |= bits.get(text.charAt(at)) ?? 0
    const mark = commonMark(text, at, code)
    if (mark !== null) found |= bits.get(mark) ?? 0
  }
  return found
}

function commonMark(text: string, at: number, code: number): CommonMark['any'] | null {
  if (code >= zero && code <= nine) return 'digit'
  if (currencySigns.has(code)) return 'currency'
  const next = text.charCodeAt(at + 1)
  if (code === fullStop && next !== space) return Number.isNaN(next) ? null : 'inner full stop'
  if (code !== apostrophe) return Number.isNaN(next) || !clauseMarks.has(code) ? null : 'inner mark'
  return isLetter(text.charCodeAt(at - 1)) && isLetter(next) ? null : 'outer apostrophe'
}
