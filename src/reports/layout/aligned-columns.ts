import type { AlignmentStep } from '#scoring/shapes'

/** One column of a drawing: a word of the reference or a gap, and the step of every side at it. */
export interface AlignedColumn {
  /** Null for an insertion: only sides have a word. */
  readonly reference: string | null
  /** Position among the words of the reference, from 0; for a gap, the position of the word that follows. */
  readonly position: number
  /** Steps by side; null if the side has no answer or no insertion at this gap. */
  readonly steps: readonly (AlignmentStep | null)[]
}

/**
 * Lays several alignments of the same reference over each other, word under word: what one side inserts opens a
 * gap in all others.
 *
 *   reference   the  big   ·   cat
 *   one         the  big   ·   cat
 *   other       the   –   old  cat
 *
 * @param sides null for a side without an answer
 */
export function alignColumns(
  reference: readonly string[],
  sides: readonly (readonly AlignmentStep[] | null)[],
): AlignedColumn[] {
  const slotted = sides.map((steps) => (steps === null ? null : splitSlots(steps)))
  const columns: AlignedColumn[] = []
  for (let position = 0; position <= reference.length; position += 1) {
    const slots = slotted.map((side) => side?.[position] ?? null)
    const gaps = Math.max(0, ...slots.map((slot) => slot?.inserted.length ?? 0))
    for (let gap = 0; gap < gaps; gap += 1) {
      columns.push({ reference: null, position, steps: slots.map((slot) => slot?.inserted[gap] ?? null) })
    }
    const word = reference[position]
    if (word === undefined) continue
    columns.push({ reference: word, position, steps: slots.map((slot) => slot?.word ?? null) })
  }
  return columns
}

interface Slot {
  readonly inserted: AlignmentStep[]
  /** Alignment step of the word; null after the last word. */
  word: AlignmentStep | null
}

function splitSlots(steps: readonly AlignmentStep[]): readonly Slot[] {
  let open: Slot = { inserted: [], word: null }
  const slots = [open]
  for (const step of steps) {
    if (step.kind === 'insertion') open.inserted.push(step)
    else {
      open.word = step
      open = { inserted: [], word: null }
      slots.push(open)
    }
  }
  return slots
}
