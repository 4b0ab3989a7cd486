import type { PageCorrection } from '#reports/page'

/**
 * The texts of a reference that nothing has replaced, in the order in which they were made. One is the rule. Two
 * mean that two people corrected the same text differently; the last one counts until one of them is chosen.
 *
 * @param corrections of this utterance, in the order of the file
 */
export function heads(reference: string, corrections: readonly PageCorrection[]): readonly string[] {
  let open: readonly string[] = [reference]
  for (const { before, after } of corrections) {
    open = [...open.filter((text) => text !== before && text !== after), after]
  }
  return open
}

/** The reference as it counts now. */
export function currentText(reference: string, corrections: readonly PageCorrection[]): string {
  return heads(reference, corrections).at(-1) ?? reference
}
