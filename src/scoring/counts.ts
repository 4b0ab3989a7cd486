import type { ErrorCounts } from './shapes.ts'

/** The counts of nothing: where a sum starts. */
export const noErrors: ErrorCounts = { hits: 0, substitutions: 0, deletions: 0, insertions: 0 }

/** Counts of two texts taken together. Rates are made from such sums, never averaged. */
export function addCounts(a: ErrorCounts, b: ErrorCounts): ErrorCounts {
  return {
    hits: a.hits + b.hits,
    substitutions: a.substitutions + b.substitutions,
    deletions: a.deletions + b.deletions,
    insertions: a.insertions + b.insertions,
  }
}

/** Counts of so many equal texts taken together. */
export function timesCounts(counts: ErrorCounts, times: number): ErrorCounts {
  return {
    hits: counts.hits * times,
    substitutions: counts.substitutions * times,
    deletions: counts.deletions * times,
    insertions: counts.insertions * times,
  }
}

/** Counts of any number of texts taken together. */
export function sumCounts(all: Iterable<ErrorCounts>): ErrorCounts {
  let sum = noErrors
  for (const counts of all) sum = addCounts(sum, counts)
  return sum
}

/** Substitutions, deletions and insertions together. */
export function errorCount(counts: ErrorCounts): number {
  return counts.substitutions + counts.deletions + counts.insertions
}

/** Tokens of the reference: hits + substitutions + deletions. */
export function referenceLength(counts: ErrorCounts): number {
  return counts.hits + counts.substitutions + counts.deletions
}

/** Tokens of the hypothesis: hits + substitutions + insertions. */
export function hypothesisLength(counts: ErrorCounts): number {
  return counts.hits + counts.substitutions + counts.insertions
}
