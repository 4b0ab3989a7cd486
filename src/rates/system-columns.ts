import type { AlignmentStep } from '#scoring/counting'
import { operationsOf } from './matched-segments.ts'

/** What is known of every utterance of one system, in columns: what comparing systems needs. */
export interface System {
  readonly name: string
  readonly ids: readonly string[]
  readonly speakers: readonly (string | null)[]
  /** Word errors, with an answer that failed counted as an empty one. */
  readonly errors: readonly number[]
  /** Words of the reference. */
  readonly lengths: readonly number[]
  /** The alignment, a letter for each step. */
  readonly operations: readonly string[]
  /** A hash of the words of the reference, in the reading that was taken. */
  readonly readings: readonly number[]
}

/** What one alignment adds to the columns of a system. */
export interface AlignedSummary {
  readonly operations: string
  readonly reading: number
}

/** Summarises an alignment for the columns of a system. */
export function summariseSteps(steps: readonly AlignmentStep[]): AlignedSummary {
  let hash = 0x811c9dc5
  for (const { reference } of steps) {
    if (reference === null) continue
    for (let at = 0; at < reference.length; at += 1)
      hash = Math.imul(hash ^ reference.charCodeAt(at), 0x01000193)
    // Words end: "a bc" is not "ab c".
    hash = Math.imul(hash ^ 0x20, 0x01000193)
  }
  return { operations: operationsOf(steps), reading: hash >>> 0 }
}
