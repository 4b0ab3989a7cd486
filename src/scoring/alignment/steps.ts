import type { AlignmentStep, ErrorCounts } from '../shapes.ts'

/** Which tokens answer to which, and how many do not. */
export interface Alignment {
  readonly counts: ErrorCounts
  readonly steps: readonly AlignmentStep[]
}
