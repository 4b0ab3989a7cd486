import type { AlignmentStep } from '#scoring/shapes'

/** One column of a drawing: a word of the reference or a gap, and what every side has there. */
export interface AlignedColumn {
  /** Null where only sides have words: an insertion. */
  readonly reference: string | null
  /** Position among the words of the reference, from 0; in a gap, of the word that follows. */
  readonly position: number
  /** By side; null where the side has neither an answer nor an insertion there. */
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
  /** Insertions before the word. */
  readonly inserted: AlignmentStep[]
  /** What became of the word; null behind the last one. */
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
