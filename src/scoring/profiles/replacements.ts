import type { Stage } from './profile.ts'

/** A text that is written otherwise, where it stands between certain others. */
export interface Replacement {
  readonly from: string
  readonly to: string
  /** What has to stand right before and after it, spaces included; empty for anything. */
  readonly before: string
  readonly after: string
}

/**
 * A stage that goes through a text once, from the left: at each place the first rule that fits is applied, and
 * what it has written is not looked at again. A space is taken to stand before and after the text, so that
 * rules can speak of whole words.
 *
 * @see SCTK, doc/rfilter1.htm
 */
export function replacementStage(name: string, does: string, replacements: readonly Replacement[]): Stage {
  const first = replacements[0]
  return {
    name,
    does,
    example: first === undefined ? ['', ''] : [first.from.trim(), first.to.trim()],
    settings: replacements.map(({ from, to, before, after }) => [from, to, before, after]),
    apply: (text) => replaceOnce(` ${text} `, byFirstLetter(replacements)).replace(/ {2,}/g, ' ').trim(),
  }
}

function byFirstLetter(replacements: readonly Replacement[]): ReadonlyMap<string, readonly Replacement[]> {
  const byLetter = new Map<string, Replacement[]>()
  for (const replacement of replacements) {
    const letter = replacement.from.charAt(0)
    byLetter.set(letter, [...(byLetter.get(letter) ?? []), replacement])
  }
  return byLetter
}

function replaceOnce(text: string, byLetter: ReadonlyMap<string, readonly Replacement[]>): string {
  let result = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const fitting = byLetter
      .get(text.charAt(at))
      ?.find(
        ({ from, before, after }) =>
          text.startsWith(from, at) &&
          text.slice(0, at).endsWith(before) &&
          text.startsWith(after, at + from.length),
      )
    if (fitting === undefined) at += 1
    else {
      result += text.slice(copied, at) + fitting.to
      at += fitting.from.length
      copied = at
    }
  }
  return result + text.slice(copied)
}
