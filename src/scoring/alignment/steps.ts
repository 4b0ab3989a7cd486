import type { ErrorCounts } from '../error-counts.ts'

/** One position of an alignment, in reading order. */
export type AlignmentStep =
  | { readonly kind: 'hit'; readonly reference: string; readonly hypothesis: string }
  | { readonly kind: 'substitution'; readonly reference: string; readonly hypothesis: string }
  | { readonly kind: 'deletion'; readonly reference: string; readonly hypothesis: null }
  | { readonly kind: 'insertion'; readonly reference: null; readonly hypothesis: string }

/** Which tokens answer to which, and how many do not. */
export interface Alignment {
  readonly counts: ErrorCounts
  readonly steps: readonly AlignmentStep[]
}
