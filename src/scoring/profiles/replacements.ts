import type { Stage } from './profile.ts'

/** A text to replace, where it is between certain other texts. */
export interface Replacement {
  readonly from: string
  readonly to: string
  /** Required text directly before it, spaces included; empty for any text. */
  readonly before: string
  /** Required text directly after it, spaces included; empty for any text. */
  readonly after: string
}

/**
 * A stage that goes through a text once, from the left: at each place the first rule that fits is applied, and
 * what it has written is not looked at again. The text counts as surrounded by spaces, so that
 * rules can match whole words.
 *
 * @see SCTK, doc/rfilter1.htm
 */
export function replacementStage(name: string, does: string, replacements: readonly Replacement[]): Stage {
  const first = replacements[0]
  const byLetter = Map.groupBy(replacements, ({ from }) => from.charAt(0))
  return {
    name,
    does,
    example: first === undefined ? ['', ''] : [first.from.trim(), first.to.trim()],
    settings: replacements.map(({ from, to, before, after }) => [from, to, before, after]),
    apply: (text) => replaceOnce(` ${text} `, byLetter).replace(/ {2,}/g, ' ').trim(),
  }
}

function replaceOnce(text: string, byLetter: ReadonlyMap<string, readonly Replacement[]>): string {
  let result = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const fitting = byLetter.get(text.charAt(at))?.find((rule) => fits(rule, text, at))
    if (fitting === undefined) at += 1
    else {
      result += text.slice(copied, at) + fitting.to
      at += fitting.from.length
      copied = at
    }
  }
  return result + text.slice(copied)
}

function fits({ from, before, after }: Replacement, text: string, at: number): boolean {
  return (
    text.startsWith(from, at) &&
    at >= before.length &&
    text.startsWith(before, at - before.length) &&
    text.startsWith(after, at + from.length)
  )
}
